// The columns of the run so far, for charts and reports. A run of months must
// not grow without end: when there are too many samples, neighbours are merged
// into their mean, so that what is kept always covers the whole run evenly.
import type { Column } from "../base/messages.ts";

const MOST = 8192; // samples kept
const EARLY = 30; // samples from which on they are enough for a line
const LIVE = 256; // live points at most

export interface Track {
  id: string;
  name: string;
  unit: string;
  values: number[];
}

export class Series {
  at: number[] = []; // simulated microseconds
  tracks = new Map<string, Track>();
  version = 0;
  #live: { at: number; values: Record<string, number> }[] = []; // between samples, oldest first
  #merged = 1; // samples that one kept sample stands for
  #waiting: { at: number; values: Map<string, number>; count: number } | undefined;

  /** Takes new samples; with reset, they are the first ones of a run. */
  append(reset: boolean, at: number[], columns: Column[]): void {
    if (reset) {
      if (this.at.length > 0) this.#live = []; // another course
      this.at = [];
      this.tracks.clear();
      this.#merged = 1;
      this.#waiting = undefined;
    }
    for (const { id, name, unit } of columns) {
      if (!this.tracks.has(id)) this.tracks.set(id, { id, name, unit, values: this.at.map(() => 0) });
    }
    for (let i = 0; i < at.length; i++) this.#add(at[i], columns, i);
    this.version++;
  }

  /** Takes present values, by column. They are only drawn: no figure is made of them. */
  live(at: number, values: Record<string, number>): void {
    const last = this.#live.at(-1);
    if (last?.at === at) return;
    if (last && last.at > at) this.#live = this.#live.filter((point) => point.at < at);
    if (last && last.at > this.at[EARLY - 1]) this.#live.pop(); // from the 30th sample on only the newest live point is kept
    if (this.#live.length >= LIVE) this.#live = this.#live.filter((_, i) => i % 2 === 1);
    this.#live.push({ at, values });
    this.version++;
  }

  /** Another run begins. */
  forget(): void {
    this.#live = [];
  }

  /** The samples with the live points among them, for a chart. A column that has no present value keeps its last one. */
  drawn(ids: string[]): { at: number[]; lines: (number | null)[][] } {
    const samples = ids.map((id) => this.tracks.get(id)?.values);
    const at: number[] = [];
    const lines: (number | null)[][] = ids.map(() => []);
    let next = 0;
    const upTo = (time: number) => {
      for (; next < this.at.length && this.at[next] <= time; next++) {
        at.push(this.at[next]);
        for (let k = 0; k < ids.length; k++) lines[k].push(samples[k]?.[next] ?? 0);
      }
    };
    for (const point of this.#live) {
      upTo(point.at);
      if (at.at(-1) === point.at) continue;
      at.push(point.at);
      for (let k = 0; k < ids.length; k++) lines[k].push(point.values[ids[k]] ?? lines[k].at(-1) ?? null);
    }
    upTo(Number.POSITIVE_INFINITY);
    return { at, lines };
  }

  /** What there is now, which stays as it is while the run goes on. */
  copy(): Series {
    const copy = new Series();
    copy.at = [...this.at];
    for (const [id, track] of this.tracks) copy.tracks.set(id, { ...track, values: [...track.values] });
    copy.version = this.version;
    return copy;
  }

  /** The newest value of a column. */
  last(id: string): number | undefined {
    return this.tracks.get(id)?.values.at(-1);
  }

  #add(at: number, columns: Column[], i: number): void {
    const sums = (this.#waiting ??= { at, values: new Map(), count: 0 });
    sums.at = at;
    sums.count++;
    for (const { id, values } of columns) sums.values.set(id, (sums.values.get(id) ?? 0) + values[i]);
    if (sums.count < this.#merged) return;
    this.at.push(sums.at);
    for (const [id, track] of this.tracks) track.values.push((sums.values.get(id) ?? 0) / sums.count);
    this.#waiting = undefined;
    if (this.at.length >= MOST) this.#halve();
  }

  #halve(): void {
    this.#merged *= 2;
    this.at = this.at.filter((_, i) => i % 2 === 1);
    for (const track of this.tracks.values()) {
      track.values = this.at.map((_, i) => (track.values[2 * i] + track.values[2 * i + 1]) / 2);
    }
  }
}
