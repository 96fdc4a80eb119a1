// How the system that runs works: a drawing of who says what to whom, the same in
// sentences, and its words.
import { h } from "../base/dom.ts";
import type { Store } from "../model/store.ts";
import { systemOf } from "../model/systems.ts";
import { showDialog } from "./dialog.ts";
import { diagram } from "./sequence.ts";

/** What stands in how/ID.json, as tools/build checked it. */
interface How {
  parties: string[];
  steps: { from: number; to: number; message: string; means: string }[];
  after: string;
}

const COLUMN = 116; // CSS pixels between two parties
const ROOM = { margin: 52, words: 270 }; // before the first, and beside the last

export async function showHow(store: Store<"engine" | "run" | "page">): Promise<void> {
  const system = systemOf(store.state);
  if (!system) return;
  const response = await fetch(`how/${system.id}.json`).catch(() => undefined);
  if (!response?.ok && response?.status !== 404)
    return store.set({
      notice: `Could not load how ${system.name} works: the server ${response ? `answers ${response.status}` : "is unreachable"}. Try again.`,
    });
  const { parties, steps, after }: How = response.ok ? await response.json() : { parties: [], steps: [], after: "" }; // there is none
  const arrows = steps.map(({ from, to, message }, i) => ({ from, to, text: `${i + 1}  ${message}`, kind: "plain" as const }));
  const label = `${parties.join(", ")}: ${steps.length} steps, also in the list below`;
  const terms = (system.terms ?? []).filter(
    ({ words }) => steps.length === 0 || steps.some(({ means }) => words.some((word) => means.includes(word))),
  );
  showDialog("how", `${system.name}: how it works`, [
    h("p", {}, system.about),
    steps.length > 0 &&
      h("div.sequence", { tabindex: 0, role: "region", "aria-label": "Drawing" }, diagram(parties, arrows, COLUMN, label, ROOM)),
    h(
      "ol",
      {},
      ...steps.map(({ from, to, message, means }) =>
        h("li", {}, h("b", {}, `${parties[from]}${from === to ? "" : ` → ${parties[to]}`}: ${message}`), " – ", means),
      ),
    ),
    h("p", {}, after),
    terms.length > 0 && h("h3", {}, "Its words"),
    terms.length > 0 && h("dl.words", {}, ...terms.flatMap(({ words, means }) => [h("dt", {}, words[0]), h("dd", {}, means)])),
    system.paper !== undefined && h("p.quiet", {}, `After ${system.paper}`),
  ]);
}
