// The tab's title says what is shown.
import type { Store } from "../model/store.ts";

const MOST = 80; // characters of a name: it may come from a link

export function startTitle(store: Store<"engine" | "run">): () => void {
  const usual = document.title;
  return store.watch(["scenario", "systems"], () => {
    const { scenario, systems } = store.state;
    if (!scenario) return;
    const system = systems.find(({ id }) => id === scenario.system)?.name ?? scenario.system;
    document.title = scenario.name ? `${scenario.name.slice(0, MOST)} · ${system} · Parley` : usual;
  });
}
