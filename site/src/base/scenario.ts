// The document that makes a run. core/scenario describes every field.

/** The scenario as a file or a link has it; the engine checks it strictly. */
export interface Scenario {
  v: number;
  name?: string;
  about?: string;
  system: string;
  seed?: number;
  cluster?: Record<string, unknown>;
  workload?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  program?: string; // text of the scheduler, of a system that plays one
  faults?: Record<string, unknown>[];
  chaos?: Record<string, unknown>;
  until?: string;
  chart?: string; // a figure of all nodes over time: "p95(memory.used / memory.capacity)"
  notes?: Step[];
  may_change?: string[]; // fields that a class may change; none: all
  view?: Record<string, unknown>;
}

/** The parts of a scenario that choose how it is scheduled. */
export type Scheduler = Pick<Scenario, "system" | "settings" | "program">;

/** One step of a lesson. */
export interface Step {
  at: string;
  text: string;
  focus?: string; // "node.12", "rack.3"
  show?: string; // a tab
  pause?: boolean;
}
