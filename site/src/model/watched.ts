// State that can be watched: one plain object, changed by set and watched by key.

export class Watched<State extends object> {
  #watchers = new Map<PropertyKey, Set<() => void>>();
  #changed = new Set<PropertyKey>();

  constructor(readonly state: State) {}

  /** Changes some of the state; watchers are called soon, once for all changes of one turn. */
  set(change: Partial<State>): void {
    if (this.#changed.size === 0) queueMicrotask(() => this.#tell());
    Object.assign(this.state, change);
    for (const key of Object.keys(change)) this.#changed.add(key);
  }

  /** Calls listener now and whenever one of keys was set; returns the way to stop. */
  watch(keys: (keyof State)[], listener: () => void): () => void {
    for (const key of keys) {
      const set = this.#watchers.get(key) ?? new Set();
      this.#watchers.set(key, set.add(listener));
    }
    listener();
    return () => {
      for (const key of keys) this.#watchers.get(key)?.delete(listener);
    };
  }

  #tell(): void {
    const called = new Set<() => void>();
    for (const key of this.#changed) for (const listener of this.#watchers.get(key) ?? []) called.add(listener);
    this.#changed.clear();
    for (const listener of called) listener();
  }
}

/** Calls all of the ways to stop. */
export function all(...stops: (() => void)[]): () => void {
  return () => {
    for (const stop of stops) stop();
  };
}
