// What the page asks of a system's description: nothing here or elsewhere on the
// page knows a system by its name.
import type { Chart, Layer, Role, Setting, SystemInfo } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { isRecord, isScalar } from "./scenario.ts";

/** The id of the column that a scenario's own chart draws. */
const OWN_CHART = "chart";

type Running = { systems: SystemInfo[]; scenario: Scenario | undefined };

/** The description of the system that runs. */
export function systemOf({ systems, scenario }: Running): SystemInfo | undefined {
  return systems.find(({ id }) => id === scenario?.system);
}

/** The systems that can be chosen: the one that plays recorded acts comes with their file. */
export function offered(systems: SystemInfo[]): SystemInfo[] {
  return systems.filter(({ replays }) => !replays);
}

/** A setting's value in a scenario: what it says, else the default. */
export function settingValue({ id, default: usual }: Setting, scenario: Scenario | undefined): unknown {
  let value: unknown = scenario?.settings;
  for (const name of id.split(".")) value = isRecord(value) ? value[name] : undefined;
  return value ?? usual;
}

/** How many agents of a role there are, by the setting that says so; undefined where each node has one. */
export function countOf(role: Role, system: SystemInfo, scenario: Scenario | undefined): number | undefined {
  if (role.on) return undefined;
  const setting = system.settings.find(({ id }) => id === role.setting);
  return setting ? Number(settingValue(setting, scenario)) : 1;
}

/** The setting that makes a system a family of policies: its first one, where that is one of a few words. */
export function policySetting({
  settings: [first],
}: SystemInfo):
  | { id: string; usual: string; words: string[]; for: Record<string, string>; recorded: string[]; devices: string[] }
  | undefined {
  if (!first?.choices || !isScalar(first.default)) return undefined;
  const { id, choices, recorded = [], devices = [] } = first;
  return { id, usual: String(first.default), words: choices, for: first.for ?? {}, recorded, devices };
}

/** The kind of work that a scenario brings to a system, and whether only that system can make it. */
export function workOf(scenario: Scenario, system: SystemInfo): { shape: string; own: boolean } {
  const own = system.provides === "always" || (scenario.workload?.system !== undefined && system.provides === "on_request");
  return { shape: own ? (policySetting(system)?.for[policyOf(scenario, system)] ?? system.supports[0] ?? "") : "tasks", own };
}

/** The policy of a scenario under a system: what it says, else the usual one. */
export function policyOf({ settings }: Scenario, system: SystemInfo): string {
  const lead = policySetting(system);
  const set = lead && settings?.[lead.id];
  return typeof set === "string" ? set : (lead?.usual ?? "");
}

/** The first system that schedules a kind of work and brings it. */
export function playerOf(shape: string, systems: SystemInfo[]): SystemInfo | undefined {
  return systems.find(({ supports, provides }) => supports.includes(shape) && provides !== undefined);
}

/** The scenario's own chart, then those of its system that are about a kind of work; all of them while that is not known. */
export function chartsOf({ shape, layers, ...running }: Running & { shape: string; layers: Layer[] }): Chart[] {
  const title = running.scenario?.chart;
  const own = title ? [{ title, lines: [{ column: OWN_CHART, name: "all nodes", tone: "accent" }] }] : [];
  const charts = systemOf(running)?.charts.filter(({ of }) => !of || !shape || of === shape) ?? [];
  const held = layers[0]?.devices && shape === "jobs" ? layers[0] : undefined; // processors are the devices of nodes
  const worded = ({ title, lines, ...chart }: Chart): Chart => {
    const of = held && lines[0].column === "cpu_used_pct" ? held : undefined;
    return of
      ? { ...chart, title: of.name, lines: lines.map((line) => ({ ...line, name: `${of.devices}s` })) }
      : { ...chart, title, lines };
  };
  return [...own, ...charts.map(worded)];
}

/** A tab of the drawer, and which systems can fill it; the others are for every system. */
const FITS: Record<string, (system: SystemInfo) => boolean> = {
  messages: ({ group }) => group !== undefined,
  tasks: ({ supports }) => supports.some((shape) => shape === "tasks" || shape === "jobs"),
  formula: ({ supports }) => supports.includes("tasks"),
  program: ({ supports }) => supports.includes("tasks"),
  graph: ({ views }) => views.includes("graph"),
  gantt: ({ views }) => views.includes("gantt"),
  bids: ({ views }) => views.includes("bids"),
  accounts: ({ views }) => views.includes("accounts"),
};

/** Whether the work is of tasks, which have classes and migrate; so it is while nothing is known of it. */
export function ofTasks(shape: string): boolean {
  return shape === "" || shape === "tasks";
}

/** Whether a tab applies to a system; all do while it is not known. */
export function applies(tab: string, system: SystemInfo | undefined): boolean {
  return !system || (FITS[tab]?.(system) ?? true);
}

/** The tab that a system opens on: its first view that is one, else the charts. */
export function firstTab({ views }: SystemInfo): string {
  return views.find((view) => view in FITS) ?? "charts";
}

/** The party between the nodes where decisions are sequences of messages: the first role that is not on each node. */
export function goBetween(system: SystemInfo | undefined): string | undefined {
  return system?.views.includes("sequence") ? system.agents.find(({ on }) => !on)?.name : undefined;
}

/** What a line's ref numbers, in words: "negotiation 12". */
export function groupName(running: Running, ref: number): string {
  return `${systemOf(running)?.group ?? "group"} ${ref}`;
}
