// The document that makes a run. core/scenario describes every field.

/** The scenario as a file or a link has it; the engine checks it strictly. */
export interface Scenario {
  v: number;
  name?: string;
  system: string;
  seed?: number;
  cluster?: Record<string, unknown>;
  workload?: Record<string, unknown>;
  settings?: Record<string, unknown>;
  faults?: Record<string, unknown>[];
  chaos?: Record<string, unknown>;
  until?: string;
  view?: Record<string, unknown>;
}

/** What can break; the targets are "node.4711", "rack.14", "broker.0" and "mail". */
export type FaultKind =
  | "node_down" | "node_up" | "rack_down" | "rack_up"
  | "broker_down" | "broker_up" | "rack_cut" | "rack_healed"
  | "mail_loss" | "mail_delay"; // by value: a probability, seconds
