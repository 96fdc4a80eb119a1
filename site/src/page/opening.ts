// What the page opens with by itself: the recording of its first scenario is on the
// stage while the simulation comes.
import { opensFirst } from "../base/first.ts";
import { readKeyframes } from "../base/keyframes.ts";
import { Preview } from "../model/preview.ts";
import type { Store } from "../model/store.ts";

const PATIENCE = 5000; // ms; without the recording the run is shown from its start

/** Shows the recording, if the address leaves the run to the page; undefined where there is none. */
export async function showPreview(store: Store<"run" | "reported" | "look">): Promise<Preview | undefined> {
  if (!opensFirst(location.hash)) return undefined;
  try {
    const response = await fetch("keyframes.bin", { signal: AbortSignal.timeout(PATIENCE) });
    if (!response.ok) return undefined;
    return new Preview(store, await readKeyframes(await response.blob()));
  } catch {
    return undefined;
  }
}
