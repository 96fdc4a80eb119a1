// The log of one group of notes, such as a negotiation: its messages in their order as sentences with
// times, and as a sequence diagram; and the lines of feeds that lead there.
import { fill, h } from "../base/dom.ts";
import { clock, fineClock } from "../base/format.ts";
import type { Line, Story } from "../base/messages.ts";
import type { Store } from "../model/store.ts";
import { groupName } from "../model/systems.ts";
import { showDialog } from "./dialog.ts";
import { sequence } from "./sequence.ts";
import { explained } from "./term.ts";

/** A line of a feed, with a way to the log of its group; text is the sentence with its links, if it has any. */
export function feedItem(
  line: Line,
  store: Store<"engine" | "run" | "told">,
  place: string,
  text: (string | HTMLElement)[] = explained(line.text, store, "none"),
): HTMLElement {
  const { at, ref } = line;
  const log =
    ref &&
    h(
      "button.link.log",
      {
        type: "button",
        id: `log-${place}-${ref}-${at}`,
        "aria-label": `Log of ${groupName(store.state, ref)}`,
        title: "The whole log",
        onclick: () => showStory(store, ref),
      },
      "log",
    );
  return h("li", {}, h("time", {}, clock(at)), h("span", {}, ...text, log && " ", log || undefined));
}

/** Asks for the log of a group and shows it, as long as it goes on. */
export function showStory(store: Store<"engine" | "run" | "told">, ref: number): void {
  const body = h("div", {}, h("p.quiet", {}, "Asking the simulation …"));
  const title = groupName(store.state, ref);
  showDialog("story", title.charAt(0).toUpperCase() + title.slice(1), [body], () => {
    stop();
    clearInterval(timer);
  });
  const ask = () => store.send({ type: "tell", ref });
  let shown = "";
  const stop = store.watch(["story"], () => {
    const { story } = store.state;
    if (story?.ref !== ref) return;
    const now = `${story.lines.length} ${story.lines.at(-1)?.at} ${story.decision?.at}`;
    if (now === shown) return;
    shown = now;
    fill(body, ...tell(story));
  });
  const timer = setInterval(ask, 1000);
  ask();
}

function tell({ lines, decision, conversation }: Story): HTMLElement[] {
  if (lines.length === 0) return [h("p", {}, "This is too long ago: only the latest messages are remembered.")];
  if (conversation) return [h("p.sentence", {}, conversation.outcome), list(lines)];
  return [list(lines), ...(decision && decision.messages.length > 0 ? [h("h3", {}, "As a sequence"), ...sequence(decision.messages)] : [])];
}

function list(lines: Line[]): HTMLElement {
  return h("ol.feed.fine", {}, ...lines.map(({ at, text }) => h("li", {}, h("time", {}, fineClock(at)), h("span", {}, text))));
}

/** A place for the log of a group, filled when the answer comes; none where there was none. */
export function logOf(store: Store<"told">, ref: number): HTMLElement | undefined {
  if (ref === 0) return undefined;
  const place = h("div", {}, h("p.quiet", {}, "Asking the simulation …"));
  const stop = store.watch(["story"], () => {
    const { story } = store.state;
    if (story?.ref !== ref) return;
    fill(place, story.lines.length > 0 ? list(story.lines) : h("p.quiet", {}, "The messages are too long ago to be remembered."));
    queueMicrotask(() => stop());
  });
  store.send({ type: "tell", ref });
  return place;
}
