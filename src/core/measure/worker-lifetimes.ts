/**
 * The workers of a run. A target that is started anew between repeats gives its workers new ids: what it has at a time are
 * the workers of one lifetime, not all ids ever seen.
 */
export interface WorkerLifetimes {
  /** Workers at a time: of the lifetime with most of them; 0 when none was named. */
  readonly size: number;
  /** The ids of each lifetime. */
  readonly lifetimes: readonly (readonly string[])[];
  /** All workers of the lifetime that a repeat fell into, idle ones too, `w2` before `w10`; empty when none was named. */
  of(repeat: number): readonly string[];
}

/** `seen`: workers by repeat, in any number of parts. Repeats that share a worker are of one lifetime. */
export function createWorkerLifetimes(
  seen: Iterable<{ readonly repeat: number; readonly workers: Iterable<string> }>,
): WorkerLifetimes {
  let lifetimes: { readonly repeats: Set<number>; readonly workers: Set<string> }[] = [];
  for (const { repeat, workers } of seen) {
    const ids = new Set(workers);
    if (ids.size === 0) continue;
    const joined = { repeats: new Set([repeat]), workers: ids };
    const apart: typeof lifetimes = [];
    for (const lifetime of lifetimes) {
      if (lifetime.repeats.has(repeat) || [...lifetime.workers].some((id) => ids.has(id))) {
        for (const one of lifetime.repeats) joined.repeats.add(one);
        for (const id of lifetime.workers) ids.add(id);
      } else apart.push(lifetime);
    }
    lifetimes = [...apart, joined];
  }
  const known = lifetimes.map(({ repeats, workers }) => ({ repeats, ids: [...workers].sort(byIdText) }));
  return {
    size: Math.max(0, ...known.map(({ ids }) => ids.length)),
    lifetimes: known.map(({ ids }) => ids),
    of: (repeat) => known.find(({ repeats }) => repeats.has(repeat))?.ids ?? [],
  };
}

/** Ids are text, but `w2` should come before `w10`. */
export function byIdText(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
}
