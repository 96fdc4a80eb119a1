// The messages behind a decision as a sequence diagram: a line for each party,
// an arrow for each message, and the same as a list.
import { html, nothing, svg, type TemplateResult } from "../base/dom.ts";
import { capital, number } from "../base/format.ts";
import type { Message } from "../base/messages.ts";
import { type Arrow, diagramOf } from "../model/conversation.ts";

const DRAWN = 10; // parties
const COLUMN = 58; // CSS pixels between two parties
const ROW = 17; // between two messages
const TOP = 26;
const USUAL = { margin: 32, words: 148 }; // before the first party, and beside the last

/** The diagram and the list of messages between agents; nothing when there were none. */
export function sequence(messages: Message[]): TemplateResult | undefined {
  if (messages.length === 0) return undefined;
  const { parties, arrows, left } = diagramOf({ messages }, DRAWN);
  const names = parties.map((who, i) => (i > 0 && parties.length > 3 ? who.replace(/^node /, "") : who));
  const rest = `${number(left, "more message")}, to and from others, ${left === 1 ? "is" : "are"} in the list.`;
  const label = `${number(arrows.length, "message")} between ${parties.join(", ")}`;
  return html`${left > 0 ? html`<p class="quiet">${rest}</p>` : nothing}
    <div class="sequence" tabindex="0" role="region" aria-label="Sequence diagram">${diagram(names, arrows, COLUMN, label)}</div>
    <details><summary>The messages as a list</summary>
      <ol class="told">${messages.map(({ from, to, text }) => html`<li>${capital(from)} → ${to || "all"}: ${text}</li>`)}</ol></details>`;
}

/** A line for each party, a number of CSS pixels apart, and an arrow for each message, or a dot for what a party does alone, with its text at the right. */
export function diagram(parties: string[], list: Arrow[], column: number, label: string, { margin, words } = USUAL): SVGElement {
  const x = (i: number) => margin + column * i;
  const last = parties.length - 1;
  const width = margin + column * last + words;
  const height = TOP + ROW * (list.length + 1);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  for (const [i, name] of parties.entries()) {
    picture.append(svg("text", { x: x(i), y: 14, class: "party" }, name));
    picture.append(svg("line", { x1: x(i), x2: x(i), y1: TOP - 6, y2: height - 4, class: "life" }));
  }
  list.forEach(({ from, to, text, kind }, i) => {
    const y = TOP + ROW * (i + 0.5);
    if (to === from) picture.append(svg("circle", { cx: x(from), cy: y, r: 4, class: `head ${kind}` }));
    const ends = to === from ? [] : to < 0 ? [0, last].filter((end) => end !== from) : [to];
    for (const end of ends) {
      const side = x(end) > x(from) ? 1 : -1;
      picture.append(svg("line", { x1: x(from), x2: x(end) - 5 * side, y1: y, y2: y, class: `arrow ${kind}` }));
      picture.append(svg("path", { d: `M${x(end)} ${y}l${-7 * side} -3.5v7z`, class: `head ${kind}` }));
    }
    picture.append(svg("text", { x: x(last) + 14, y: y + 4, class: "said" }, text));
  });
  return picture;
}
