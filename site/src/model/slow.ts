// Time slows while a fault heals, most in its first second: the engine does it (core/play),
// where the viewer did not switch it off. A moment that somebody shared is replayed as it was.
import { all, type Store } from "./store.ts";

export function followCareful(store: Store<"run" | "reported" | "look">): () => void {
  const tell = () => {
    const { layers, careful, replayed, reducedMotion } = store.state;
    if (layers.length > 0) store.send({ type: "slow_healing", on: careful && !replayed, stretch: !reducedMotion });
  };
  return all(store.watch(["layers", "careful"], tell));
}
