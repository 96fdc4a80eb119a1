// Formulas over the nodes of the map: the filter where it is none of the map's own words,
// and what fills the cells. The engine checks and evaluates them; the page shows what it
// answers.
import type { ToWorker } from "../base/messages.ts";
import { wordsOf } from "./nodes.ts";
import type { Scored, State, Store } from "./store.ts";

/** The id of the layer that a formula fills. */
export const FORMULA = "formula";

/** What the engine is asked. */
function askedOf({ filter, layers, fill, score, task }: State<"reported" | "look" | "chosen">): Extract<ToWorker, { type: "formulas" }> {
  return {
    type: "formulas",
    where: wordsOf(layers, filter) ? "" : filter.trim(),
    score: fill === FORMULA ? score : "",
    ...(task ? { task } : {}),
  };
}

/** Asks the engine whenever a formula changes, and again when another run is there. */
export function followFormulas(store: Store<"reported" | "look" | "chosen">): () => void {
  let sent = "";
  return store.watch(["filter", "fill", "score", "task", "layers", "scored"], () => {
    const { layers, scored } = store.state;
    const asked = askedOf(store.state);
    const text = JSON.stringify(asked);
    const idle = asked.where === "" && asked.score === "";
    if (layers.length === 0 || (scored ? text === sent : idle)) return;
    sent = text;
    store.send(asked);
  });
}

/** Takes the engine's answer; a score is a layer beside those of the run. */
export function takeScored(store: Store<"reported" | "chosen">, scored: Scored): void {
  const { layers, score } = store.state;
  const others = layers.filter(({ id }) => id !== FORMULA);
  const own = scored.ends.length > 0 ? [{ id: FORMULA, name: "Score", unit: `${score}: ${scored.unit}`, ends: scored.ends }] : [];
  const same = JSON.stringify(layers.slice(others.length)) === JSON.stringify(own);
  store.set({ scored, kept: new Uint8Array(scored.keep), ...(same ? {} : { layers: [...others, ...own] }) });
}
