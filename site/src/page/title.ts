// The tab's title says what is shown.
import { titleOf } from "../model/scenario.ts";
import type { Store } from "../model/store.ts";

const MOST = 80; // characters of a name: it may come from a link

export function startTitle(store: Store<"engine" | "run" | "page">): () => void {
  const usual = document.title;
  return store.watch(["scenario", "systems", "bases"], () => {
    const { scenario, systems, base, bases } = store.state;
    const name = titleOf(scenario, bases[base]);
    if (!scenario) return;
    const system = systems.find(({ id }) => id === scenario.system)?.name ?? scenario.system;
    document.title = name ? `${name.slice(0, MOST)} · ${system} · Parley` : usual;
  });
}
