// What can be broken and what is broken at present: the faults of the scenario
// up to now, checked against what the map shows.
import { capital, number, parseDuration } from "../base/format.ts";
import type { Frame } from "../base/frame.ts";
import type { AgentFault, Incident, Layer, SystemInfo, ToWorker } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import type { Grid } from "./grid.ts";
import type { State } from "./store.ts";
import { systemOf } from "./systems.ts";

export type FaultMessage = Extract<ToWorker, { type: "fault" }>;

/** Something that is broken, and what mends it. */
export interface Broken {
  id: string; // kind and target
  what: string; // in words
  since: number; // µs
  heal: Omit<FaultMessage, "type">;
}

/** The faults that every cluster knows, in the form of those that agents know. */
const PHYSICAL: AgentFault[] = ["node", "rack"].map((target) => ({
  id: `${target}_down`,
  revert: `${target}_up`,
  name: "Fail",
  repair: "Restore",
  label: "is down",
  target,
}));

/** The kinds of fault that can happen under a system. */
export function faultKinds(system: SystemInfo | undefined): AgentFault[] {
  return [...PHYSICAL, ...(system?.agents ?? []).flatMap(({ faults }) => faults)];
}

/** Whether a fault of a scenario breaks something under a system, rather than mending it. */
export function breaks({ kind, value }: Record<string, unknown>, system?: SystemInfo): boolean {
  const known = faultKinds(system).find(({ id }) => id === kind);
  return known !== undefined && known.setting === undefined && (known.revert !== undefined || Number(value) > 0);
}

/** Whether a fault's target exists: a fault of a rack or a node that the cluster does not have does nothing. */
export function exists(target: string, grid: Grid | undefined): boolean {
  const [what, which] = target.split(".");
  if (!grid) return true;
  if (what === "rack") return grid.layout.rack.includes(Number(which));
  return what !== "node" || Number(which) < grid.cells;
}

/** What people call a node of a system. */
export function nodeName(system: SystemInfo | undefined): string {
  return system?.node ?? "node";
}

/** What people call the target of a fault: "worker 4", "rack 3", or the zone that the rack is, "site KTH". */
export function targetName(target: string, system: SystemInfo | undefined, grid: Grid | undefined): string {
  const zone = grid?.layout.zones?.find(({ rack }) => target === `rack.${rack}`);
  return zone ? `${system?.zone} ${zone.name}` : target.replace(/^node(?=\.)/, nodeName(system)).replace(".", " ");
}

/** The target of the fault that an incident is. */
export function targetOf({ nodes, rack, node }: Incident): string {
  return nodes > 1 ? `rack.${rack}` : `node.${node}`;
}

/** The faults of a scenario that are in force at a time under a system, the first ones first. */
export function inForce(scenario: Scenario | undefined, at: number, system?: SystemInfo, grid?: Grid): Broken[] {
  const kinds = faultKinds(system);
  const known = (scenario?.faults ?? []).map((fault) => ({
    at: parseDuration(String(fault.at)) ?? 0,
    kind: String(fault.kind),
    target: String(fault.target ?? ""),
    value: Number(fault.value ?? 0),
  }));
  const broken = new Map<string, Broken>();
  for (const { at: since, kind: id, target, value } of known.filter((fault) => fault.at <= at).sort((a, b) => a.at - b.at)) {
    const kind = kinds.find((one) => one.id === id || one.revert === id);
    if (!kind || kind.setting !== undefined) continue; // another system knows it, or nothing is broken
    const key = kind.revert === undefined ? id : `${kind.id} ${target}`;
    if (kind.revert === id || (kind.revert === undefined && value === 0)) broken.delete(key);
    else if (kind.revert === undefined) {
      broken.delete(key);
      broken.set(key, { id, what: `${kind.name}: ${amount(kind, value)}`, since, heal: { kind: id, target: kind.target, value: 0 } });
    } else if (!broken.has(key)) {
      const who = targetName(kind.unique ? kind.target : target, system, grid);
      broken.set(key, {
        id: key.replaceAll(/[. ]/g, "-"),
        what: `${who} ${kind.label ?? "is broken"}`,
        since,
        heal: { kind: kind.revert, target },
      });
    }
  }
  return [...broken.values()];
}

/** Whether a value is a share, which people read in percent. */
export function isShare({ value, unit }: AgentFault): boolean {
  return !unit && value?.min === 0 && value.max === 1;
}

/** What somebody did, in words: "rack 137 is down", "node 4: Restore". */
export function actInWords(
  { kind: id, target, value }: { kind: string; target: string; value: number },
  system: SystemInfo | undefined,
  grid?: Grid,
): string {
  const kind = faultKinds(system).find((one) => one.id === id || one.revert === id);
  const who = targetName(target, system, grid);
  if (id === "cluster_grow") return `${number(value, nodeName(system))} ${value === 1 ? "is" : "are"} added`;
  if (!kind) return `${id} ${who}`.trim();
  if (kind.revert === undefined) return `${kind.name}: ${amount(kind, value)}`;
  return kind.revert === id ? `${who}: ${kind.repair ?? "mended"}` : `${who} ${kind.label ?? "is broken"}`;
}

