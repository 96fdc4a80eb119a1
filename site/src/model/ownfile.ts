// Files that are for this page and not for the simulation: an instance or a platform alone
// opens Plan, a program runs in place of the scheduler.
import type { PlanKind } from "./instances.ts";
import { runOwn } from "./own.ts";
import { sizeOf, withProgram } from "./program.ts";
import type { Store } from "./store.ts";

const MOST = 64 << 20; // bytes that Plan reads

/** What a text is to Plan; undefined if it is none of its documents. */
export function planKindOf(text: string): PlanKind | undefined {
  if (/^\s*</.test(text)) return /<platform\s/.test(text.slice(0, 4096)) ? "load" : undefined;
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    const { workers, hosts, jobs } = JSON.parse(text) as Record<string, unknown>;
    return Array.isArray(workers) ? "load" : typeof hosts === "number" && Array.isArray(jobs) ? "jobs" : undefined;
  } catch {
    return undefined;
  }
}

/** Takes such a file; false if it is none. */
export async function takeOwn(store: Store<"engine" | "run" | "reported" | "look" | "page">, file: File): Promise<boolean> {
  const program = /\.star$/i.test(file.name);
  if (file.size > MOST || !(program || /\.(json|xml)$/i.test(file.name))) return false;
  const text = await file.text();
  if (program) {
    const { scenario, systems } = store.state;
    const own = scenario && withProgram(scenario, systems, text, []);
    const sentence = sizeOf(text).wrong;
    if (sentence) store.set({ trouble: { class: "setting", sentence: `${file.name}: ${sentence}` } });
    else if (own) {
      store.set({ place: "watch", tab: "program" });
      runOwn(store, own);
    }
    return own !== undefined;
  }
  const kind = planKindOf(text);
  if (kind) store.set({ place: "plan", planFile: { name: file.name, text, kind } });
  return kind !== undefined;
}
