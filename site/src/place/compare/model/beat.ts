// "Beat this": a comparison as a challenge in a link. It has the scenario, the seeds, and
// the schedulers that took part with their scores; who opens it adds one and hands it on.
// The score is that of core/study/challenge, and parley grade plays it again from links alone.
import { duration, parseDuration } from "../../../base/format.ts";
import { MOST_PACKED, pack, unpack } from "../../../base/pack.ts";
import type { Scenario } from "../../../base/scenario.ts";
import { encodeAddress } from "../../../model/address.ts";
import type { Challenge } from "../../../model/challenge.ts";
import { same } from "../../../model/scenario.ts";
import { type Outcome, playsOf } from "./outcome.ts";

interface Entry {
  name: string;
  system: string;
  settings?: Record<string, unknown>;
  program?: string;
  score?: number; // the mean over the seeds, as its sender measured it
}

export interface Beat extends Pick<Challenge, "name" | "about" | "seeds" | "cells"> {
  v: 1;
  known: Entry[]; // the one to beat first
}

const ABOUT = "100 less the percentage of overloaded nodes and the percentage of waiting tasks, as means over the run.";
const MOST_ENTRIES = 100;

/** The score of a system over its seeds; undefined where it has none, or a run is not done. */
export function scoreOf(run: Outcome): number | undefined {
  const scores = playsOf(run).map(({ state, report }) => {
    const { overloaded_pct: overloaded, waiting, running } = report?.metrics ?? {};
    if (state !== "done" || overloaded === undefined || waiting === undefined || running === undefined) return Number.NaN;
    return 100 - overloaded - (waiting + running > 0 ? (100 * waiting) / (waiting + running) : 0);
  });
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  return Number.isNaN(mean) ? undefined : mean;
}

/** Whether two are the same scheduler. */
const plays = (a: Entry, b: Entry) => same([a.system, a.settings ?? {}, a.program], [b.system, b.settings ?? {}, b.program]);

/** What everybody plays: a scenario without its scheduler, up to a time. */
function cellOf({ v, cluster, workload, faults, chaos }: Scenario, to: number, system: string): Scenario {
  const here = faults?.filter(({ at }) => (parseDuration(String(at)) ?? 0) <= to);
  return {
    v,
    system, // which each scheduler replaces
    ...(cluster && { cluster }),
    ...(workload && { workload }),
    ...(here?.length && { faults: here }),
    ...(chaos && { chaos }),
    until: duration(to),
  };
}

/** The challenge that a comparison makes, or, where it is about a challenge, that challenge with the systems that are new; undefined where it makes none. */
export function beatOf({ runs, to, title }: { runs: Outcome[]; to: number; title: string }, before?: Beat): Beat | undefined {
  const [own] = runs;
  if (!own) return undefined;
  const cell = cellOf(own.scenario, to, before?.cells[0].plays.system ?? own.scenario.system);
  const seeds = playsOf(own).map(({ seed }) => seed);
  const entries = runs
    .filter(({ id }) => !id.startsWith("course.")) // whose faults are others
    .map((run): Entry => {
      const { system, settings, program } = run.scenario;
      return { name: run.name, system, ...(settings && { settings }), ...(program && { program }), score: scoreOf(run) };
    });
  if (entries.some(({ score }) => score === undefined)) return undefined;
  if (before && !same([before.cells[0].plays, before.seeds], [cell, seeds])) return undefined;
  const known = before ? [...before.known] : [];
  for (const one of entries) if (!known.some((other) => plays(other, one))) known.push(one);
  if (before && known.length === before.known.length) return undefined; // nothing is new
  const [first, ...rest] = before ? known : [...known].sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  if (known.length > MOST_ENTRIES) return undefined;
  const name = before?.name ?? `Beat ${first.name}`;
  return { v: 1, name, about: ABOUT, seeds, cells: [{ name: title || "a scenario", about: "", plays: cell }], known: [first, ...rest] };
}

/** The table of a challenge, the best first: rank, name and score. */
export function tableOf({ known }: Beat): { rank: number; name: string; score: number | undefined }[] {
  const all = [...known].sort((a, b) => (b.score ?? Number.NEGATIVE_INFINITY) - (a.score ?? Number.NEGATIVE_INFINITY));
  return all.map(({ name, score }, i) => ({ rank: i + 1, name, score }));
}

/** The keys of the link of a challenge: its cell under the scheduler to beat, in Compare. Undefined: it is too long for a link. */
export async function linkOf(beat: Beat): Promise<{ ask: string; link: string } | undefined> {
  const ask = await pack(beat);
  if (ask.length > MOST_PACKED) return undefined;
  const { system, settings, program } = beat.known[0];
  const packed = { ...beat.cells[0].plays, name: beat.cells[0].name, seed: beat.seeds[0], system, settings, program } as Scenario;
  const until = parseDuration(String(beat.cells[0].plays.until));
  return { ask, link: await encodeAddress({ settings: {}, place: "compare", packed, until, seeds: beat.seeds.length, ask }) };
}

/** Reads a challenge of a link. An error says what is wrong. */
export async function unpackBeat(text: string): Promise<Beat> {
  const value = (await unpack(text)) as Partial<Beat> | null;
  const texts = (...all: unknown[]) => all.every((one) => typeof one === "string");
  const { v, name, about, seeds, cells, known } = value ?? {};
  const good =
    v === 1 &&
    texts(name, about) &&
    Array.isArray(seeds) &&
    seeds.every(Number.isSafeInteger) &&
    Array.isArray(cells) &&
    cells.length === 1 &&
    texts(cells[0]?.name) &&
    typeof cells[0]?.plays?.until === "string" &&
    Array.isArray(known) &&
    known.length > 0 &&
    known.length <= MOST_ENTRIES &&
    known.every((one) => texts(one?.name, one?.system) && (one.score === undefined || Number.isFinite(one.score)));
  if (!good) throw new Error("it is no challenge");
  return value as Beat;
}
