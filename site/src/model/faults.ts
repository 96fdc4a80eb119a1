// What can be broken and what is broken at present: the faults of the scenario
// up to now, checked against what the map shows.
import { parseDuration } from "../base/format.ts";
import type { Frame } from "../base/frame.ts";
import type { FaultKind, Layer, Scenario, ToWorker } from "../base/protocol.ts";
import type { Grid } from "./grid.ts";
import type { State } from "./store.ts";

export type FaultMessage = Extract<ToWorker, { type: "fault" }>;

/** Something that is broken, and what mends it. */
export interface Broken {
  id: string; // its target; mail has two: "mail_loss", "mail_delay"
  what: string; // in words
  since: number; // µs
  heal: Omit<FaultMessage, "type">;
}

const MENDS: Partial<Record<FaultKind, FaultKind>> = { node_up: "node_down", rack_up: "rack_down", broker_up: "broker_down", rack_healed: "rack_cut" };
const HEALS: Partial<Record<string, FaultKind>> = { node_down: "node_up", rack_down: "rack_up", broker_down: "broker_up", rack_cut: "rack_healed" };

/** Whether a fault of a scenario breaks something, rather than mending it. */
export function breaks({ kind, value }: Record<string, unknown>): boolean {
  return String(kind).startsWith("mail") ? Number(value) > 0 : String(kind) in HEALS;
}

/** The faults of a scenario that are in force at a time, the first ones first. */
export function inForce(scenario: Scenario | undefined, at: number): Broken[] {
  const known = (scenario?.faults ?? []).map((fault) => ({ at: parseDuration(String(fault.at)) ?? 0, kind: String(fault.kind) as FaultKind, target: String(fault.target), value: Number(fault.value ?? 0) }));
  const broken = new Map<string, Broken>();
  for (const { at: since, kind, target, value } of known.filter((fault) => fault.at <= at).sort((a, b) => a.at - b.at)) {
    const mended = MENDS[kind];
    if (mended) broken.delete(`${mended} ${target}`);
    else if (kind.startsWith("mail")) {
      broken.delete(kind);
      if (value > 0) broken.set(kind, { id: kind, what: mailWords(kind, value), since, heal: { kind, target: "mail", value: 0 } });
    } else {
      const key = `${kind} ${target}`;
      const heal = HEALS[kind];
      if (heal && !broken.has(key)) broken.set(key, { id: `${kind}-${target}`.replaceAll(".", "-"), what: `${target.replace(".", " ")} ${kind === "rack_cut" ? "is cut off" : "is down"}`, since, heal: { kind: heal, target } });
    }
  }
  return [...broken.values()];
}

function mailWords(kind: string, value: number): string {
  return kind === "mail_loss" ? `${Math.round(value * 1000) / 10} % of messages get lost` : `messages take ${value} s longer`;
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
export function brokenNow({ echo, scenario, status, frame, layers, grid }: Pick<State, "echo" | "scenario" | "status" | "frame" | "layers" | "grid">): { list: Broken[]; others: number } {
  const down = new Set(downNodes(frame, layers));
  const explained = new Set<number>();
  const list = inForce(scenario ?? echo, status?.at ?? 0).filter((one) => {
    const nodes = nodesOf(one.heal.target, grid);
    if (!nodes || one.heal.kind === "rack_healed") return true;
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

/** How many brokers the running system has; 0: it has none, and no messages either. */
export function brokersOf({ systems, scenario }: Pick<State, "systems" | "scenario">): number {
  const usual = systems.find(({ id }) => id === scenario?.system)?.settings.brokers;
  const set = scenario?.settings?.brokers;
  return typeof usual !== "number" ? 0 : typeof set === "number" ? set : usual;
}
