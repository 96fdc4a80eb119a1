// A fault in a link: a time, a target and what happens to it, with points between
// them, and a value behind a hyphen. core/scenario/faultkey.go reads and writes the same.
import { duration, parseDuration } from "../base/format.ts";

/** A fault as scenarios have it. */
export interface LinkFault {
  at: string;
  kind: string;
  target: string;
  value?: number;
}

export const NO_FAULTS = "none";
export const MOST_FAULTS = 50; // more are packed
const LONGEST_TIME = 3650 * 24 * 3600 * 1_000_000;
const PHYSICAL = ["node_down", "node_up", "rack_down", "rack_up", "cluster_grow"];
const MOST_GROWN = 250_000; // nodes

/** Writes a fault; what a link cannot say comes out as something that does not read back. */
export function faultText({ at, kind, target, value }: LinkFault): string {
  const what = target.split(".")[0];
  const word = PHYSICAL.includes(kind) && kind.startsWith(`${what}_`) ? kind.slice(what.length + 1) : kind;
  return `${duration(parseDuration(at) ?? 0)}.${target}.${word}${value ? `-${value}` : ""}`;
}

/** Reads what faultText wrote. */
export function faultOf(text: string): LinkFault | undefined {
  const parts = /^([0-9.dhmsu]*?[dhms])\.([a-z_]{1,64})(?:\.(\d{1,10}))?\.([a-z_]{1,64})(?:-(-?\d{1,15}(?:\.\d{1,15})?))?$/.exec(text);
  const at = parts && parseDuration(parts[1]);
  if (!parts || at === undefined) return undefined;
  const [, , what, number, word, value] = parts;
  if (Number(number ?? 0) > 0x7fffffff || Number(value ?? 1) === 0) return undefined;
  const grows = what === "cluster" && number === undefined;
  const kind = (number !== undefined || grows) && PHYSICAL.includes(`${what}_${word}`) ? `${what}_${word}` : word;
  if (kind === "cluster_grow") {
    const nodes = Number(value);
    if (!grows || !Number.isInteger(nodes) || nodes < 1 || nodes > MOST_GROWN) return undefined;
  } else if (PHYSICAL.includes(kind) && (number === undefined || value !== undefined || !kind.startsWith(`${what}_`))) return undefined;
  return {
    at: duration(Math.min(at ?? 0, LONGEST_TIME)),
    kind,
    target: number === undefined ? what : `${what}.${number}`,
    ...(value === undefined ? {} : { value: Number(value) }),
  };
}

/** The faults of a scenario by what they mean: the same text for the same fault; undefined where a link cannot say them. */
export function faultsMeant(faults: Record<string, unknown>[] = []): LinkFault[] | undefined {
  const meant: LinkFault[] = [];
  for (const { at, kind, target, value, ...rest } of faults) {
    if (typeof at !== "string" || typeof kind !== "string" || typeof target !== "string" || Object.keys(rest).length > 0) return undefined;
    const fault: LinkFault = {
      at: duration(parseDuration(at) ?? -1),
      kind,
      target,
      ...(typeof value === "number" && value !== 0 ? { value } : {}),
    };
    const back = faultOf(faultText(fault));
    if (parseDuration(at) === undefined || !back || JSON.stringify(back) !== JSON.stringify(fault)) return undefined;
    meant.push(fault);
  }
  return meant.length > MOST_FAULTS ? undefined : meant;
}
