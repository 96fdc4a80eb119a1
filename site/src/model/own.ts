// A scheduler of the user's own, a program or a formula: it takes the place of the one
// that ran before, and is compared with that.
import type { SystemInfo } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { present } from "./engine.ts";
import { contestOf } from "./rivals.ts";
import { open } from "./run.ts";
import type { State, Store } from "./store.ts";
import { policySetting, settingValue, systemOf, withSetting } from "./systems.ts";

const idOf = (scenario: Scenario | undefined, { systems, shape, traceFiles }: State) =>
  contestOf(scenario, systems, { shape, files: traceFiles.length > 0 })?.own.id ?? "";

/** Runs a scenario with a scheduler of the user's own from its start. */
export function runOwn(store: Store, scenario: Scenario): void {
  const ran = idOf(store.state.scenario, store.state);
  store.set({ trouble: undefined, ...(ran && ran !== idOf(scenario, store.state) ? { before: ran } : {}) });
  open(store, scenario, { base: "", files: store.state.traceFiles, play: true });
}

/** What the scheduler of the user's own is compared with, in words; "" if nothing ran before it. */
export function beforeName({ before, systems }: State): string {
  const [system, policy = ""] = before.split(".");
  return policy ? policy.replaceAll("-", " ") : (systems.find(({ id }) => id === system)?.name.toLowerCase() ?? "");
}

/** Opens the comparison with what ran before. */
export function compareOwn(store: Store): void {
  const { before } = store.state;
  store.set({ place: "compare", ...(before ? { comparison: { rivals: [before] } } : {}) });
}

/** The functions over the nodes that are up. */
export const OVER = ["mean", "max", "p95", "sum"] as const;

/** Records a figure of all nodes from the start of the run, which goes on at its present moment; "" removes it. */
export function setChart(store: Store, chart: string): void {
  const now = present(store.state);
  if (!now) return;
  const { chart: _, ...scenario } = now.scenario;
  open(store, chart ? { ...scenario, chart } : scenario, { ...now, push: true });
  if (chart) store.set({ tab: "charts" });
}

/** The settings of a system that hold the formulas by which it chooses nodes, and the policy that reads them; undefined if it has none. */
function formulaSettings(system: SystemInfo | undefined) {
  const lead = system && policySetting(system);
  const where = system?.settings.find(({ formula }) => formula === "where");
  const score = system?.settings.find(({ formula }) => formula === "score");
  const word = score?.id.split(".")[0] ?? "";
  return lead?.words.includes(word) && where && score ? { policy: lead.id, word, where, score } : undefined;
}

/** The scenario with formulas in place of its scheduler; undefined where no system schedules by formulas. */
export function withFormulas(scenario: Scenario, systems: SystemInfo[], where: string, score: string): Scenario | undefined {
  const system = systems.find((one) => formulaSettings(one));
  const of = formulaSettings(system);
  if (!system || !of) return undefined;
  const { program: _, ...rest } = scenario;
  const kept = scenario.system === system.id ? scenario.settings : undefined;
  const settings = withSetting(withSetting({ ...kept, [of.policy]: of.word }, of.where.id, where), of.score.id, score);
  return { ...rest, system: system.id, settings };
}

/** The formulas that the running scheduler chooses nodes by; undefined if it has none. */
export function formulasOf(state: State): { where: string; score: string } | undefined {
  const of = formulaSettings(systemOf(state));
  if (!of || state.scenario?.settings?.[of.policy] !== of.word) return undefined;
  return { where: String(settingValue(of.where, state.scenario)), score: String(settingValue(of.score, state.scenario)) };
}
