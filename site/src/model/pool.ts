// Workers that play runs beside the one on the page: each run from its start to its
// end at full speed, in a worker that no other run has meanwhile.
import type { FromWorker, ToWorker } from "../base/messages.ts";
import type { Scenario } from "../base/scenario.ts";
import type { Simulation } from "./engines.ts";

/** Runs that play at the same time, however many cores there are: each holds a cell. */
const MOST_AT_ONCE = 6;

/** How many runs may play beside the one on the page. */
export function coresFor(cores: number): number {
  return Math.max(1, Math.min(MOST_AT_ONCE, cores - 1));
}

interface Seat {
  player: Simulation;
  suits: string; // the system and whether there are files: which program it has
  hear: ((message: FromWorker) => void) | undefined; // undefined: it is idle
  ready: boolean; // what it says is about the latest run, not about the one before
}

/** A run under way: what its worker may be asked meanwhile, and how it is ended before. */
export interface Playing {
  send(message: ToWorker): void;
  end(): void;
}

/** Frames are not given back: so the engines stop drawing them. */
export class Pool {
  #seats = new Set<Seat>();

  /** keep: a worker whose run is over waits for the next one of its system, which saves its start and holds its memory; else it can be asked of its run until that is ended. */
  constructor(
    readonly begin: (scenario: Scenario, files: boolean) => Simulation,
    readonly keep: boolean,
  ) {}

  /** Plays a run; hear gets what its worker says, up to its end or what went wrong. */
  play(scenario: Scenario, files: File[], hear: (message: FromWorker) => void): Playing {
    const seat = this.#seat(scenario, files.length > 0);
    seat.hear = hear;
    seat.player.send({ type: "open", scenario, play: true, once: true, ...(files.length > 0 ? { files } : {}) });
    return {
      send: (message) => seat.hear === hear && seat.player.send(message),
      end: () => seat.hear === hear && this.#end(seat),
    };
  }

  /** Ends all workers, whatever they play. */
  close(): void {
    for (const seat of this.#seats) this.#end(seat);
  }

  #seat(scenario: Scenario, files: boolean): Seat {
    const suits = `${scenario.system} ${files}`;
    for (const seat of this.#seats) {
      if (seat.hear) continue;
      if (seat.suits === suits) {
        seat.ready = false;
        return seat;
      }
      this.#end(seat);
    }
    const seat: Seat = { player: this.begin(scenario, files), suits, hear: undefined, ready: true };
    this.#seats.add(seat);
    seat.player.listen((message) => this.#receive(seat, message));
    seat.player.send({ type: "speed", speed: 0 });
    return seat;
  }

  #receive(seat: Seat, message: FromWorker): void {
    const { hear } = seat;
    if (!this.#seats.has(seat) || !hear) return;
    if (message.type === "opened" || message.type === "trouble") seat.ready = true;
    if (!seat.ready && message.type !== "progress") return; // it is about the run before
    if (message.type === "trouble") this.#end(seat);
    if (message.type === "ended" && this.keep) seat.hear = undefined;
    hear(message);
  }

  #end(seat: Seat): void {
    this.#seats.delete(seat);
    seat.hear = undefined;
    seat.player.end();
  }
}
