// "Why here?": the decision behind a task's place, its candidates and the
// messages that led there.
import { fill, h } from "../base/dom.ts";
import { clock, digits, percent } from "../base/format.ts";
import type { Decision } from "../base/messages.ts";
import { focus, select } from "../model/look.ts";
import type { Store } from "../model/store.ts";
import { goBetween, systemOf } from "../model/systems.ts";
import { answer, type Candidate, CHOSEN, nameOf, ranked, sentence } from "../model/why.ts";
import { showDialog } from "./dialog.ts";
import { sequence } from "./sequence.ts";
import { logOf } from "./story.ts";
import { explained } from "./term.ts";

const NOBODY = "0"; // whom a question ends that asks about no task

/** Asks why the task with this id is on a node, and shows the answer. */
export function showWhy(store: Store<"engine" | "run" | "told" | "look" | "chosen">, task: string, node: number, called?: string): void {
  const name = called ?? store.state.report?.tasks.find(({ id }) => id === task)?.name ?? "";
  const body = h("div", { "aria-live": "polite" });
  let stop = () => {};
  const { close } = showDialog("why", "Why here?", [body], () => {
    stop();
    if (document.activeElement === document.body) document.getElementById(`why-${task}`)?.focus(); // the list was drawn anew meanwhile
  });
  stop = tellWhy(body, store, task, node, name, called ?? `Task ${name}`, close);
}

/** Asks why a task is on a node, and writes the answer; what it returns ends that. close leaves what is written. */
export function tellWhy(
  body: HTMLElement,
  store: Store<"engine" | "run" | "told" | "look" | "chosen">,
  task: string,
  node: number,
  name: string,
  called: string,
  close: () => void,
): () => void {
  fill(body, h("p.quiet", {}, "Asking the simulation …"));
  store.set({ why: undefined });
  let asked = true;
  const stop = store.watch(["why"], () => {
    const { why } = store.state;
    if (why?.task !== task) return;
    if (why.of !== undefined) return search(body, why.done ?? 0, why.of, close);
    asked = false;
    if (!why.decision) return fill(body, h("p", {}, `${called}: ${why.why ?? "nothing is remembered"}.`));
    fill(body, ...explain(store, why.decision, name, node, close));
  });
  store.send({ type: "explain", task });
  return () => {
    stop();
    if (asked) store.send({ type: "explain", task: NOBODY });
  };
}

/** How far the second run is that looks for a decision which the first one does not remember. */
function search(body: HTMLElement, done: number, of: number, cancel: () => void): void {
  let bar = body.querySelector("progress");
  if (!bar) {
    bar = h("progress", { max: 100, "aria-label": "Done" });
    const told = `Replaying the run to ${clock(of)} to find out …`;
    fill(body, h("p", {}, told), bar, h("div.buttons.end", {}, h("button.btn", { type: "button", onclick: cancel }, "Cancel")));
  }
  if (done > 0) bar.value = percent(done, of);
}

/** What a candidate would have carried with the task: CPU and memory, and what that makes of it. */
function becoming({ after, class: kind }: Candidate, store: Store<"engine" | "run">): (HTMLElement | string)[] {
  if (!after) return ["—"];
  return [
    after.map((part) => `${Math.round(100 * part)} %`).join(" · "),
    h("span.quiet", {}, " ", ...explained(kind ?? "", store, "none")),
  ];
}

function explain(
  store: Store<"engine" | "run" | "told" | "look" | "chosen">,
  decision: Decision,
  name: string,
  node: number,
  close: () => void,
): (HTMLElement | undefined)[] {
  const go = (to: number) => () => {
    close();
    select(store, to);
    focus(store);
  };
  const become = decision.candidates.some(({ after }) => after !== undefined);
  const system = systemOf(store.state);
  const rows = ranked(decision).map((candidate) => {
    const { sign, words } = answer(candidate, system);
    const chosen = candidate.answer === CHOSEN;
    return h(
      "tr",
      { class: chosen ? "chosen" : "" },
      h(
        "th",
        { scope: "row" },
        h("button.link.num", { type: "button", "aria-label": `Show ${nameOf(candidate)}`, onclick: go(candidate.node) }, nameOf(candidate)),
      ),
      h("td.n", {}, candidate.score !== 0 ? digits(candidate.score) : "—"),
      become && h("td.n", {}, ...becoming(candidate, store)),
      h(
        "td",
        {},
        h("span.sign", { "aria-hidden": "true" }, sign),
        chosen ? h("b", {}, ...explained(words, store)) : h("span", {}, ...explained(words, store, "none")),
      ),
    );
  });
  const heads = [
    h("th", { scope: "col" }, "candidate"),
    h("th.n", { scope: "col" }, ...explained(system?.score ?? "score", store)),
    become && h("th.n", { scope: "col" }, "would carry"),
    h("th", { scope: "col" }, "outcome"),
  ];
  const between = goBetween(system);
  const said = logOf(store, decision.ref ?? 0);
  const drawn = sequence(decision.messages);
  const table = h("table", {}, h("thead", {}, h("tr", {}, ...heads)), h("tbody", {}, ...rows));
  return [
    h("p.sentence", {}, sentence(decision, name, node, between ? `a ${between}` : "the scheduler")),
    decision.rule ? h("p.rule", {}, h("b", {}, "Rule: "), ...explained(decision.rule, store), ".") : undefined,
    h("div.candidates", { tabindex: 0, role: "region", "aria-label": "Candidates" }, table),
    ...(drawn.length > 0 ? [h("h3", {}, "Messages"), ...drawn] : []),
    ...(said ? [h("h3", {}, "In the agents' words"), said] : []),
  ];
}
