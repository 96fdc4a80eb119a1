// The sentence above the map, which is true now: what is drawn, what its colours mean,
// and the one thing that matters, from the run's faults or its system's description.
import { ago, capital, clock, count, digits, number } from "../../../base/format.ts";
import type { Incident } from "../../../base/messages.ts";
import { brokenNow, nodeName } from "../../../model/faults.ts";
import { fuller } from "../../../model/look.ts";
import type { State } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";
import { lossOf } from "./marks.ts";

const STANDS = 120e6; // µs that a fault matters after all of it is over

/** A piece of a sentence; strong: a number or a noun that matters; rack, node: it leads there. */
export type Piece = string | { text: string; of?: Incident };

/** The sentence in three lengths, the longest first; what: it is about, for icons; spoken: what a change is told of. */
export interface Sentence {
  texts: Piece[][];
  what: "calm" | "fault" | "over";
  spoken: string;
}

type Told = Pick<
  State,
  | "grid"
  | "frame"
  | "layers"
  | "fill"
  | "status"
  | "incidents"
  | "systems"
  | "scenario"
  | "resolvedScenario"
  | "shape"
  | "session"
  | "preview"
  | "camera"
>;

/** The fault that matters now: the newest one of which something is not over, or was not a moment ago. */
export function standing(incidents: Incident[], at: number): Incident | undefined {
  return incidents.find((one) => one.at <= at && (one.back < one.nodes || waitingOf(one) > 0 || at - one.at < STANDS));
}

/** What tells a fault from the others. */
export function keyOf({ subject, at }: Incident): string {
  return `${subject} ${at}`;
}

/** Those that lost their place and wait for another. */
export function waitingOf({ lost, again, ended }: Incident): number {
  return lost - again - ended;
}

/** What those that wait after a fault wait for. */
export function waitingWords({ noun }: Incident): string {
  return noun === "subtask" ? "waiting to start again" : "waiting for room";
}

/** What became of those that lost their place and did not run again. */
export function endedWords({ noun }: Incident): string {
  return noun === "subtask" ? "ended with their graph" : "ended instead";
}

/** What is true now; undefined while nothing is drawn. */
export function sentenceOf(state: Told): Sentence | undefined {
  const { grid, status, layers, fill, incidents } = state;
  const system = systemOf({ systems: state.systems, scenario: state.scenario ?? state.resolvedScenario });
  if (!grid || !system) return undefined;
  const noun = system.node ?? "machine";
  const size: Piece = { text: number(grid.cells, noun) };
  const layer = layers.find(({ id }) => id === fill);
  const by = layer && (fuller(state) ? "the fuller resource" : lower(layer.name));
  const base: Piece[] = by ? [size, `, coloured by ${by}. `] : [size, ". "];
  const spokenBase = plain(base);
  const at = status?.at ?? 0;
  if (!status || state.preview) return { texts: [base], what: "calm", spoken: spokenBase };
  const fault = standing(incidents, at);
  const broken = brokenNow(state).list.filter(({ heal }) => !/^(node|rack)_up$/.test(heal.kind));
  const agent = broken.findLast(({ since }) => since > (fault?.at ?? -1));
  if (agent) {
    const words: Piece[] = [{ text: capital(agent.what) }, ` since ${clock(agent.since)}.`];
    const more =
      broken.length > 1
        ? [` ${number(broken.length - 1, "other fault")} of agents or messages ${broken.length === 2 ? "lasts" : "last"}.`]
        : [];
    return { texts: [[...base, ...words, ...more], [...words, ...more], words], what: "fault", spoken: plain(words) };
  }
  if (fault) {
    const name: Piece = { text: fault.subject, of: fault };
    const zoned = zoneOf(fault, state);
    const long = [name, ` failed ${ago(at - fault.at)}: `, ...costOf(fault, true), ...backOf(fault, zoned, nodeName(system))];
    return {
      texts: [[...base, ...long], long, [name, ": ", ...costOf(fault, false)]],
      what: "fault",
      spoken: plain([name, " failed: ", ...costOf(fault, true), ...backOf(fault, zoned, nodeName(system))]),
    };
  }
  if (status.ended) return { texts: [[...base, `The run ended at ${clock(at)}.`]], what: "over", spoken: `The run ended at ${clock(at)}.` };
  const now = (system.now ?? []).find(({ of }) => !of || of === state.shape);
  const words = now ? filled(now.words, state) : [];
  return { texts: words.length > 0 ? [[...base, ...words], words] : [base], what: "calm", spoken: spokenBase };
}

