// "Why here?": the decision behind a task's place, its candidates and the
// messages that led there.
import { type Drawn, h, html, nothing, render, type TemplateResult } from "../../../base/dom.ts";
import { clock, digits, percent } from "../../../base/format.ts";
import type { Decision } from "../../../base/messages.ts";
import { nodeName } from "../../../model/faults.ts";
import { focus, follow, select } from "../../../model/look.ts";
import type { Store } from "../../../model/store.ts";
import { goBetween, systemOf } from "../../../model/systems.ts";
import { showDialog } from "../../../panel/dialog.ts";
import { sequence } from "../../../panel/sequence.ts";
import { explained } from "../../../panel/term.ts";
import { answer, type Candidate, CHOSEN, nameOf, ranked, sentence } from "../model/why.ts";
import { logOf } from "./story.ts";

const NOBODY = "0"; // whom a question ends that asks about no task

/** Asks why the task with this id is on a node, and shows the answer. */
export function showWhy(
  store: Store<"engine" | "run" | "reported" | "look" | "chosen">,
  task: string,
  node: number,
  called?: string,
): void {
  const name = called ?? store.state.report?.tasks.find(({ id }) => id === task)?.name ?? "";
  const body = h("div", { "aria-live": "polite" });
  let stop = () => {};
  const { close } = showDialog(
    "why",
    "Why here?",
    called === undefined ? [body, followButton(store, task, name, () => close())] : [body],
    () => stop(),
  );
  stop = tellWhy(body, store, task, node, name, called ?? `Task ${name}`, close);
}

/** A button that follows a task: the selection then moves with it from node to node. */
export function followButton(store: Store<"reported" | "chosen">, task: string, name: string, done = () => {}): HTMLElement {
  const start = () => {
    done();
    follow(store, { task, name });
  };
  const title = "Keeps the selection on this task as it moves from node to node";
  return h("div.buttons", {}, h("button.btn", { type: "button", title, onclick: start }, "Follow this task"));
}

/** The head of a table of work that can be asked about: its first column holds names, the others numbers. */
export function heads(...names: string[]): TemplateResult {
  return html`<tr>${names.map((name, i) => html`<th scope="col" class=${i > 0 ? "n" : ""}>${name}</th>`)}<th scope="col"><span
    class="hidden">why here</span></th></tr>`;
}

/** A button that asks why the work with an id is where it is. */
export function whyButton(id: string, title: string, what: string, ask: () => void): TemplateResult {
  return html`<button type="button" class="link why-here" id=${`why-${id}`} title=${title} aria-label=${`Why is ${what} here?`}
    @click=${ask}>?</button>`;
}

/** Asks why a task is on a node, and writes the answer; what it returns ends that. close leaves what is written. */
export function tellWhy(
  body: HTMLElement,
  store: Store<"engine" | "run" | "reported" | "look" | "chosen">,
  task: string,
  node: number,
  name: string,
  called: string,
  close: () => void,
): () => void {
  render(html`<p class="quiet">Asking the simulation …</p>`, body);
  store.set({ why: undefined });
  let asked = true;
  const stop = store.watch(["why"], () => {
    const { why } = store.state;
    if (why?.task !== task) return;
    if (why.of !== undefined) return render(search(why.done ?? 0, why.of, close), body);
    asked = false;
    if (!why.decision) return render(html`<p>${called}: ${why.why ?? "nothing is remembered"}.</p>`, body);
    render(explain(store, why.decision, name, node, close), body);
  });
  store.send({ type: "explain", task });
  return () => {
    stop();
    if (asked) store.send({ type: "explain", task: NOBODY });
  };
}

/** How far the second run is that looks for a decision which the first one does not remember. */
function search(done: number, of: number, cancel: () => void): TemplateResult {
  return html`<p>Replaying the run to ${clock(of)} to find out …</p>
    <progress max="100" aria-label="Done" value=${done > 0 ? percent(done, of) : nothing}></progress>
    <div class="buttons end"><button type="button" class="btn" @click=${cancel}>Cancel</button></div>`;
}

/** What a candidate would have carried with the task: CPU and memory, and what that makes of it. */
function becoming({ after, class: kind }: Candidate, store: Store<"engine" | "run">): Drawn {
  if (!after) return "—";
  return html`${after.map((part) => `${Math.round(100 * part)} %`).join(" · ")}<span class="quiet"> ${explained(kind ?? "", store, "none")}</span>`;
}

function explain(
  store: Store<"engine" | "run" | "reported" | "look" | "chosen">,
  decision: Decision,
  name: string,
  node: number,
  close: () => void,
): TemplateResult {
  const go = (to: number) => () => {
    close();
    select(store, to);
    focus(store);
  };
  const become = decision.candidates.some(({ after }) => after !== undefined);
  const system = systemOf(store.state);
  const row = (candidate: Candidate) => {
    const { sign, words } = answer(candidate, system);
    const chosen = candidate.answer === CHOSEN;
    const called = nameOf(candidate, nodeName(system));
    return html`<tr class=${chosen ? "chosen" : ""}>
      <th scope="row"><button type="button" class="link num" aria-label=${`Show ${called}`} @click=${go(candidate.node)}>${called}</button></th>
      <td class="n">${candidate.score !== 0 ? digits(candidate.score) : "—"}</td>
      ${become ? html`<td class="n">${becoming(candidate, store)}</td>` : nothing}
      <td><span class="sign" aria-hidden="true">${sign}</span>${
        chosen ? html`<b>${explained(words, store)}</b>` : html`<span>${explained(words, store, "none")}</span>`
      }</td></tr>`;
  };
  const between = goBetween(system);
  const said = logOf(store, decision.ref ?? 0);
  const drawn = sequence(decision.messages);
  return html`<p class="sentence">${sentence(decision, name, node, between ? `a ${between}` : "the scheduler", nodeName(system))}</p>
    ${decision.rule ? html`<p class="rule"><b>Rule: </b>${explained(decision.rule, store)}.</p>` : nothing}
    <div class="candidates" tabindex="0" role="region" aria-label="Candidates"><table>
      <thead><tr><th scope="col">candidate</th><th class="n" scope="col">${explained(system?.score ?? "score", store)}</th>
        ${become ? html`<th class="n" scope="col">would carry</th>` : nothing}<th scope="col">outcome</th></tr></thead>
      <tbody>${ranked(decision).map(row)}</tbody></table></div>
    ${drawn ? html`<h3>Messages</h3>${drawn}` : nothing}
    ${said ? html`<h3>In the agents' words</h3>${said}` : nothing}`;
}
