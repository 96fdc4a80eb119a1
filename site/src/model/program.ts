// A program of the user's own: what is run with it, what is known of it before it runs,
// and where an error lies in its text.
import type { SystemInfo } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";

/** Bytes that a program may have (core/scenario). */
export const MOST_BYTES = 64 << 10;

/** A name that a program can use, as the engine describes it. */
export interface Field {
  name: string;
  usage: string;
  about: string;
}

export interface Example {
  id: string;
  name: string;
  text: string;
}

/** What programs.json holds. */
export interface Programs {
  examples: Example[];
  hooks: Field[];
  functions: Field[];
  cluster: Field[];
  node: Field[];
  task: Field[];
  job: Field[];
}

/** The scenario with a program in place of its scheduler; undefined where no system plays programs. A program that replaces another keeps its settings; the engine refuses those that the new program does not declare. */
export function withProgram(scenario: Scenario, systems: SystemInfo[], text: string, examples: Example[]): Scenario | undefined {
  const system = systems.find(({ program }) => program);
  if (!system) return undefined;
  const { settings, ...rest } = scenario;
  const same = scenario.system === system.id && !examples.some((one) => one.text === text && one.text !== scenario.program);
  return { ...rest, system: system.id, program: text, ...(same && settings ? { settings } : {}) };
}

/** Where a line and a column of an error lie in a text, in UTF-16 units; the column counts characters from 1. */
export function placeOf(text: string, line: number, column: number): { from: number; to: number } | undefined {
  const lines = text.split("\n");
  if (line < 1 || line > lines.length) return undefined;
  const start = lines.slice(0, line - 1).reduce((sum, one) => sum + one.length + 1, 0);
  const own = lines[line - 1];
  const before = [...own].slice(0, Math.max(0, column - 1)).join("").length;
  const word = /^[\w.]+/.exec(own.slice(before))?.[0].length ?? 0;
  const from = start + Math.min(before, own.length);
  return { from, to: Math.min(from + Math.max(1, word), start + own.length) };
}

/** What can be written at the end of a text: the names of what stands before the last point, or all names outside of values. */
export function completions(programs: Programs, before: string): { from: number; options: Field[] } | undefined {
  const value = /(?:^|[^\w.])(cluster|node|task|job)\.(\w*)$/.exec(before);
  if (value) return { from: value[2].length, options: programs[value[1] as "cluster" | "node" | "task" | "job"] };
  const hook = /^def (\w*)$/.exec(before);
  if (hook) return { from: hook[1].length, options: programs.hooks };
  const name = /(?:^|[^\w.])(\w+)$/.exec(before);
  return name ? { from: name[1].length, options: programs.functions } : undefined;
}

/** The bytes of a text, and why it cannot be run if there are too many. */
export function sizeOf(text: string): { bytes: number; wrong: string } {
  const bytes = new TextEncoder().encode(text).length;
  return { bytes, wrong: bytes > MOST_BYTES ? `The program has ${bytes} bytes: at most ${MOST_BYTES} can be run.` : "" };
}
