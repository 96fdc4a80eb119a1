// The messages behind a decision as a sequence diagram: a line for each party,
// an arrow for each message, and the same as a list.
import { h, svg } from "../base/dom.ts";
import type { Decision } from "../base/messages.ts";
import { party, steps, type Step } from "../model/why.ts";

const COLUMN = 58; // CSS pixels between two parties
const ROW = 17; // between two messages
const TOP = 26;
const MARGIN = 32;
const WORDS = 148; // beside the last party

/** The diagram and the list of a decision's messages; nothing when there were none. */
export function sequence(decision: Decision, between: string | undefined): HTMLElement[] {
  const { parties, steps: list, left } = steps(decision, between);
  if (list.length === 0) return [];
  const words = list.map(({ from, to, text }) => h("li", {}, `${capital(party(from))} → ${party(to)}: ${text}`));
  return [
    ...(left > 0 ? [h("p.quiet", {}, `${left} more ${left === 1 ? "candidate was asked and is" : "candidates were asked and are"} not drawn.`)] : []),
    h("div.sequence", { tabindex: 0, role: "region", "aria-label": "Sequence diagram" }, draw(parties, list)),
    h("details", {}, h("summary", {}, "The messages as a list"), h("ol.told", {}, ...words)),
  ];
}

function draw(parties: Step["from"][], list: Step[]): SVGElement {
  const x = (who: Step["from"]) => MARGIN + COLUMN * parties.indexOf(who);
  const width = MARGIN + COLUMN * (parties.length - 1) + WORDS;
  const height = TOP + ROW * (list.length + 1);
  const picture = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `${list.length} messages between ${parties.map(party).join(", ")}` });
  for (const [i, who] of parties.entries()) {
    picture.append(svg("text", { x: x(who), y: 14, class: "party" }, i === 0 || parties.length < 4 ? party(who).replace("the ", "") : String(who)));
    picture.append(svg("line", { x1: x(who), x2: x(who), y1: TOP - 6, y2: height - 4, class: "life" }));
  }
  list.forEach(({ from, to, text }, i) => {
    const y = TOP + ROW * (i + 0.5);
    const side = x(to) > x(from) ? 1 : -1;
    const kind = text.startsWith("no") ? "no" : text.startsWith("take") ? "take" : "plain";
    picture.append(svg("line", { x1: x(from), x2: x(to) - 5 * side, y1: y, y2: y, class: `arrow ${kind}` }));
    picture.append(svg("path", { d: `M${x(to)} ${y}l${-7 * side} -3.5v7z`, class: `head ${kind}` }));
    picture.append(svg("text", { x: x(parties[parties.length - 1]) + 14, y: y + 4, class: "said" }, text));
  });
  return picture;
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
