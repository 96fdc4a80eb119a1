// Scenarios as differences from a scenario of the gallery: what a link's keys
// say, applied to it and read back from it. core/scenario does the same in Go,
// and core/scenario/testdata/links.txt holds both to it.
import { number } from "../base/format.ts";
import type { Scenario } from "../base/scenario.ts";
import { type Address, FIELD, MAX_NODES, MIN_NODES, MOST_FORMULA, MOST_NAME, type Scalar, scalar } from "./address.ts";
import { faultsMeant } from "./faultkey.ts";

/** The parts of an address that a scenario decides. */
export type Difference = Pick<Address, "base" | "name" | "system" | "nodes" | "seed" | "settings" | "faults" | "may" | "packed" | "fill">;

/** What fills the cells by default. */
export const USUAL_FILL = "cpu";

/** The fill that a scenario begins with. */
export function usualFill(scenario: Scenario | undefined): string {
  const fill = scenario?.view?.fill;
  return typeof fill === "string" ? renamedFill(fill) : USUAL_FILL;
}

/** A layer's present name, also by the one that older links have. */
export function renamedFill(fill: string): string {
  return fill.replace(/^(cpu|memory)_reserved$/, "$1_requested");
}

/** A gallery's scenario with an address's keys in it. */
export function applyKeys(
  base: Scenario,
  keys: Omit<Difference, "base" | "packed" | "fill" | "settings"> & { settings: Record<string, unknown> },
): Scenario {
  const scenario = structuredClone(base);
  if (keys.system !== undefined && keys.system !== scenario.system) {
    scenario.system = keys.system;
    delete scenario.settings; // they belonged to the other system
    delete scenario.program;
  }
  if (keys.name !== undefined) scenario.name = keys.name;
  if (keys.seed !== undefined) scenario.seed = keys.seed;
  if (keys.nodes !== undefined) scenario.cluster = { ...scenario.cluster, nodes: keys.nodes };
  if (keys.faults !== undefined) scenario.faults = keys.faults.map((fault) => ({ ...fault }));
  if (keys.may) scenario.may_change = [...keys.may];
  for (const [id, value] of Object.entries(keys.settings)) scenario.settings = withSetting(scenario.settings, id, value);
  return scenario;
}

/** A scenario that is looked at by a fill, as an address: keys where they can say it, else the whole. */
export function linkTo(scenario: Scenario, fill: string, id: string, base: Scenario | undefined): Difference {
  const keys = base && differences(base, scenario);
  if (keys) return { ...keys, base: id, fill: fill === usualFill(base) ? undefined : fill };
  return { settings: {}, packed: plain(scenario), fill: fill === USUAL_FILL ? undefined : fill };
}

/** The keys that turn a scenario of the gallery into another; undefined where keys cannot. */
function differences(base: Scenario, scenario: Scenario): Omit<Difference, "base" | "packed" | "fill"> | undefined {
  const keys: Difference = { settings: {} };
  if ((scenario.name?.length ?? 0) > MOST_NAME) return undefined;
  if (scenario.name !== base.name) keys.name = scenario.name;
  if (scenario.system !== base.system) keys.system = scenario.system;
  if (scenario.seed !== base.seed) keys.seed = scenario.seed;
  const nodes = numberIn(scenario.cluster, "nodes");
  if (nodes !== base.cluster?.nodes) {
    if (nodes === undefined || nodes < MIN_NODES || nodes > MAX_NODES) return undefined;
    keys.nodes = nodes;
  }
  const faults = faultsMeant(scenario.faults);
  if (!same(faults ?? scenario.faults, faultsMeant(base.faults) ?? base.faults)) {
    if (!faults) return undefined;
    keys.faults = faults;
  }
  if (scenario.may_change?.length && !same(scenario.may_change, base.may_change)) keys.may = scenario.may_change;
  const before = scenario.system === base.system ? base.settings : undefined;
  return addSettings(keys.settings, "", before, scenario.settings) && same(meant(applyKeys(base, keys)), meant(scenario))
    ? keys
    : undefined;
}

/** Settings with one of them changed; what is inside others stays. */
export function withSetting(settings: Record<string, unknown> | undefined, id: string, value: unknown): Record<string, unknown> {
  const [name, ...rest] = id.split(".");
  const inner = settings?.[name];
  return { ...settings, [name]: rest.length === 0 ? value : withSetting(isRecord(inner) ? inner : {}, rest.join("."), value) };
}

/** Adds the settings that differ from others, by their paths, as in formula.score; false where keys cannot say them. */
function addSettings(keys: Address["settings"], path: string, before: unknown, after: Record<string, unknown> = {}): boolean {
  return Object.entries(after).every(([name, value]) => {
    const was = isRecord(before) ? before[name] : undefined;
    const id = path + name;
    if (same(value, was)) return true;
    if (isRecord(value) && Object.keys(value).length > 0) return addSettings(keys, `${id}.`, was, value);
    if (!isScalar(value) || String(value).length > MOST_FORMULA || scalar(String(value)) !== value || !FIELD.test(id)) return false;
    keys[id] = value;
    return true;
  });
}

/** Whether two values are the same JSON, whatever the order of their keys. */
export function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** A scenario's name; of a gallery's scenario on another cluster that is not its name any more, but what the cluster is. */
export function titleOf(scenario: Scenario | undefined, base: Scenario | undefined): string | undefined {
  if (!base || !scenario || scenario.name !== base.name || same(scenario.cluster, base.cluster)) return scenario?.name;
  const nodes = numberIn(scenario.cluster, "nodes");
  return nodes === undefined ? undefined : number(nodes, "node");
}

/** A number that a scenario's section holds, such as cluster.nodes. */
export function numberIn(section: Record<string, unknown> | undefined, name: string): number | undefined {
  const value = section?.[name];
  return typeof value === "number" ? value : undefined;
}

export function isScalar(value: unknown): value is Scalar {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A scenario without its view and without settings that say nothing. */
function plain(scenario: Scenario): Scenario {
  const copy = structuredClone(scenario);
  delete copy.view;
  if (copy.settings && Object.keys(copy.settings).length === 0) delete copy.settings;
  return copy;
}

/** What a scenario means, for comparing. */
function meant(scenario: Scenario): Scenario {
  return { ...plain(scenario), faults: (faultsMeant(scenario.faults) as Record<string, unknown>[] | undefined) ?? scenario.faults };
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, part]) => part !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, part]) => [key, sorted(part)]),
  );
}