/** What a fault that somebody makes will do, or why it does nothing. */
export function answerTo(
  act: { kind: string; target: string; value: number },
  state: Pick<State, "systems" | "scenario" | "resolvedScenario" | "status" | "frame" | "layers" | "grid">,
): { text: string; done: boolean } {
  const system = systemOf({ systems: state.systems, scenario: state.scenario ?? state.resolvedScenario });
  const kind = faultKinds(system).find((one) => one.id === act.kind || one.revert === act.kind);
  const who = targetName(act.target, system, state.grid);
  if (!exists(act.target, state.grid)) return { text: `There is no ${who}.`, done: false };
  if (kind && PHYSICAL.includes(kind)) {
    const down = new Set(downNodes(state.frame, state.layers));
    const nodes = nodesOf(act.target, state.grid) ?? [];
    if (act.kind === kind.revert && !nodes.some((node) => down.has(node)))
      return { text: `${capital(who)} needs no repair: nothing changed.`, done: false };
    if (act.kind === kind.id && nodes.every((node) => down.has(node)))
      return { text: `${capital(who)} is down already: nothing changed.`, done: false };
  }
  if (act.kind === kind?.revert) return { text: `${capital(who)} works again.`, done: true };
  return { text: `${capital(actInWords(act, system, state.grid))}.`, done: true };
}

/** A fault's value as people read it. */
function amount(kind: AgentFault, value: number): string {
  return isShare(kind) ? `${Math.round(value * 1000) / 10} %` : `${value} ${kind.unit ?? ""}`.trim();
}

/** The faults of agents and messages up to a moment, the newest first: what nodes cost stands with their incidents. */
export function agentFaults(
  scenario: Scenario | undefined,
  at: number,
  system: SystemInfo | undefined,
  grid?: Grid,
): { at: number; what: string }[] {
  return (scenario?.faults ?? [])
    .filter((fault) => breaks(fault, system) && !PHYSICAL.some(({ id }) => id === fault.kind))
    .map((fault) => {
      const act = { kind: String(fault.kind), target: String(fault.target ?? ""), value: Number(fault.value ?? 0) };
      return { at: parseDuration(String(fault.at)) ?? 0, what: capital(actInWords(act, system, grid)) };
    })
    .filter((fault) => fault.at <= at)
    .sort((a, b) => b.at - a.at);
}

/** The nodes that the map shows as down. */
export function downNodes(frame: Frame | undefined, layers: Layer[]): number[] {
  const place = layers.findIndex(({ id }) => id === "state");
  const down = layers[place]?.names?.indexOf("down") ?? -1;
  const nodes: number[] = [];
  frame?.layers[place]?.forEach((value, node) => value === down && nodes.push(node));
  return nodes;
}

/**
 * What is broken at present. Nodes and racks are told as far as the map shows
 * them down; others counts the nodes that are down for another reason.
 */
export function brokenNow({
  systems,
  resolvedScenario,
  scenario,
  status,
  frame,
  layers,
  grid,
}: Pick<State, "systems" | "resolvedScenario" | "scenario" | "status" | "frame" | "layers" | "grid">): { list: Broken[]; others: number } {
  const down = new Set(downNodes(frame, layers));
  const explained = new Set<number>();
  const played = scenario ?? resolvedScenario;
  const list = inForce(played, status?.at ?? 0, systemOf({ systems, scenario: played }), grid).filter((one) => {
    const nodes = nodesOf(one.heal.target, grid);
    if (!nodes || !PHYSICAL.some(({ revert }) => revert === one.heal.kind)) return true;
    const hit = nodes.filter((node) => down.has(node));
    for (const node of hit) explained.add(node);
    return hit.length > 0;
  });
  return { list, others: down.size - explained.size };
}

function nodesOf(target: string, grid: Grid | undefined): number[] | undefined {
  const [what, number] = target.split(".");
  if (what === "node") return [Number(number)];
  if (what !== "rack" || !grid) return undefined;
  const nodes: number[] = [];
  grid.layout.rack.forEach((rack, node) => rack === Number(number) && nodes.push(node));
  return nodes;
}

/** When something breaks in the scenario, in µs, the first fault first; those to come among them. */
export function faultTimes({
  scenario,
  resolvedScenario,
  systems,
  grid,
}: Pick<State, "scenario" | "resolvedScenario" | "systems" | "grid">): number[] {
  const played = scenario ?? resolvedScenario;
  const system = systemOf({ systems, scenario: played });
  return (played?.faults ?? [])
    .filter((fault) => breaks(fault, system) && exists(String(fault.target ?? ""), grid))
    .map(({ at }) => parseDuration(String(at)) ?? 0)
    .sort((a, b) => a - b);
}

/** The next fault of the scenario after now: when, and what it is in words. */
export function nextFault(
  state: Pick<State, "scenario" | "resolvedScenario" | "systems" | "status" | "grid">,
): { at: number; what: string } | undefined {
  const now = state.status?.at ?? 0;
  const at = faultTimes(state).find((time) => time > now);
  if (at === undefined) return undefined;
  const played = state.scenario ?? state.resolvedScenario;
  const what = inForce(played, at, systemOf({ systems: state.systems, scenario: played }), state.grid)
    .filter(({ since, heal }) => since === at && exists(heal.target, state.grid))
    .map((one) => one.what);
  return { at, what: what.join(", ") || "something breaks" };
}
