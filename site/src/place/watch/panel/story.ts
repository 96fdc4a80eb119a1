// The log of one group of notes, such as a negotiation: its messages in their order as sentences with
// times, and as a sequence diagram; and the lines of feeds that lead there.
import { type Drawn, h, html, nothing, render, repeat, type TemplateResult, type Words } from "../../../base/dom.ts";
import { clock, fineClock } from "../../../base/format.ts";
import type { Line, Story } from "../../../base/messages.ts";
import type { Store } from "../../../model/store.ts";
import { groupName } from "../../../model/systems.ts";
import { showDialog } from "../../../panel/dialog.ts";
import { sequence } from "../../../panel/sequence.ts";
import { explained } from "../../../panel/term.ts";

/** A line of a feed, with a way to the log of its group; text is the sentence with its links, if it has any. */
export function feedItem(
  line: Line,
  store: Store<"engine" | "run" | "reported">,
  place: string,
  text: Words = explained(line.text, store, "none"),
): TemplateResult {
  const { at, ref } = line;
  const log = ref
    ? html` <button type="button" class="link log" id=${`log-${place}-${ref}-${at}`} aria-label=${`Log of ${groupName(store.state, ref)}`}
      title="The whole log" @click=${() => showStory(store, ref)}>log</button>`
    : nothing;
  return html`<li><time>${clock(at)}</time><span>${text}${log}</span></li>`;
}

/** The lines of a feed, each with what tells it from the others: its time, its words, and how often the same was said before. */
export function feed(lines: Line[], item: (line: Line) => TemplateResult): Drawn {
  const said = new Map<string, number>();
  const keys = lines.map(({ at, text }) => `${at} ${text}`);
  for (let i = keys.length - 1; i >= 0; i--) {
    const before = said.get(keys[i]) ?? 0;
    said.set(keys[i], before + 1);
    keys[i] += ` ${before}`;
  }
  return repeat(lines, (_, i) => keys[i], item);
}

/** Asks for the log of a group and shows it, as long as it goes on. */
export function showStory(store: Store<"engine" | "run" | "reported">, ref: number): void {
  const body = h("div");
  render(html`<p class="quiet">Asking the simulation …</p>`, body);
  const title = groupName(store.state, ref);
  showDialog("story", title.charAt(0).toUpperCase() + title.slice(1), [body], () => {
    stop();
    clearInterval(timer);
  });
  const ask = () => store.send({ type: "read_story", ref });
  let shown = "";
  const stop = store.watch(["story"], () => {
    const { story } = store.state;
    if (story?.ref !== ref) return;
    const now = `${story.lines.length} ${story.lines.at(-1)?.at} ${story.decision?.at}`;
    if (now === shown) return;
    shown = now;
    render(tell(story), body);
  });
  const timer = setInterval(ask, 1000);
  ask();
}

function tell({ lines, decision, conversation }: Story): Drawn {
  if (lines.length === 0) return html`<p>This is too long ago: only the latest messages are remembered.</p>`;
  if (conversation) return html`<p class="sentence">${conversation.outcome}</p>${list(lines)}`;
  const drawn = sequence(decision?.messages ?? []);
  return html`${list(lines)}${drawn ? html`<h3>As a sequence</h3>${drawn}` : nothing}`;
}

function list(lines: Line[]): TemplateResult {
  return html`<ol class="feed fine">${feed(lines, ({ at, text }) => html`<li><time>${fineClock(at)}</time><span>${text}</span></li>`)}</ol>`;
}

/** A place for the log of a group, filled when the answer comes; none where there was none. */
export function logOf(store: Store<"reported">, ref: number): HTMLElement | undefined {
  if (ref === 0) return undefined;
  const place = h("div");
  render(html`<p class="quiet">Asking the simulation …</p>`, place);
  const stop = store.watch(["story"], () => {
    const { story } = store.state;
    if (story?.ref !== ref) return;
    render(story.lines.length > 0 ? list(story.lines) : html`<p class="quiet">The messages are too long ago to be remembered.</p>`, place);
    queueMicrotask(() => stop());
  });
  store.send({ type: "read_story", ref });
  return place;
}
