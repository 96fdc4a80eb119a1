// What the band of the timeline marks up to the playhead, and in which words: what
// failed, when tasks moved, and what the system missed.
import { capital, clock, duration, number, parseDuration } from "../../../base/format.ts";
import type { Incident } from "../../../base/messages.ts";
import { actInWords, breaks, exists, targetOf } from "../../../model/faults.ts";
import type { Series } from "../../../model/series.ts";
import type { State } from "../../../model/store.ts";
import { systemOf } from "../../../model/systems.ts";

export interface Mark {
  at: number; // µs
  kind: "failure" | "moves" | "miss";
  size: number; // how much of it, from 0 to 1 of the most there was
  words: string;
}

type Told = Pick<State, "series" | "scenario" | "systems" | "shape" | "status" | "incidents" | "grid">;

/** All marks up to the playhead, by time. */
export function marksOf(state: Told): Mark[] {
  const now = state.status?.at ?? 0;
  const marks = [...failures(state), ...moves(state.series), ...misses(state)].filter(({ at }) => at <= now);
  return marks.sort((a, b) => a.at - b.at);
}

/** What failed: the scenario's faults, and nodes that went down for another reason, with what became of their tasks. */
function failures({ scenario, systems, incidents, grid }: Told): Mark[] {
  const system = systemOf({ systems, scenario });
  const faults = (scenario?.faults ?? [])
    .map((fault) => ({ fault, at: parseDuration(String(fault.at)) ?? -1 }))
    .filter(({ fault, at }) => at >= 0 && breaks(fault, system) && exists(String(fault.target ?? ""), grid));
  const told = faults.map(({ fault, at }): Mark => {
    const act = { kind: String(fault.kind), target: String(fault.target ?? ""), value: Number(fault.value ?? 0) };
    const came = incidents.find((one) => one.at === Math.max(at, 1) && targetOf(one) === act.target);
    return {
      at,
      kind: "failure",
      size: 1,
      words: `${capital(actInWords(act, system, grid))}${came ? `: ${lossOf(came)}` : ""}`,
    };
  });
  const others = incidents.filter(
    (one) => !faults.some(({ fault, at }) => Math.max(at, 1) === one.at && String(fault.target ?? "") === targetOf(one)),
  );
  return [
    ...told,
    ...others.map(
      (one): Mark => ({
        at: one.at,
        kind: "failure",
        size: 1,
        words: `${one.subject} failed: ${lossOf(one)}`,
      }),
    ),
  ];
}

/** What a fault cost, as the second half of a sentence. */
export function lossOf({ lost, noun, summary }: Incident): string {
  if (lost > 0) return `${number(lost, noun)} ${lost === 1 ? "was" : "were"} displaced`;
  return summary.replace(/\.$/, "").replace(/^[A-Z]/, (first) => first.toLowerCase());
}

/** When tasks moved: a mark a sample. */
function moves({ at, tracks }: Series): Mark[] {
  const values = tracks.get("migrations")?.values ?? [];
  const most = values.reduce((a, b) => Math.max(a, b), 1);
  return values.flatMap((value, i): Mark[] =>
    value > 0 ? [{ at: at[i], kind: "moves", size: value / most, words: `${number(tenth(value), "task")} a minute moved` }] : [],
  );
}

/** What the system missed of the kind of work that comes, as its description tells: samples at which a figure is above 0, or has grown. */
function misses({ series: { at, tracks }, scenario, systems, shape }: Told): Mark[] {
  const told = (systemOf({ systems, scenario })?.omissions ?? []).filter(({ of }) => !of || !shape || of === shape);
  return told.flatMap(({ column, when, words }) => {
    const values = tracks.get(column)?.values ?? [];
    const by = values.map((value, i) => (when === "above" ? value : value - (values[i - 1] ?? 0)));
    const most = by.reduce((a, b) => Math.max(a, b), 0);
    return by.flatMap((miss, i): Mark[] =>
      miss > 1e-9 ? [{ at: at[i], kind: "miss", size: miss / most, words: `${words}: ${tenth(miss)}` }] : [],
    );
  });
}

const tenth = (value: number) => (value < 1 ? Number(value.toPrecision(1)) : Math.round(value));

const RANK = { failure: 0, miss: 1, moves: 2 };

/** The words of the marks within a span in µs of a moment, failures first; "" where there are none. */
export function wordsAround(marks: Mark[], at: number, within: number, most = 3): string {
  const near = marks.filter((mark) => Math.abs(mark.at - at) <= within).sort((a, b) => RANK[a.kind] - RANK[b.kind] || b.size - a.size);
  if (near.length === 0) return "";
  const lines = near.slice(0, most).map((mark) => `${mark.words} (${clock(mark.at)})`);
  return [
    ...lines,
    ...(near.length > most
      ? [`and ${number(near.length - most, "mark")} more within ${duration(Math.round((2 * within) / 1e6) * 1e6)}`]
      : []),
  ].join("\n");
}

/** The mark after a moment, or with back before it; undefined where there is none. */
export function nextMark(marks: Mark[], from: number, back: boolean): Mark | undefined {
  return back ? marks.findLast(({ at }) => at < from - 1) : marks.find(({ at }) => at > from + 1);
}
