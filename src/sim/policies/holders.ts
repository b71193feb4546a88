/** Values by segment and worker: which workers hold something of which segment. */
export interface Holders<T> {
  /** The workers that hold something of a segment, in order of their first; undefined when none does. */
  of(key: number): ReadonlyMap<number, T> | undefined;
  set(key: number, worker: number, value: T): void;
  delete(key: number, worker: number): void;
}

/** An empty map of holders; a segment that nobody holds any more takes no room. */
export function createHolders<T>(): Holders<T> {
  const bySegment = new Map<number, Map<number, T>>();
  return {
    of: (key) => bySegment.get(key),
    set(key, worker, value) {
      const workers = bySegment.get(key);
      if (workers === undefined) bySegment.set(key, new Map([[worker, value]]));
      else workers.set(worker, value);
    },
    delete(key, worker) {
      const workers = bySegment.get(key);
      if (workers?.delete(worker) === true && workers.size === 0) bySegment.delete(key);
    },
  };
}
