// A question about a Kubernetes cluster: its form, the message that asks it, and its answer.
import type { ClusterChange, ClusterDocument, FromCluster, NamedText, ToCluster } from "../base/messages.ts";

export type Question =
  | "drain"
  | "lose"
  | "fit"
  | "grow"
  | "pending"
  | "blockers"
  | "score"
  | "size"
  | "requests"
  | "report"
  | "rollout"
  | "upgrade"
  | "consolidate";
export type Ask = Extract<ToCluster, { type: "ask" }> & { question: Question };
export type DumpRead = Extract<FromCluster, { type: "dump" }>;
/** What is typed and chosen for the questions. */
export interface ClusterForm {
  emptyDir: boolean;
  force: boolean;
  control: boolean;
  by: string; // lose: "zone", "type", "node" or the key of a label
  name: string; // lose: one of them; "": each by itself
  notReady: boolean;
  autoscaler: boolean; // consolidate: by it in place of Karpenter; lose, upgrade: it adds nodes
  groups: string; // requests: "namespace", "owner" or what lose has
  pod: string; // fit: NAMESPACE/NAME; "": today's mix
  waiting: string; // pending: NAMESPACE/NAME of the pod that is judged node by node, "" for all
  workload: string; // rollout: NAMESPACE/NAME
  pool: string; // upgrade: its name; "": all
  surge: string; // rollout: pods, upgrade: nodes, as 2 or 25%; "": as it is set now
  unavailable: string; // the same
  config: string; // the name of the scheduler's configuration
  configs: NamedText[]; // that were opened
  prices: NamedText | undefined;
  against: NamedText | undefined; // report: the figures of one that was kept
  usage: NonNullable<Ask["usage"]>;
  changes: ClusterChange[]; // of the world that is asked about beside the dump's
}

/** An answer as it is shown. */
export interface Answered {
  documents: ClusterDocument[];
  before: ClusterDocument[]; // about the dump as it is, where the others are about a changed world
  nodes: Set<number>; // that the first document takes away
  filters: string[]; // that stop the pod that was chosen
  stops: number[]; // for each node, which of them is first, -1 for none; empty without a pod
  seconds: number;
  digest: string; // of its JSON, 16 hex digits
  asked: Ask; // what it answers
}

/** What the colours of the nodes mean. */
export interface Colour {
  resource: string; // "": the fuller of CPU and memory
  model: string; // of GPUs: only nodes with it; "": all nodes
}

export function emptyForm(): ClusterForm {
  return {
    emptyDir: false,
    force: false,
    control: false,
    by: "zone",
    name: "",
    notReady: false,
    autoscaler: false,
    groups: "namespace",
    pod: "",
    waiting: "",
    workload: "",
    pool: "",
    surge: "",
    unavailable: "",
    config: "default",
    configs: [],
    prices: undefined,
    against: undefined,
    usage: [],
    changes: [],
  };
}

/** A question of the gallery about the example. */
export interface ClusterCard {
  id: string;
  question: string;
  finding: string;
  about: string;
  ask: Omit<Ask, "type">;
  nodes: DumpRead["nodes"];
  taken: number[];
}

const AUTOSCALER = "cluster-autoscaler";

/** The fields of the form that a question of the gallery or of a link has. */
export function fieldsOfAsk(ask: Omit<Ask, "type">): Partial<ClusterForm> {
  const { question, by = "zone", names = [], configs = [], prices, against, changes = [] } = ask;
  return {
    emptyDir: ask.delete_emptydir ?? false,
    force: ask.force ?? false,
    control: ask.control_plane ?? false,
    notReady: ask.not_ready ?? false,
    autoscaler: ask.autoscaler ?? by === AUTOSCALER,
    [question === "rollout" ? "workload" : question === "pending" ? "waiting" : "pod"]: ask.pod ?? "",
    ...(question === "upgrade" ? { pool: names[0] ?? "" } : { name: names[0] ?? "" }),
    surge: ask.surge ?? "",
    unavailable: ask.unavailable ?? "",
    ...(question === "requests" ? { groups: by } : question === "consolidate" ? {} : { by }),
    config: configs[0]?.name ?? "default",
    configs: configs.filter(({ text }) => text !== undefined),
    ...(prices && { prices }),
    ...(against && { against }),
    changes,
  };
}

/** The built-in configurations of the scheduler, by their names. */
export const BUILTIN: NamedText[] = [{ name: "default" }, { name: "most-allocated" }];

const PRICED: Question[] = ["drain", "grow", "score", "report", "consolidate"];

/** The question as the worker gets it. What the question does not use is left out. */
export function askOf(question: Question, form: ClusterForm): Ask {
  const known = [...BUILTIN, ...form.configs];
  const config = known.find(({ name }) => name === form.config) ?? BUILTIN[0];
  const ask: Ask = { type: "ask", question };
  if (question === "score") ask.configs = [config, ...known.filter((one) => one !== config)];
  else if (!["size", "requests", "blockers"].includes(question)) ask.configs = [config];
  if (form.prices && PRICED.includes(question)) ask.prices = form.prices;
  if (question === "drain" || question === "report") Object.assign(ask, { delete_emptydir: form.emptyDir, force: form.force });
  if (question === "report" && form.against) ask.against = form.against;
  if (question === "drain") ask.control_plane = form.control;
  if (question === "lose") Object.assign(ask, { by: form.by, names: form.name ? [form.name] : [], not_ready: form.notReady });
  if (question === "requests") ask.by = form.groups;
  if (question === "consolidate" && form.autoscaler) ask.by = AUTOSCALER;
  if (question === "fit") ask.pod = form.pod.trim();
  if (question === "rollout") ask.pod = form.workload.trim();
  if (question === "pending" && form.waiting.trim()) ask.pod = form.waiting.trim();
  if (question === "upgrade") ask.names = form.pool ? [form.pool] : [];
  if (form.autoscaler && (question === "lose" || question === "upgrade")) ask.autoscaler = true;
  if (question === "rollout" || question === "upgrade") {
    if (form.surge.trim()) ask.surge = form.surge.trim();
    if (form.unavailable.trim()) ask.unavailable = form.unavailable.trim();
  }
  if (question === "size") ask.usage = form.usage;
  if (form.changes.length > 0) ask.changes = form.changes;
  return ask;
}
