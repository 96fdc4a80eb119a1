// Your cluster: a dump of Kubernetes and the questions about it. A worker of its own reads
// the dump and answers; ending it is how to cancel, so a cancelled worker reads the dump
// again before it answers the next question.
import type { Download } from "../base/format.ts";
import type { ClusterChange, ClusterDocument, FileSum, FromCluster, NamedText, ToCluster } from "../base/messages.ts";
import type { Asked } from "./asked.ts";
import type { Engine } from "./engines.ts";
import { contentOf, namesIn, needOf } from "./need.ts";
import { all, type Store } from "./store.ts";
import { Watched } from "./watched.ts";

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
export type SaveAs = Extract<ToCluster, { type: "save" }>["as"];
type ClusterPlay = Extract<FromCluster, { type: "clusterplay" }>;
type SavedFile = Extract<FromCluster, { type: "file" }>;

/** What is typed and chosen for the questions. */
export interface ClusterForm {
  emptyDir: boolean;
  force: boolean;
  control: boolean;
  by: string; // lose: "zone", "type", "node" or the key of a label
  name: string; // lose: one of them; "": each by itself
  notReady: boolean;
  groups: string; // requests: "namespace", "owner" or what lose has
  pod: string; // fit: NAMESPACE/NAME; "": today's mix
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
  seconds: number;
  digest: string; // of its JSON, 16 hex digits
  asked: Ask; // what it answers
}

/** What the colours of the nodes mean. */
export interface Colour {
  resource: string; // "": the fuller of CPU and memory
  model: string; // of GPUs: only nodes with it; "": all nodes
}

export interface ClusterState {
  files: File[]; // behind the dump; none: the example
  opened: boolean; // a dump was asked for
  reading: Extract<FromCluster, { type: "reading" }> | undefined; // how far the reading is
  dump: DumpRead | undefined;
  question: Question; // whose form is shown
  form: ClusterForm;
  asking: { question: Question; began: number; doing: string } | undefined; // began: of performance.now()
  answers: Partial<Record<Question, Answered>>;
  shared: Asked | undefined; // the question of a link, which is asked when its dump is open
  colour: Colour;
  inspected: { at: number; document: ClusterDocument | undefined } | undefined; // a node, and what is requested on it
  why: string; // why there is no cluster or no answer: one sentence, or ""
  download: Download | undefined; // the program, until all of it is here
}

