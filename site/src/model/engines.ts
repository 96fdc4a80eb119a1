// Which worker plays. Every run that is asked for starts in a worker of its own, and
// takes the place of the one before when its first moment is over: so the old run
// plays on, a start can always be cancelled, whatever it computes, and its memory
// is free at once. Files, and systems that the first worker has not, are played by
// a worker with the whole program, and programs of users by one with their interpreter.
import type { Download } from "../base/format.ts";
import type {
  FromCluster,
  FromLab,
  FromPlanner,
  FromSweep,
  FromWorker,
  ToCluster,
  ToLab,
  ToPlanner,
  ToSweep,
  ToWorker,
} from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";

/** A program in a worker. */
export interface Engine<To, From> {
  send(message: To): void;
  listen(listener: (message: From) => void): void;
  end(): void;
}

/** The programs of the simulation: each has what those before it have, and more. */
export type Part = "worker" | "whole" | "program";

export type Simulation = Engine<ToWorker, FromWorker>;

/** Receives how much of a program has been loaded; undefined when all of it has. */
type Progress = (download: Download | undefined) => void;

/** Starts what works beside the simulation, each in workers of its own. */
export interface Starts {
  lab: () => Engine<ToLab, FromLab>;
  planner: (progress: Progress) => Engine<ToPlanner, FromPlanner>;
  sweep: (progress: Progress) => Engine<ToSweep, FromSweep>;
  cluster: (progress: Progress) => Engine<ToCluster, FromCluster>;
  simulation: (scenario: Scenario, files: boolean) => Simulation;
}

/** How long an engine may say nothing while it should. */
export const PATIENCE = 3000; // ms

/** More between two looks at the clock means that the page itself stood still. */
const ASLEEP = 2000; // ms

/** An engine with what is known of its silence. */
interface Watch {
  engine: Simulation;
  part: Part;
  ready: boolean; // its program has started
  works: boolean; // it plays, starts, reads or seeks: the next word will come by itself
  asked: boolean; // it owes an answer
  since: number; // ms; the last word on either side
}

type Opens = Extract<ToWorker, { type: "open" }>;

const ANSWERED = new Set<ToWorker["type"]>(["open", "pause", "step", "seek", "explain", "read_story", "fault"]);

export class Engines {
  #now: Watch;
  #coming: Watch | undefined; // opens what is to take the place of #now's run
  #used = false; // #now was asked to open something
  #opened = false; // #now has a run
  #lives = true; // #now's program has not ended
  #failed: FromWorker | undefined; // why #now never started, until something is asked of it
  #first: Set<string> | undefined; // the systems of the first program, once it said so
  #held: Opens | undefined; // until then it is unknown which engine can play it
  #speed: number;
  #looked: number;
  #silent = false;

  /** start makes an engine of a program; plays reports whether a system plays a scenario's program; quiet hears when one is silent that should speak, and when it speaks again. */
  constructor(
    readonly start: (part: Part) => Simulation,
    readonly hear: (message: FromWorker) => void,
    readonly quiet: (silent: boolean) => void,
    readonly clock: () => number,
    speed: number,
    readonly plays: (system: string) => boolean = () => false,
  ) {
    this.#speed = speed;
    this.#looked = clock();
    this.#now = this.#begin("worker");
  }

