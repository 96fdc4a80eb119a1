// The way to the panel that breaks things, which comes when it is first wanted.
import type { Store } from "../../../model/store.ts";

let mounted: Promise<unknown> | undefined;

/** Opens the panel, or closes it. */
export function toggleBreaker(store: Store): void {
  const panel = document.getElementById("breaker");
  if (!panel) return;
  mounted ??= import("./breaker.ts").then(({ mountBreaker }) => mountBreaker(panel, store, () => toggleBreaker(store)));
  mounted.then(
    () => toggle(panel),
    () => {
      mounted = undefined;
      store.set({ notice: "Could not load Break or repair: the server is unreachable. Try again." });
    },
  );
}

function toggle(panel: HTMLElement): void {
  panel.hidden = !panel.hidden;
  const button = document.getElementById("break");
  button?.setAttribute("aria-expanded", String(!panel.hidden));
  if (panel.hidden) button?.focus();
  else panel.querySelector("input")?.focus();
}
