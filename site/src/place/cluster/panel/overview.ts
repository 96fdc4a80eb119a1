// The first look at a dump: the reasons why its answers are unsure, then the first questions with the
// sentences of their answers. Each opens its question, with the whole answer.
import { h, render, svg } from "../../../base/dom.ts";
import { number } from "../../../base/format.ts";
import type { DumpRead, Question } from "../../../model/ask.ts";
import type { Store } from "../../../model/store.ts";
import { thumbnailOf } from "../../../panel/nodemap.ts";
import { type Cluster, FIRST } from "../model/cluster.ts";

const UNSURE = "What makes this unsure"; // the first table of an answer that is
const BARS = 4; // resources whose requests are drawn

/** A question by its word, and as it is asked. */
export type Named = (question: Question) => { name: string; title: string };

/** Draws the overview; what it returns draws it anew after a change. */
export function overviewOf(
  store: Store<"look">,
  cluster: Cluster,
  dump: DumpRead,
  named: Named,
): { element: HTMLElement; draw: () => void } {
  const holes = h("section.unsure", { "aria-label": "Why answers are unsure", hidden: true });
  const cards = h("div.first-answers", {});
  const element = h("section", { "aria-label": "First answers" }, holes, cards);
  let drawn: unknown[] = [];
  const draw = () => {
    const { answers, first, overview, asking } = cluster.state;
    element.hidden = !overview;
    const now = [answers, first, asking === undefined];
    if (!overview || now.every((one, i) => one === drawn[i])) return;
    drawn = now;
    const why = unsureOf(cluster);
    holes.hidden = why.size === 0;
    const told = [...why].map(([text, questions]) =>
      h("li", {}, text, " ", h("small.quiet", {}, questions.map((one) => named(one).name).join(", "))),
    );
    render([h("h2", {}, `${number(why.size, "reason")} why answers are unsure`), h("ul", {}, ...told)], holes);
    render(
      FIRST.map((question) => cardOf(store, cluster, dump, question, named(question))),
      cards,
    );
  };
  return { element, draw };
}

/** Why the first answers are unsure, each reason once, with the questions that it is about. */
function unsureOf({ state: { answers } }: Cluster): Map<string, Question[]> {
  const why = new Map<string, Question[]>();
  for (const question of FIRST)
    for (const [text] of answers[question]?.documents[0]?.grids.find(({ heading }) => heading === UNSURE)?.rows ?? [])
      why.set(text, [...(why.get(text) ?? []), question]);
  return why;
}

/** A question with the sentence of its answer, or why it has none. */
function cardOf(
  store: Store<"look">,
  cluster: Cluster,
  dump: DumpRead,
  question: Question,
  { name, title }: ReturnType<Named>,
): HTMLElement {
  const { answers, first } = cluster.state;
  const answered = answers[question];
  const [sentence, ...more] = (answered?.documents[0]?.sentence ?? "").replaceAll(" %", "\u00a0%").split(/(?<=\.) /);
  const open = () => {
    cluster.show(question);
    if (!answered && first[question] !== "") cluster.ask();
    document.getElementById(`cluster-${question}`)?.focus();
  };
  return h(
    "button.first-answer",
    { type: "button", id: `cluster-first-${question}`, onclick: open },
    h("span.quiet", {}, title),
    answered ? h("strong", {}, sentence) : h("span.quiet.none", {}, first[question] || "Working …"),
    more.length > 0 && !pictured(question) && h("span.more", {}, more.join(" ")),
    answered && pictureOf(store, dump, question, answered.nodes),
    h("span.word", { "aria-hidden": "true" }, name),
  );
}

const pictured = (question: Question) => ["drain", "lose", "requests"].includes(question);

/** A small picture of an answer: the nodes that it takes away, or requests beside what there is. */
function pictureOf(store: Store<"look">, dump: DumpRead, question: Question, nodes: Set<number>): Element | undefined {
  if (question === "drain" || question === "lose")
    return thumbnailOf(dump.nodes, nodes, question === "lose" ? "lost" : "emptied", store.state);
  if (question !== "requests") return undefined;
  const all = dump.summary.resources.filter(({ allocatable }) => allocatable > 0).slice(0, BARS);
  const picture = svg("svg", { class: "bars", viewBox: `0 0 130 ${14 * all.length}`, "aria-hidden": "true" });
  all.forEach(({ allocatable, requested }, i) => {
    picture.append(svg("rect", { class: "has", x: 0.5, y: 14 * i + 0.5, width: 129, height: 9 }));
    picture.append(
      svg("rect", { class: "requested", x: 0.5, y: 14 * i + 0.5, width: 129 * Math.min(1, requested / allocatable), height: 9 }),
    );
  });
  return picture;
}
