// Which systems can play the scenario on the page: the same machines, workload,
// seed and faults under another policy.
import { capital } from "../base/format.ts";
import type { SystemInfo } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import { actInWords, faultKinds } from "./faults.ts";
import { applyKeys } from "./scenario.ts";
import { policyOf, policySetting, workOf } from "./systems.ts";

/** A way to schedule the scenario. */
export interface Rival {
  id: string; // of the system, and ".worst-fit" where it is a family of policies
  name: string;
  scenario: Scenario;
}

/** The scenario as it is, the others that can play it, and in a sentence each which systems cannot, or know nothing of something that is done in it. */
export interface Contest {
  own: Rival;
  others: Rival[];
  absent: string[];
}

/** What is known of a scenario's work beside what it says: its shape once it runs, and whether files bring it. */
export interface Brought {
  shape: string; // "": not known
  files: boolean;
}

/** What can be compared with a scenario; undefined while its system is not known. */
export function contestOf(
  scenario: Scenario | undefined,
  systems: SystemInfo[],
  brought: Brought = { shape: "", files: false },
): Contest | undefined {
  const system = systems.find(({ id }) => id === scenario?.system);
  if (!scenario || !system) return undefined;
  const own = { ...rival(scenario, system, policyOf(scenario, system)), scenario };
  const { shape, own: alone } = workOf(scenario, system);
  const devices = policySetting(system)?.devices.includes(policyOf(scenario, system)) ?? false;
  const work = { shape: (!alone && brought.shape) || shape, own: alone, files: brought.files, devices };
  const absent: string[] = [];
  const others: Rival[] = [];
  for (const other of systems.filter((one) => one === system || !one.replays)) {
    const why = other === system ? "" : hindrance(work, system, other);
    if (why) {
      absent.push(why);
      continue;
    }
    const missed = other === system ? "" : without(scenario, system, other);
    if (missed) absent.push(missed);
    const unfit = unfitPolicies(work, other);
    absent.push(...unfit.flatMap(({ why: says }) => says));
    const left = unfit.flatMap(({ policies }) => policies);
    for (const policy of policySetting(other)?.words ?? [""]) if (!left.includes(policy)) others.push(rival(scenario, other, policy));
  }
  return { own, others: others.filter(({ id }) => id !== own.id), absent };
}

/** Why a system cannot play what another one plays, in a sentence, or "". */
function hindrance(work: { shape: string; own: boolean }, system: SystemInfo, other: SystemInfo): string {
  if (!other.supports.includes(work.shape))
    return `${other.name} cannot be compared here: it schedules ${other.supports.join(" and ")}, and this scenario has ${work.shape}.`;
  if (work.own) return `${other.name} cannot be compared here: only ${lower(system.name)} can make this scenario's workload.`;
  if (other.provides === "always") return `${other.name} cannot be compared here: it has machines and a workload of its own.`;
  return "";
}

/** Which acts of a scenario mean nothing to another system, in a sentence, or "". */
function without({ faults = [] }: Scenario, system: SystemInfo, other: SystemInfo): string {
  const known = faultKinds(other).flatMap(({ id, revert }) => [id, revert]);
  const acts = faults
    .map(({ at, kind, target = "", value = 0 }) => ({ at: String(at), kind: String(kind), target: String(target), value: Number(value) }))
    .filter(({ kind }) => kind !== "cluster_grow" && !known.includes(kind));
  if (acts.length === 0) return "";
  const told = acts.slice(0, MOST_TOLD).map((act) => `${actInWords(act, system)} (${act.at})`);
  return `${other.name} does not support ${told.join(", ")}${acts.length > MOST_TOLD ? ` and ${acts.length - MOST_TOLD} more` : ""}: its run continues as if that had not happened.`;
}

const MOST_TOLD = 3; // acts of which a system knows nothing

/** The policies of a system that are for other work than the scenario's, or follow records that it has not, with a sentence on each kind. */
function unfitPolicies(
  { shape, files, devices }: { shape: string; files: boolean; devices: boolean },
  system: SystemInfo,
): { policies: string[]; why: string }[] {
  const lead = policySetting(system);
  if (!lead) return [];
  const out: { policies: string[]; why: string }[] = [];
  const put = (policies: string[], why: string) => {
    if (policies.length > 0)
      out.push({
        policies,
        why: `${system.name} cannot be compared here by ${policies.map((policy) => policy.replaceAll("-", " ")).join(", ")}: ${why}.`,
      });
  };
  for (const kind of new Set(Object.values(lead.for))) {
    if (kind !== shape)
      put(
        lead.words.filter((policy) => lead.for[policy] === kind),
        `they schedule ${kind}, and this scenario has ${shape}`,
      );
  }
  if (!files)
    put(
      lead.recorded.filter((policy) => (lead.for[policy] ?? shape) === shape),
      "that follows what a trace recorded, and no file is open",
    );
  if (!files && !devices)
    put(
      lead.devices.filter((policy) => lead.for[policy] === shape),
      "they place tasks on parts of GPUs, and no node here has GPUs",
    );
  return out;
}

/** Those that are compared by default: the first one of another system, else the first one. */
export function usualChoice({ own, others }: Contest): string[] {
  const first = others.find(({ scenario }) => scenario.system !== own.scenario.system) ?? others[0];
  return first ? [first.id] : [];
}

function rival(scenario: Scenario, system: SystemInfo, policy: string): Rival {
  const lead = policySetting(system);
  const said = lead && (policy !== lead.usual || scenario.system === system.id); // the usual one needs no word
  return {
    id: policy ? `${system.id}.${policy}` : system.id,
    name: policy ? `${system.name}, ${policy.replaceAll("-", " ")}` : system.name,
    scenario: applyKeys(scenario, { system: system.id, settings: said ? { [lead.id]: policy } : {} }),
  };
}

/** Names without the system that all of them begin with: "Central scheduler, best fit" and "Central scheduler, worst fit" are "Best fit" and "Worst fit". */
export function shortNames(names: string[]): string[] {
  const system = /^.*?, /.exec(names[0] ?? "")?.[0] ?? "";
  return system !== "" && names.every((name) => name.startsWith(system)) ? names.map((name) => capital(name.slice(system.length))) : names;
}

const lower = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