export function emptyForm(): ClusterForm {
  return {
    emptyDir: false,
    force: false,
    control: false,
    by: "zone",
    name: "",
    notReady: false,
    groups: "namespace",
    pod: "",
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

/** The fields of the form that a question of the gallery or of a link has. */
export function fieldsOfAsk(ask: Omit<Ask, "type">): Partial<ClusterForm> {
  const { question, by = "zone", names = [], configs = [], prices, against, changes = [] } = ask;
  return {
    emptyDir: ask.delete_emptydir ?? false,
    force: ask.force ?? false,
    control: ask.control_plane ?? false,
    notReady: ask.not_ready ?? false,
    ...(question === "rollout" ? { workload: ask.pod ?? "" } : { pod: ask.pod ?? "" }),
    ...(question === "upgrade" ? { pool: names[0] ?? "" } : { name: names[0] ?? "" }),
    surge: ask.surge ?? "",
    unavailable: ask.unavailable ?? "",
    ...(question === "requests" ? { groups: by } : { by }),
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
  if (question === "fit") ask.pod = form.pod.trim();
  if (question === "rollout") ask.pod = form.workload.trim();
  if (question === "upgrade") ask.names = form.pool ? [form.pool] : [];
  if (question === "rollout" || question === "upgrade") {
    if (form.surge.trim()) ask.surge = form.surge.trim();
    if (form.unavailable.trim()) ask.unavailable = form.unavailable.trim();
  }
  if (question === "size") ask.usage = form.usage;
  if (form.changes.length > 0) ask.changes = form.changes;
  return ask;
}

/** A report that was kept, with its figures alone: the answers in it may be large. What is no report stays as it is. */
export function figuresOf({ name, text }: Required<NamedText>): NamedText {
  try {
    const { figures, asked } = JSON.parse(text) as { figures?: unknown; asked?: unknown };
    return { name, text: JSON.stringify({ figures, asked }) };
  } catch {
    return { name, text };
  }
}

/** Whether an answer is the sender's, where a link has its question; undefined where it does not. */
export function isShared({ asked, digest }: Answered, shared: Asked | undefined): boolean | undefined {
  return shared && JSON.stringify(asked) === JSON.stringify(shared.ask) ? digest === shared.digest : undefined;
}

/** Whether an answer is about what the form says now. */
export function isCurrent(answered: Answered, form: ClusterForm): boolean {
  const now = askOf(answered.asked.question, form);
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
  return same(now, answered.asked) && (now.usage ?? []).every(({ file }, i) => file === answered.asked.usage?.[i]?.file);
}

/** What may be lost together by a word or a label: the names that the dump has. */
export function namesBy(dump: DumpRead, by: string): string[] {
  const pick = { zone: "zone", type: "type", gpu: "gpu", node: "name" }[by] as "zone" | "type" | "gpu" | "name" | undefined;
  if (!pick) return [];
  return [...new Set(dump.nodes.map((node) => node[pick] ?? ""))].filter((name) => name !== "").sort();
}

type Wanted =
  | { kind: "dump" }
  | { kind: "again" }
  | { kind: "answer"; asked: Ask }
  | { kind: "node"; at: number }
  | { kind: "sums"; take: (sums: FileSum[] | undefined) => void }
  | { kind: "file"; take: (file: SavedFile | undefined) => void }
  | { kind: "play"; take: (play: ClusterPlay | undefined) => void }
  | { kind: "why"; take: (document: ClusterDocument | undefined) => void };

export class Cluster {
  #worker: Engine<ToCluster, FromCluster> | undefined;
  #wanted: Wanted[] = []; // the worker answers each message, in their order
  made = ""; // the packed question of the link that was made here last
  #asks = false; // the question is asked when the dump has been read

  readonly watched = new Watched<{ cluster: ClusterState }>({
    cluster: {
      files: [],
      opened: false,
      reading: undefined,
      dump: undefined,
      question: "drain",
      form: emptyForm(),
      asking: undefined,
      answers: {},
      shared: undefined,
      colour: { resource: "", model: "" },
      inspected: undefined,
      why: "",
      download: undefined,
    },
  });

  constructor(readonly begin: (progress: (download: Download | undefined) => void) => Engine<ToCluster, FromCluster>) {}

  get state(): ClusterState {
    return this.watched.state.cluster;
  }

  set(change: Partial<ClusterState>): void {
    this.watched.set({ cluster: { ...this.state, ...change } });
  }

  /** Changes the form. */
  edit(change: Partial<ClusterForm>): void {
    this.set({ form: { ...this.state.form, ...change } });
  }

  /** Reads a dump in place of the one before, without files the example, and asks about it if there is a question. */
  read(files: File[], question?: Question, form?: Partial<ClusterForm>): void {
    this.#end(); // its memory is free at once
    this.#asks = question !== undefined;
    const reading = { type: "reading", file: files[0]?.name ?? "the example", bytes: 0, total: 0, text: 0 } as const;
    const { shared } = this.state;
    const kept = shared && !question ? { ...this.state.form, ...fieldsOfAsk(shared.ask) } : this.state.form;
    const { config, configs, prices, against } = kept;
    this.set({
      files,
      opened: true,
      reading,
      dump: undefined,
      asking: undefined,
      answers: {},
      colour: { resource: "", model: "" },
      inspected: undefined,
      why: "",
      shared: question ? undefined : shared,
      question: question ?? this.state.question,
      form: shared && !question ? kept : { ...emptyForm(), config, configs, prices, against, ...form },
    });
    this.#send(readOf(files), { kind: "dump" });
  }

  /** Takes the question of a link, which is asked as soon as its dump is open. */
  expect(shared: Asked): void {
    this.set({ shared, question: shared.ask.question, form: { ...this.state.form, ...fieldsOfAsk(shared.ask) }, why: "" });
    if (shared.need === "") this.read([]);
    else if (this.state.dump) void this.#askShared();
  }

  /** Asks the question of a link if the dump is its sender's. */
  async #askShared(): Promise<void> {
    const { shared } = this.state;
    if (!shared) return;
    const sums = await this.sums();
    if (!sums || this.state.shared !== shared) return;
    if (contentOf(needOf(sums) ?? "") === contentOf(shared.need)) return this.ask();
    const wanted = namesIn(shared.need) || "the example";
    this.set({ why: `The link asks about ${wanted}, and what is open differs from it. Open the sender's files to compare the answers.` });
  }

  /** Returns the hashes of the dump's files; undefined if they cannot be read. */
  sums(): Promise<FileSum[] | undefined> {
    if (!this.#worker) this.#send(readOf(this.state.files), { kind: "again" });
    return new Promise((take) => this.#send({ type: "sumdump" }, { kind: "sums", take }));
  }

  /** Asks the question that is shown. */
  ask(): void {
    const { dump, asking, question, form, files } = this.state;
    if (!dump || asking) return;
    if (!this.#worker) this.#send(readOf(files), { kind: "again" });
    const asked = askOf(question, form);
    this.set({ asking: { question, began: performance.now(), doing: "" }, why: "" });
    this.#send(asked, { kind: "answer", asked });
  }

  /** Shows what is requested on a node, undefined for none; the answer waits for the question that is under way. */
  inspect(at: number | undefined): void {
    const { dump, files } = this.state;
    const name = dump?.nodes[at ?? -1]?.name;
    this.set({ inspected: at === undefined || name === undefined ? undefined : { at, document: undefined } });
    if (at === undefined || name === undefined) return;
    if (!this.#worker) this.#send(readOf(files), { kind: "again" });
    this.#send({ type: "ask", question: "node", names: [name] }, { kind: "node", at });
  }

  /** Ends what is under way, and the worker with it. */
  cancel(): void {
    const { asking, reading } = this.state;
    if (!asking && !reading) return;
    this.#end();
    this.set({ asking: undefined, reading: undefined, opened: this.state.dump !== undefined, why: "Cancelled." });
  }

  /** Returns the latest answer to the question that is shown as a file; undefined if it cannot be written. */
  file(as: SaveAs): Promise<SavedFile | undefined> {
    const { question } = this.state;
    return new Promise((take) => {
      if (this.#worker) this.#send({ type: "save", question, as }, { kind: "file", take });
      else {
        this.set({ why: "The answer's worker was cancelled: ask again, then save." });
        take(undefined);
      }
    });
  }

  /** Returns the play behind a document of the latest answer to a question; undefined if it cannot be played again. */
  play(question: Question, document: number): Promise<ClusterPlay | undefined> {
    return new Promise((take) => {
      if (this.#worker) return this.#send({ type: "watch", question, document }, { kind: "play", take });
      this.set({ why: "The answer's worker was cancelled: ask again, then watch." });
      take(undefined);
    });
  }

  /** Returns why the pod of a shot gets its node; undefined if that cannot be found out. */
  why(question: Question, document: number, shot: number): Promise<ClusterDocument | undefined> {
    return new Promise((take) => {
      if (this.#worker) this.#send({ type: "whyhere", question, document, shot }, { kind: "why", take });
      else take(undefined);
    });
  }

  #send(message: ToCluster, wanted: Wanted): void {
    if (!this.#worker) {
      const worker = this.begin((download) => this.set({ download }));
      worker.listen((answer) => worker === this.#worker && this.#receive(answer));
      this.#worker = worker;
    }
    this.#wanted.push(wanted);
    this.#worker.send(message);
  }

  #end(): void {
    this.#worker?.end();
    this.#worker = undefined;
    for (const wanted of this.#wanted.splice(0)) if ("take" in wanted) wanted.take(undefined);
  }

  #receive(message: FromCluster): void {
    const { asking, answers, inspected } = this.state;
    switch (message.type) {
      case "reading":
        if (!asking) this.set({ reading: message });
        else this.set({ asking: { ...asking, doing: `reading ${message.file}` } });
        return;
      case "asking":
        if (asking)
          this.set({
            asking: { ...asking, doing: message.of > 0 ? `${message.done + 1} of ${message.of}: ${message.doing}` : message.doing },
          });
        return;
    }
    const wanted = this.#wanted.shift();
    if (message.type === "trouble") {
      if (wanted && "take" in wanted) wanted.take(undefined);
      if (message.trouble.class === "gone" || wanted?.kind === "dump" || wanted?.kind === "again") this.#end(); // no cluster: nothing can be asked
      this.set({ asking: undefined, reading: undefined, opened: this.state.dump !== undefined, why: message.trouble.sentence });
    } else if (message.type === "dump") {
      this.set({ reading: undefined });
      if (wanted?.kind === "dump") {
        this.set({ dump: message });
        if (this.#asks) this.ask();
        else void this.#askShared();
        this.#asks = false;
      }
      if (asking) this.set({ asking: { ...asking, doing: "" } });
    } else if (message.type === "answer" && wanted?.kind === "answer") {
      const { documents, before = [], nodes, wall_us, digest } = message;
      const answered = { digest, documents, before, nodes: new Set(nodes), seconds: wall_us / 1e6, asked: wanted.asked };
      this.set({ asking: undefined, answers: { ...answers, [wanted.asked.question]: answered } });
    } else if (message.type === "answer" && wanted?.kind === "node") {
      if (wanted.at === inspected?.at) this.set({ inspected: { at: wanted.at, document: message.documents[0] } });
    } else if (message.type === "answer" && wanted?.kind === "why") wanted.take(message.documents[0]);
    else if (message.type === "sums" && wanted?.kind === "sums") wanted.take(message.files);
    else if (message.type === "file" && wanted?.kind === "file") wanted.take(message);
    else if (message.type === "clusterplay" && wanted?.kind === "play") wanted.take(message);
  }
}

/** Pauses the run of the map as soon as a dump is opened: both would share memory and processor. Returns what lets it play on. */
export function holdRun(store: Store<"told">, cluster: Cluster): () => void {
  let held = false;
  const look = () => {
    if (held || !cluster.state.opened || !store.state.status?.playing) return;
    held = true;
    store.send({ type: "pause" });
  };
  const stop = all(store.watch(["status"], look), cluster.watched.watch(["cluster"], look));
  return () => {
    stop();
    if (held) store.send({ type: "play" });
  };
}

function readOf(files: File[]): ToCluster {
  return files.length > 0 ? { type: "readdump", files } : { type: "readdump" };
}
