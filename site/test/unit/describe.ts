// Descriptions of systems for tests: what a test does not say is empty.
import { readFileSync } from "node:fs";
import type { Setting, SystemInfo } from "../../src/base/messages.ts";

export function described(part: Partial<SystemInfo> & { id: string }): SystemInfo {
  return { name: part.id, about: "", suits: ["tasks"], settings: [], agents: [], metrics: [], charts: [], layers: [], views: [], ...part };
}

export function choice(id: string, usual: string, ...choices: string[]): Setting {
  return { id, name: id, about: "", default: usual, choices: [usual, ...choices] };
}

/** The description of core/system/example as Go writes it. */
export function example(): SystemInfo {
  return JSON.parse(readFileSync("../core/system/example/testdata/description.json", "utf8")) as SystemInfo;
}
