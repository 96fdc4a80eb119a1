// Which systems can play the scenario on the page: the same machines, workload,
// seed and faults under another policy.
import type { Scenario, SystemInfo } from "../base/protocol.ts";
import { applyKeys } from "./scenario.ts";

/** A way to schedule the scenario. */
export interface Rival {
  id: string; // "central.worst-fit"; "negotiation" where a system is not a family of policies
  name: string;
  scenario: Scenario;
}

/** The scenario as it is, the others that can play it, and in a sentence each which systems cannot. */
export interface Contest {
  own: Rival;
  others: Rival[];
  absent: string[];
}

/** What can be compared with a scenario; undefined while its system is not known. */
export function contestOf(scenario: Scenario | undefined, systems: SystemInfo[]): Contest | undefined {
  const system = systems.find(({ id }) => id === scenario?.system);
  if (!scenario || !system) return undefined;
  const own = { ...rival(scenario, system, policyOf(scenario, system)), scenario };
  const bound = bindingOf(scenario, system);
  const absent: string[] = bound ? [bound] : [];
  const others: Rival[] = [];
  for (const other of systems) {
    if (other !== system && bound) continue;
    if (other !== system && other.bringsWorkload) absent.push(`${other.name} cannot be compared here: it brings machines and a workload of its own.`);
    else for (const policy of policiesOf(other)) others.push(rival(scenario, other, policy));
  }
  return { own, others: others.filter(({ id }) => id !== own.id), absent };
}

/** Those that are compared when nobody chose: the first one of another system, else the first one. */
export function usualChoice({ own, others }: Contest): string[] {
  const first = others.find(({ scenario }) => scenario.system !== own.scenario.system) ?? others[0];
  return first ? [first.id] : [];
}

/** Why only the scenario's own system can play its workload, or "". */
function bindingOf(scenario: Scenario, system: SystemInfo): string {
  if (scenario.workload?.system === undefined && !system.bringsWorkload) return "";
  return `Other systems cannot play this scenario: its workload is one that only ${lower(system.name)} can play.`;
}

/** The setting that makes a system a family of policies: its first one, where that is one of a few words. */
function leadOf({ settings, choices }: SystemInfo): { name: string; usual: string; words: string[] } | undefined {
  const [[name, usual] = ["", undefined]] = Object.entries(settings);
  const words = choices?.[name];
  return words && typeof usual === "string" ? { name, usual, words } : undefined;
}

function policiesOf(system: SystemInfo): string[] {
  return leadOf(system)?.words ?? [""];
}

function policyOf({ settings }: Scenario, system: SystemInfo): string {
  const lead = leadOf(system);
  const set = lead && settings?.[lead.name];
  return typeof set === "string" ? set : (lead?.usual ?? "");
}

function rival(scenario: Scenario, system: SystemInfo, policy: string): Rival {
  const lead = leadOf(system);
  const said = lead && (policy !== lead.usual || scenario.system === system.id); // the usual one needs no word
  return {
    id: policy ? `${system.id}.${policy}` : system.id,
    name: policy ? `${system.name}, ${policy.replaceAll("-", " ")}` : system.name,
    scenario: applyKeys(scenario, { system: system.id, settings: said ? { [lead.name]: policy } : {} }),
  };
}

const lower = (name: string) => name.charAt(0).toLowerCase() + name.slice(1);
