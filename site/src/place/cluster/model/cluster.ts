// Your cluster: a dump of Kubernetes and the questions about it. A worker of its own reads
// the dump and answers; ending it is how to cancel, so a cancelled worker reads the dump
// again before it answers the next question.
import type { Download } from "../../../base/format.ts";
import type { ClusterDocument, FileSum, FromCluster, NamedText, ToCluster } from "../../../base/messages.ts";
import {
  type Answered,
  type Ask,
  askOf,
  type ClusterForm,
  type Colour,
  type DumpRead,
  emptyForm,
  fieldsOfAsk,
  type Question,
} from "../../../model/ask.ts";
import type { Engine } from "../../../model/engines.ts";
import { contentOf, namesIn, needOf } from "../../../model/need.ts";
import { all, type Store } from "../../../model/store.ts";
import { Watched } from "../../../model/watched.ts";
import type { Asked } from "./asked.ts";

export type SaveAs = Extract<ToCluster, { type: "save" }>["as"];

/** The questions that are answered as soon as a dump was read, in their order. */
export const FIRST: Question[] = ["drain", "lose", "fit", "upgrade", "requests", "pending"];
const QUICK: Question[] = ["requests", "pending", "drain", "fit", "upgrade", "lose"]; // those that take longest are asked last
const FIRST_NODES = 1000; // of a dump whose first questions wait for no wish
const FIRST_PODS = 30_000;
const SLOW = 5; // seconds of an answer after which the others wait until they are wanted

type ClusterPlay = Extract<FromCluster, { type: "clusterplay" }>;
type SavedFile = Extract<FromCluster, { type: "file" }>;

export interface ClusterState {
  files: File[]; // behind the dump; none: the example
  opened: boolean; // a dump was asked for
  reading: Extract<FromCluster, { type: "reading" }> | undefined; // how far the reading is
  dump: DumpRead | undefined;
  overview: boolean; // the answers to all first questions are shown, not one question
  question: Question; // whose form is shown, unless all are
  first: Partial<Record<Question, string>>; // of the first questions: "" one that was asked, else why it has no answer
  form: ClusterForm;
  asking: { question: Question; began: number; doing: string } | undefined; // began: of performance.now()
  answers: Partial<Record<Question, Answered>>;
  shared: Asked | undefined; // the question of a link, which is asked when its dump is open
  colour: Colour;
  inspected: { at: number; document: ClusterDocument | undefined } | undefined; // a node, and what is requested on it
  why: string; // why there is no cluster or no answer: one sentence, or ""
  download: Download | undefined; // the program, until all of it is here
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

/** The pods that wait, as the answer about them lists them. */
export function waitingOf({ answers }: ClusterState): string[] {
  const listed = answers.pending?.documents[0]?.grids.find(({ heading }) => heading === "Pending pods");
  return (listed?.rows ?? []).map(([pod]) => pod);
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
  | { kind: "first"; asked: Ask }
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
      overview: true,
      question: "drain",
      first: {},
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
      overview: !question && !shared,
      question: question ?? this.state.question,
      first: {},
      form: shared && !question ? kept : { ...emptyForm(), config, configs, prices, against, ...form },
    });
    this.#send(readOf(files), { kind: "dump" });
  }

  /** Takes the question of a link, which is asked as soon as its dump is open. */
  expect(shared: Asked): void {
    this.set({ shared, overview: false, question: shared.ask.question, form: { ...this.state.form, ...fieldsOfAsk(shared.ask) }, why: "" });
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

  /** Shows the answers to all first questions, or one question with its form; one that is under way can be cancelled then. */
  show(question: Question | undefined): void {
    this.set(question ? { overview: false, question } : { overview: true });
    const at = this.#wanted.findIndex((wanted) => wanted.kind === "first" && wanted.asked.question === question);
    const wanted = this.#wanted[at];
    if (question && wanted?.kind === "first" && !this.state.asking) {
      this.#wanted[at] = { kind: "answer", asked: wanted.asked };
      this.set({ asking: { question, began: performance.now(), doing: "" } });
    }
    this.#askFirst();
  }

  /** Asks the next of the first questions while they are shown and nothing else is wanted of the worker. */
  #askFirst(): void {
    const { dump, overview, asking, answers, first, form } = this.state;
    if (!dump || !overview || asking || !this.#worker || this.#wanted.length > 0) return;
    const question = QUICK.find((one) => !answers[one] && first[one] === undefined);
    if (!question) return;
    const pods = dump.nodes.reduce((sum, node) => sum + node.pods, 0);
    if (dump.nodes.length > FIRST_NODES || pods > FIRST_PODS) return this.#leaveFirst("Not asked yet, as the cluster is large.");
    const asked = askOf(question, form);
    this.set({ first: { ...first, [question]: "" } });
    this.#send(asked, { kind: "first", asked });
  }

  /** Says why the first questions without an answer have none; nothing asks them but a visitor. */
  #leaveFirst(why: string): void {
    const { answers, first } = this.state;
    const left = FIRST.filter((one) => !answers[one] && !first[one]);
    this.set({ first: { ...first, ...Object.fromEntries(left.map((one) => [one, why])) } });
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
    this.#leaveFirst("Not asked yet.");
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
    if (message.type === "trouble" && message.trouble.class !== "gone" && wanted?.kind === "first") {
      this.set({ first: { ...this.state.first, [wanted.asked.question]: message.trouble.sentence } });
    } else if (message.type === "trouble") {
      if (wanted && "take" in wanted) wanted.take(undefined);
      if (message.trouble.class === "gone" || wanted?.kind === "dump" || wanted?.kind === "again") this.#end(); // no cluster: nothing can be asked
      if (!this.#worker) this.#leaveFirst("Not asked yet.");
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
    } else if (message.type === "answer" && (wanted?.kind === "answer" || wanted?.kind === "first")) {
      const { documents, before = [], nodes, filters = [], stops = [], wall_us, digest } = message;
      const answered = { digest, documents, before, nodes: new Set(nodes), filters, stops, seconds: wall_us / 1e6, asked: wanted.asked };
      this.set({ ...(wanted.kind === "answer" && { asking: undefined }), answers: { ...answers, [wanted.asked.question]: answered } });
      if (wanted.kind === "first" && answered.seconds > SLOW) this.#leaveFirst("Not asked yet, as the answer before took long.");
    } else if (message.type === "answer" && wanted?.kind === "node") {
      if (wanted.at === inspected?.at) this.set({ inspected: { at: wanted.at, document: message.documents[0] } });
    } else if (message.type === "answer" && wanted?.kind === "why") wanted.take(message.documents[0]);
    else if (message.type === "sums" && wanted?.kind === "sums") wanted.take(message.files);
    else if (message.type === "file" && wanted?.kind === "file") wanted.take(message);
    else if (message.type === "clusterplay" && wanted?.kind === "play") wanted.take(message);
    this.#askFirst();
  }
}

/** Pauses the run of the map as soon as a dump is opened: both would share memory and processor. Returns what lets it play on. */
export function holdRun(store: Store<"reported">, cluster: Cluster): () => void {
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
