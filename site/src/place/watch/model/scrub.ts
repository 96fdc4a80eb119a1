// Going to moments faster than the run can: while one is on its way, the newest
// wish waits and older ones are dropped.

/** The way of one pointer or key along the timeline. Times are whole µs. */
export class Scrub {
  #under: number | undefined; // way: where the run was sent and has not come yet
  #next: number | undefined;
  #go: (at: number) => void;

  constructor(go: (at: number) => void) {
    this.#go = go;
  }

  /** Wants to be at a moment: at once if nothing is under way, and else as soon as that has come. */
  wish(at: number): void {
    const whole = Math.max(1, Math.round(at)); // the position 0 is never shown: that moment is over when a run begins
    if (this.#under === undefined) this.#send(whole);
    else this.#next = whole;
  }

  /** Wants to end at a moment: at once, whatever is under way. */
  end(at: number): void {
    this.#under = this.#next = undefined;
    this.#go(Math.max(1, Math.round(at)));
  }

  /** The run is at a moment. */
  came(at: number): void {
    if (at !== this.#under) return;
    const next = this.#next;
    this.#under = this.#next = undefined;
    if (next !== undefined && next !== at) this.#send(next);
  }

  #send(at: number): void {
    this.#under = at;
    this.#go(at);
  }
}