/** What a fault cost and what became of it, as the end of a sentence. */
function costOf(one: Incident, long: boolean): Piece[] {
  const { lost, again, ended: gone, noun } = one;
  const { work = 0 } = one;
  if (work > 0 && lost === 0) {
    const units: Piece = { text: number(Math.round(work), "work unit") };
    return [units, long ? (work === 1 ? " was lost." : " were lost.") : " lost."]; // it may have been sent again by now
  }
  if (lost === 0) return [`${lossOf(one)}.`];
  const waiting = waitingOf(one);
  if (waiting === lost) return [{ text: number(lost, noun) }, " stopped, ", waiting === 1 ? "and it waits." : "and all wait."];
  const ended: Piece[] = gone > 0 ? [", ", { text: count(gone) }, ` ended`] : [];
  if (waiting > 0)
    return [
      { text: `${count(again)} of ${number(lost, noun)}` },
      " ran again",
      ...(long && one.back === 0 ? [" elsewhere"] : []),
      ...ended,
      ", ",
      { text: count(waiting) },
      waiting === 1 ? " waits." : " wait.",
    ];
  if (again === 0) return [{ text: number(lost, noun) }, ` ${endedWords({ ...one, noun: lost === 1 ? "" : noun })}.`];
  const all: Piece = {
    text: lost === 1 ? `its ${noun}` : again === lost ? `all ${number(lost, noun)}` : `${count(again)} of ${number(lost, noun)}`,
  };
  return [all, ` ran again${long && one.back === 0 ? " elsewhere" : ""}`, ...ended, "."];
}

/** The noun for what failed where it is several nodes: a rack, or the system's word for the zone that it is; "" where racks mean nothing. */
export function zoneOf({ rack }: Incident, { grid, systems, scenario }: Pick<State, "grid" | "systems" | "scenario">): string {
  return (
    (grid?.layout.zones?.some((zone) => zone.rack === rack) && systemOf({ systems, scenario })?.zone) ||
    (grid?.layout.noRacks ? "" : "rack")
  );
}

/** Whether its nodes, whose noun is node, are back. */
export function backOf({ nodes, back, whole }: Incident, rack: string, node: string): Piece[] {
  if (back === 0) return [];
  if (back < nodes) return [` ${count(back)} of its ${number(nodes, node)} are back.`];
  if (nodes === 1) return [` The ${node} is back.`];
  return [whole && rack ? ` The ${rack} is back.` : ` All ${number(nodes, node)} are back.`];
}

/** A system's words with their present figures. Where one is missing there are none. */
function filled(words: string, { status }: Told): Piece[] {
  const pieces: Piece[] = [];
  for (const [i, part] of words.split(/\{([^}]*)\}/).entries()) {
    if (i % 2 === 0) {
      if (part) pieces.push(part);
      continue;
    }
    const [column, how] = part.split(":");
    const value = status?.present[column];
    if (value === undefined) return [];
    const text =
      how === "%"
        ? `${digits(Math.floor(1000 * value) / 10)} %`
        : how
          ? number(Math.round(value), how)
          : digits(Math.round(10 * value) / 10);
    pieces.push({ text });
  }
  return pieces;
}

/** A sentence as it is read out. */
export function plain(pieces: Piece[]): string {
  return pieces
    .map((piece) => (typeof piece === "string" ? piece : piece.text))
    .join("")
    .trim();
}

/** A layer's name within a sentence: "CPU used" stays, "Load class" does not. */
function lower(name: string): string {
  return /^[A-Z][a-z]/.test(name) ? name.charAt(0).toLowerCase() + name.slice(1) : name;
}
