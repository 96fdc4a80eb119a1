// What a class may change of a scenario, and what was changed.
import type { ToWorker } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { same } from "./scenario.ts";
import type { State } from "./store.ts";

/** Whether a field may be changed: every one where the scenario says nothing of it. */
export function may(scenario: Scenario | undefined, path: string): boolean {
  const allowed = scenario?.may_change ?? [];
  return allowed.length === 0 || allowed.some((one) => path === one || path.startsWith(`${one}.`));
}

/** The fields that a class may change, as a sentence says them. */
export function allowedWords(scenario: Scenario | undefined): string {
  return (scenario?.may_change ?? []).map((path) => path.replace(/^settings\./, "")).join(", ");
}

/** A field that differs from the scenario of the gallery. */
export interface Changed {
  path: string;
  from: unknown; // undefined: left out
  to: unknown;
  allowed: boolean;
}

/** Fields that change no result. */
const UNPLAYED = ["name", "about", "notes", "may_change", "view"];

/** What changes a result and differs between two scenarios, in the order of the paths. */
export function changesOf(base: Scenario, scenario: Scenario): Changed[] {
  const [before, after] = [leavesOf(base), leavesOf(scenario)];
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => !same(before.get(path), after.get(path)))
    .sort()
    .map((path) => ({ path, from: before.get(path), to: after.get(path), allowed: may(scenario, path) }));
}

function leavesOf(scenario: Scenario): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const add = (path: string, value: unknown) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return void leaves.set(path, value);
    for (const [name, part] of Object.entries(value)) add(path ? `${path}.${name}` : name, part);
  };
  add("", Object.fromEntries(Object.entries(scenario).filter(([name]) => !UNPLAYED.includes(name))));
  return leaves;
}

/** Why a message is not sent: it would change what the class may not; "" where it may. */
export function refusal({ scenario }: Pick<State, "scenario">, message: ToWorker): string {
  if (message.type !== "fault" || may(scenario, "faults")) return "";
  return `In this exercise nothing can be broken or repaired. You may change: ${allowedWords(scenario)}.`;
}
