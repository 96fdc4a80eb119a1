// What is said of files that were opened: what they are and hold, what was left out,
// who schedules it, and from where and how fast it is watched.
import { bytes, capital, count, DAY, duration, HOUR, number, stopped } from "../base/format.ts";
import type { Held } from "../base/messages.ts";
import type { State } from "./store.ts";
import { policySetting, settingValue, systemOf } from "./systems.ts";

export interface FileCard {
  title: string;
  facts: [name: string, value: string, title?: string][];
  said: string[]; // sentences
}

const ARRIVALS = 3; // jobs a second of a viewer's time
const SKIP = 60e6; // µs without work that are worth skipping

/** The card of the files that the run plays; undefined where it plays none. */
export function fileCard(
  state: Pick<State, "files" | "scenario" | "resolvedScenario" | "systems" | "choices" | "grid">,
): FileCard | undefined {
  const { files, scenario, grid, choices } = state;
  const held = files[0]?.held;
  if (!held) return undefined;
  const name = files.length === 1 ? files[0].file : `${files[0].file} and ${number(files.length - 1, "more file")}`;
  const system = systemOf(state);
  const policy = system && policySetting(system);
  const chosen = policy && system.settings.find(({ id }) => id === policy.id);
  const by = system ? `${system.name}${chosen ? `, policy ${settingValue(chosen, scenario)}` : ""}` : "";
  const what = held.jobs > 0 ? number(held.jobs, "job") : `${count(held.played)} ${held.of}`;
  const where = held.processors > 0 ? number(held.processors, "processor") : number(grid?.cells ?? 0, system?.node ?? "machine");
  const notes = new Set(files.flatMap(({ notes }) => notes)); // the facts below say the same by reason
  return {
    title: `${name}: ${what} on ${where}, ${spanOf(held.end - Math.max(0, held.first))}.`,
    facts: [
      ...[...new Set(files.map(({ format }) => format))].map((format): [string, string] => [
        "Format",
        format.replace("/", ", ").replaceAll("_", " "),
      ]),
      ["Size", bytes(files.reduce((sum, file) => sum + file.bytes, 0))],
      ["Read", `${count(held.rows)} ${held.of}`],
      ...(held.first >= SKIP ? [["First work at", duration(Math.round(held.first / 1e6) * 1e6)] as [string, string]] : []),
      ...held.leftOut.map(({ about, count: n, first }): [string, string, string?] => [`Left out: ${about}`, count(n), first]),
      ...held.repaired.map(({ about, count: n, first }): [string, string, string?] => [`Decided: ${about}`, count(n), first]),
      ["Scheduled by", by],
    ],
    said: choices.filter((sentence) => !notes.has(sentence)).map((sentence) => stopped(capital(sentence))),
  };
}

/** Whether a file is a table whose columns a mapping names. */
export function isTable(files: State["files"]): boolean {
  return files.length === 1 && /^jobtable\/(sacct|table|nextflow)$/.test(files[0].format);
}

/** A span in the words of people: "11 months", "61 days", "3 hours". */
export function spanOf(us: number): string {
  for (const [size, name] of [
    [30.44 * DAY, "month"],
    [DAY, "day"],
    [HOUR, "hour"],
    [60e6, "minute"],
  ] as const)
    if (us >= 2 * size) return number(Math.round(us / size), name);
  return number(Math.round(us / 1e6), "second");
}

/** Where the clock starts: a moment before the first work, where that comes late. */
export function firstWork({ first }: Held): number {
  return first >= SKIP ? first - (first % 1e6) : 0;
}

/** The speed of a ladder at which some jobs come a second; undefined where the files hold no rigid jobs. */
export function speedFor({ jobs, first, end }: Held, ladder: number[]): number | undefined {
  if (jobs === 0) return undefined;
  const wanted = (ARRIVALS * (end - Math.max(0, first))) / 1e6 / jobs;
  const off = (speed: number) => Math.abs(Math.log(speed / wanted));
  return ladder.filter((speed) => speed >= 1).reduce((best, speed) => (off(speed) < off(best) ? speed : best));
}
