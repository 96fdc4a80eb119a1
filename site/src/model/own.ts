// A scheduler of the user's own, a program or a formula: it takes the place of the one
// that ran before, and is compared with that.
import type { SystemInfo } from "../base/messages.ts";
import type { Scenario, Scheduler } from "../base/scenario.ts";
import { present } from "./engine.ts";
import { contestOf, type Rival } from "./rivals.ts";
import { open } from "./run.ts";
import { same, withSetting } from "./scenario.ts";
import type { State, Store } from "./store.ts";
import { policySetting, settingValue, systemOf } from "./systems.ts";

const idOf = (scenario: Scenario | undefined, { systems, shape, traceFiles }: State<"engine" | "run">) =>
  contestOf(scenario, systems, { shape, files: traceFiles.length > 0 })?.own.id ?? "";

/** Runs a scenario with a scheduler of the user's own from its start. */
export function runOwn(store: Store<"engine" | "run" | "reported" | "look" | "page">, scenario: Scenario): void {
  const now = store.state.scenario;
  const ran = idOf(now, store.state);
  const former = now && (now.program !== undefined || formulasOf(store.state)) ? schedulerOf(now) : undefined;
  const other = former ? !same(former, schedulerOf(scenario)) : ran !== idOf(scenario, store.state);
  store.set({ trouble: undefined, ...(ran && other ? (former ? { former } : { before: ran }) : {}) });
  open(store, scenario, { base: "", files: store.state.traceFiles, play: true });
}

const schedulerOf = ({ system, settings, program }: Scenario): Scheduler => ({ system, settings, program });

/** What comparisons call the program or formula that ran before the present one. As the other courses of a run, this page alone knows it. */
const FORMER = "course.former";

/** The program or formula that ran before the present one. */
export function formerOf({ former, scenario }: State<"run">): Rival[] {
  if (!former || !scenario || same(former, schedulerOf(scenario))) return [];
  return [{ id: FORMER, name: former.program ? "The program before" : "The formula before", scenario: { ...scenario, ...former } }];
}

/** What the scheduler of the user's own is compared with, in words; "" if nothing ran before it. */
export function beforeName(state: State<"engine" | "run">): string {
  const [system, policy = ""] = state.before.split(".");
  const before = policy ? policy.replaceAll("-", " ") : (state.systems.find(({ id }) => id === system)?.name.toLowerCase() ?? "");
  return [before, ...formerOf(state).map(({ name }) => name.toLowerCase())].filter((name) => name).join(" and ");
}

/** Opens the comparison with what ran before. */
export function compareOwn(store: Store<"run" | "page">): void {
  const rivals = [store.state.before, ...formerOf(store.state).map(({ id }) => id)].filter((id) => id);
  store.set({ place: "compare", ...(rivals.length > 0 ? { comparison: { rivals } } : {}) });
}

/** The functions over the nodes that are up. */
export const OVER = ["mean", "max", "p95", "sum"] as const;

/** Records a figure of all nodes from the start of the run, which goes on at its present moment; "" removes it. */
export function setChart(store: Store<"run" | "reported" | "look" | "chosen" | "page">, chart: string): void {
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
export function formulasOf(state: State<"engine" | "run">): { where: string; score: string } | undefined {
  const of = formulaSettings(systemOf(state));
  if (!of || state.scenario?.settings?.[of.policy] !== of.word) return undefined;
  return { where: String(settingValue(of.where, state.scenario)), score: String(settingValue(of.score, state.scenario)) };
}