  send(message: ToWorker): void {
    switch (message.type) {
      case "open":
        return this.#open(message);
      case "cancel":
        if (!this.#coming && !this.#held) break;
        this.#drop();
        return this.hear({ type: "cancelled" });
      case "speed":
        this.#speed = message.speed;
        if (this.#coming) this.#tell(this.#coming, message);
        break;
      case "play":
      case "pause": // what comes plays on as the viewer wants
        if (this.#held) this.#held = { ...this.#held, play: message.type === "play" };
        else if (this.#coming) this.#tell(this.#coming, message);
        break;
    }
    this.#tell(this.#now, message);
  }

  /** Tells whether the first program can play a scenario; one that has not said so yet may. */
  brings({ system }: Scenario): boolean {
    return this.#first?.has(system) ?? true;
  }

  /** The smallest program that can play a scenario. */
  partFor(scenario: Scenario, files: boolean): Part {
    if (scenario.program !== undefined || this.plays(scenario.system)) return "program";
    return files || scenario.workload?.system || !this.brings(scenario) ? "whole" : "worker"; // those of the first one bring no work
  }

  /** Ends what there is; the next run starts in a new engine. */
  end(): void {
    this.#drop();
    this.#now.engine.end();
    this.#now.works = this.#now.asked = false;
    this.#failed = undefined;
    this.#used = true;
    this.#lives = false;
    this.look();
  }

  /** Looks at the clock; to be called a few times a second. */
  look(): void {
    const now = this.clock();
    const slept = now - this.#looked > ASLEEP;
    this.#looked = now;
    const all = [this.#now, ...(this.#coming ? [this.#coming] : [])];
    if (slept) for (const watch of all) watch.since = now;
    const silent = all.some(({ ready, works, asked, since }) => ready && (works || asked) && now - since >= PATIENCE);
    if (silent !== this.#silent) this.quiet((this.#silent = silent));
  }

  #open(message: Opens): void {
    const files = (message.files?.length ?? 0) > 0;
    this.#drop();
    const failed = this.#failed;
    this.#failed = undefined;
    if (failed) {
      this.#used = true;
      return this.hear(failed);
    }
    if (!this.#used && !files && !this.#first && message.scenario.program === undefined) {
      this.#held = message;
      return;
    }
    const part = this.partFor(message.scenario, files);
    if (!this.#used && part === "worker") {
      this.#used = true;
      return this.#tell(this.#now, message);
    }
    if (!this.#opened && (this.#now.works || this.#now.asked)) {
      this.#now.engine.end(); // what it was to open first is no longer wanted
      this.#tell((this.#now = this.#begin(part)), message);
    } else this.#tell((this.#coming = this.#begin(part)), message);
  }

  #begin(part: Part): Watch {
    const watch: Watch = { engine: this.start(part), part, ready: false, works: false, asked: false, since: this.clock() };
    watch.engine.listen((message) => this.#hear(watch, message));
    watch.engine.send({ type: "speed", speed: this.#speed });
    return watch;
  }

  #drop(): void {
    this.#coming?.engine.end();
    this.#coming = this.#held = undefined;
    this.look();
  }

  #tell(watch: Watch, message: ToWorker): void {
    if (ANSWERED.has(message.type) && !watch.works && !watch.asked) watch.since = this.clock();
    watch.asked ||= ANSWERED.has(message.type);
    watch.engine.send(message);
  }

  #hear(watch: Watch, message: FromWorker): void {
    if (watch !== this.#now && watch !== this.#coming) return;
    watch.ready = true;
    watch.since = this.clock();
    note(watch, message);
    if (message.type === "ready" && watch.part === "worker") this.#first ??= new Set(message.systems.map(({ id }) => id));
    const gone = message.type === "trouble" && message.trouble.class === "gone";
    if (watch === this.#now) {
      this.#lives &&= !gone;
      this.#opened ||= message.type === "opened";
      if (gone && !this.#used && !this.#held)
        this.#failed = message; // it is told with what it cannot open
      else if (!gone || !this.#coming) this.hear(message); // what comes decides
    } else if (message.type === "opened") {
      this.#now.engine.end();
      [this.#now, this.#coming] = [watch, undefined];
      this.#used = this.#opened = this.#lives = true;
      this.hear(message);
    } else if (message.type === "trouble") {
      this.#drop();
      this.hear(gone && this.#lives ? { type: "trouble", trouble: { ...message.trouble, class: "missing" } } : message);
    } else if (message.type !== "ready" || !this.#lives || watch.part !== "worker") this.hear(message);
    if (gone && watch === this.#now && this.#held) [this.#held, this.#used] = [undefined, true];
    const held = this.#held;
    if (held && this.#first) this.#open(held);
    this.look();
  }
}

/** What a message tells of those to come. */
function note(watch: Watch, message: FromWorker): void {
  switch (message.type) {
    case "progress":
    case "opened": // a status follows
      watch.works = true;
      watch.asked = false;
      return;
    case "status":
      watch.works = message.status.playing;
      watch.asked = false;
      return;
    case "trouble":
    case "cancelled":
    case "ended":
      watch.works = watch.asked = false;
      return;
    case "decision":
    case "story":
    case "scenario":
      watch.asked = false;
  }
}
