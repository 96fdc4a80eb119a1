// A part of a big trace: what is chosen before the files are read, as the scenario has it.
import type { Scenario } from "../base/scenario.ts";

/** Files of this many bytes are asked about before they are read whole. */
export const BIG = 200e6;

/** What the viewer typed; nothing typed means everything. */
export interface Part {
  from: string; // a time of the trace, as in "2d" or "90m"
  to: string;
  every: string;
  users: string; // between commas
  classes: string[];
}

/** The fields of workload.jobs for a part; undefined where all is wanted. */
export function jobsOf(part: Part): Record<string, unknown> | undefined {
  const jobs: { from?: string; to?: string; every?: number; users?: string[]; classes?: string[] } = {};
  const [from, to, every] = [part.from, part.to, part.every].map((text) => text.trim());
  const users = part.users
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);
  if (from) jobs.from = timeOf(from);
  if (to) jobs.to = timeOf(to);
  if (every && every !== "1") jobs.every = Number(every);
  if (users.length > 0) jobs.users = users;
  if (part.classes.length === 1) jobs.classes = part.classes;
  return Object.keys(jobs).length > 0 ? jobs : undefined;
}

/** A number alone counts seconds. */
function timeOf(text: string): string {
  return /^[0-9.]+$/.test(text) ? `${text}s` : text;
}

/** What is wrong with a part, in a sentence; "" if it can be read. */
export function wrongIn({ from, to, every, classes }: Part): string {
  if (classes.length === 0) return "No class is chosen, so nothing would be read: choose production, batch or both.";
  for (const [name, text] of [
    ["From", from],
    ["To", to],
  ])
    if (text.trim() && !/^([0-9]+(\.[0-9]+)?(d|h|m|s)?)+$/.test(text.trim()))
      return `${name} is "${text.trim()}": write a time of the trace, as in 2d, 36h or 90m.`;
  if (every.trim() && !/^[1-9][0-9]{0,6}$/.test(every.trim())) return `One job in is "${every.trim()}": write a whole number, as in 10.`;
  return "";
}

/** The scenario that plays a part of files, under the system that runs now. */
export function partScenario(files: { name: string }[], present: Scenario | undefined, fallback: string, part: Part): Scenario {
  const jobs = jobsOf(part);
  return {
    v: 1,
    name: files.length === 1 ? files[0].name : `${files[0].name} and ${files.length - 1} more`,
    system: present?.system ?? fallback,
    ...(present?.seed !== undefined && { seed: present.seed }),
    ...(present?.settings && { settings: present.settings }),
    ...(jobs && { workload: { jobs } }),
  };
}
