// A sweep of the run that is open, from a form: which fields are varied over which
// values, with how many seeds and until when.
import { duration, HOUR, MINUTE, parseDuration } from "../../../base/format.ts";
import type { Setting } from "../../../base/messages.ts";
import { parse } from "../../../base/pack.ts";
import type { Scenario } from "../../../base/scenario.ts";
import type { State } from "../../../model/store.ts";
import { policySetting, settingValue, systemOf, workOf } from "../../../model/systems.ts";

/** A field that can be varied. */
export interface Field {
  path: string; // in the scenario
  name: string;
  about: string;
  values: string; // to begin with, as they are typed
}

/** What is varied, as it was typed. */
export interface Form {
  axes: { path: string; values: string }[];
  seeds: string;
  until: string;
  compare: boolean; // with the first value of the first field
}

const MOST_VALUES = 4; // that are chosen before anybody did
const MOST_SEEDS = 1000;

type Open = Pick<State, "systems" | "scenario" | "resolvedScenario" | "traceFiles" | "status">;

/** The fields of the run that is open: its system's settings, and how much there is of what. */
export function fieldsOf(state: Open): Field[] {
  const system = systemOf(state);
  const { scenario } = state;
  if (!system || !scenario) return [];
  const settings = system.settings
    .map((one): Field => ({ path: `settings.${one.id}`, name: one.name, about: one.about, values: usualValues(one, scenario) }))
    .filter(({ values }) => values !== "");
  if (workOf(scenario, system).own || state.traceFiles.length > 0) return settings;
  const nodes = Number(state.status?.counts?.nodes ?? 1000);
  return [
    ...settings,
    { path: "workload.scale", name: "Load", about: "How much work arrives, as a multiple of the workload's own.", values: "0.8, 1, 1.2" },
    {
      path: "cluster.nodes",
      name: "Nodes",
      about: "How many machines there are.",
      values: [0.5, 1, 2].map((x) => Math.max(10, Math.round(x * nodes))).join(", "),
    },
  ];
}

/** A field's name by its path, which is its name where the form does not know it. */
export function nameOfField(state: Open, path: string): string {
  return fieldsOf(state).find((field) => field.path === path)?.name ?? path;
}

function usualValues(setting: Setting, scenario: Scenario): string {
  const now = settingValue(setting, scenario);
  if (setting.choices) return [String(now), ...setting.choices.filter((one) => one !== now)].slice(0, MOST_VALUES).join(", ");
  if (typeof now === "boolean") return "true, false";
  if (typeof now === "string") return now;
  if (setting.stops && setting.stops.length > 1) return setting.stops.slice(0, MOST_VALUES).join(", ");
  return typeof now === "number" ? String(now) : "";
}

/** What is in the form before anybody wrote in it. */
export function usualForm(state: Open): Form {
  const fields = fieldsOf(state);
  const system = systemOf(state);
  const lead = system && policySetting(system);
  const first =
    fields.find(({ path }) => lead && path === `settings.${lead.id}`) ??
    fields.find(({ path, values }) => path === "cluster.nodes" || values.includes(","));
  const second = fields.find(({ path }) => path === "workload.scale");
  return {
    axes: [first, second]
      .flatMap((field) => (field ? [{ path: field.path, values: field.values }] : []))
      .filter(({ path }, i, list) => i === list.findIndex((one) => one.path === path)),
    seeds: "3",
    until: duration(Math.min(state.status?.until ?? HOUR, 10 * MINUTE)),
    compare: true,
  };
}

/** The values of a field: "1, 2, 4" or "best-fit, worst-fit", or a range "0.8 to 1.2 by 0.1"; undefined where there are none. */
export function valuesOf(text: string): unknown {
  const range = /^(-?[\d.]+)\s*(?:…|\.\.+|to)\s*(-?[\d.]+)(?:\s*(?:by|step)\s*([\d.]+))?$/.exec(text.trim());
  if (range) {
    const [from, to, step] = [range[1], range[2], range[3] ?? "1"].map(Number);
    return [from, to, step].every(Number.isFinite) ? { from, to, ...(range[3] === undefined ? {} : { step }) } : undefined;
  }
  const values = text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  return values.length > 0
    ? values.map((part) =>
        part === "true" || part === "false" ? part === "true" : /^-?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(part) ? Number(part) : part,
      )
    : undefined;
}

/** What is wrong with a form: one sentence, or "". */
export function formTrouble({ axes, seeds, until }: Form): string {
  const bad = axes.find(({ values }) => valuesOf(values) === undefined);
  if (bad) return `Write values of ${bad.path}, such as 1, 2, 4 or 0.8 to 1.2 by 0.1.`;
  const count = Number(seeds);
  if (!Number.isInteger(count) || count < 1 || count > MOST_SEEDS) return `Write a number of seeds from 1 to ${MOST_SEEDS}.`;
  return parseDuration(until) === undefined ? "Write a time such as 1h30m." : "";
}

/** The sweep that a form asks for, as a document. */
export function documentOf({ axes, seeds, until, compare }: Form, { scenario, resolvedScenario, traceFiles }: Open): string {
  const open = traceFiles.length > 0 ? resolvedScenario : scenario; // only the engine knows files by their content
  const { name, about: _, view: __, seed: own, ...base } = open ?? { v: 1, system: "" };
  const first = resolvedScenario?.seed ?? own ?? 1;
  const document = {
    v: 1,
    ...(name ? { name } : {}),
    base: { ...base, until },
    axes: Object.fromEntries(axes.map(({ path, values }) => [path, valuesOf(values)])),
    seeds: { from: first, to: first + Number(seeds) - 1 },
    ...(compare && axes.length > 0 ? { compare: { axis: axes[0].path } } : {}),
  };
  return JSON.stringify(document, null, 2) + "\n";
}

/** What a file is to a sweep: the document, results of one, or neither. */
export function kindOfFile(name: string, text: string): "sweep" | "results" | "" {
  try {
    const value = parse(/\.jsonl$/i.test(name) ? text.slice(0, text.indexOf("\n") + 1 || undefined) : text, true);
    if (typeof value !== "object" || value === null) return "";
    if ("figures" in value && "digest" in value && "id" in value) return "results";
    return "base" in value && "v" in value ? "sweep" : "";
  } catch {
    return "";
  }
}
