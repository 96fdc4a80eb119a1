// Time slows while a fault heals: the engine does it (core/play), where the viewer did
// not switch it off; a moment that somebody shared is replayed as it was.
import { all, type Store } from "./store.ts";

/** Times real time that a run goes at most while a fault heals; core/play has the same. */
export const HEALING = 2;

export function followCareful(store: Store<"run" | "told" | "look">): () => void {
  const tell = () => {
    const { layers, careful, replayed } = store.state;
    if (layers.length > 0) store.send({ type: "careful", careful: careful && !replayed });
  };
  return all(store.watch(["layers", "careful"], tell));
}
