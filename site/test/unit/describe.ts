// Descriptions of systems and faults for tests: what a test does not name has a usual value.
import { readFileSync } from "node:fs";
import { SECOND } from "../../src/base/format.ts";
import type { Incident, Setting, SystemInfo } from "../../src/base/messages.ts";

export function described(part: Partial<SystemInfo> & { id: string }): SystemInfo {
  return {
    name: part.id,
    about: "",
    supports: ["tasks"],
    settings: [],
    agents: [],
    metrics: [],
    charts: [],
    layers: [],
    views: [],
    ...part,
  };
}

/** The loss of a rack, ten seconds after the start. */
export const fault = (part: Partial<Incident>): Incident => ({
  at: 10 * SECOND,
  subject: "Rack 137",
  rack: 137,
  node: 5,
  nodes: 48,
  whole: true,
  back: 0,
  noun: "task",
  lost: 623,
  again: 618,
  ended: 0,
  first: 1,
  half: 2,
  last: 3,
  summary: "Told.",
  cost: "623 tasks stopped.",
  ...part,
});

export function choice(id: string, usual: string, ...choices: string[]): Setting {
  return { id, name: id, about: "", default: usual, choices: [usual, ...choices] };
}

/** The description of core/system/example as Go writes it. */
export function example(): SystemInfo {
  return JSON.parse(readFileSync("../core/system/example/testdata/description.json", "utf8")) as SystemInfo;
}
