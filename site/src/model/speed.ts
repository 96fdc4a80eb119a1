// How fast the run is played.
import type { Store } from "./store.ts";

/** The speeds of the ladder in simulated seconds a second; 0 is as fast as it goes. */
export const SPEEDS = [1, 10, 60, 300, 600, 1800, 3600, 7200, 21_600, 86_400, 0];

/** Sets the speed, at once on the screen as well: while the run is paused the engine says nothing. */
export function setSpeed(store: Store<"reported">, speed: number): void {
  store.send({ type: "speed", speed });
  if (store.state.status) store.set({ status: { ...store.state.status, speed } });
}
