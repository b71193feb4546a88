/** Upper bounds of the buckets, ms. */
export const LATENESS_BOUNDS_MS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] as const;

/** An event later than this was late: twice what a timer's resolution of 1 ms explains, and some. */
const LATE_MS = 5;
/** More late events than this, and the timing was not kept. */
const LATE_SHARE = 0.01;

export interface LatenessMeter {
  add(ms: number): void;
  read(): Lateness;
}

/** How late events came. */
export interface Lateness {
  readonly events: number;
  /** Events no later than each of {@link LATENESS_BOUNDS_MS}; what is missing to `events` was later. */
  readonly upTo: readonly number[];
  readonly sumMs: number;
  readonly maxMs: number;
  /** Whether at most 1 % of the events were more than 5 ms late. */
  readonly kept: boolean;
}

/** An empty meter. */
export function createLatenessMeter(): LatenessMeter {
  const counts = new Array<number>(LATENESS_BOUNDS_MS.length + 1).fill(0);
  let sumMs = 0;
  let maxMs = 0;
  let late = 0;
  let events = 0;
  return {
    add(ms) {
      const bucket = LATENESS_BOUNDS_MS.findIndex((bound) => ms <= bound);
      const index = bucket === -1 ? LATENESS_BOUNDS_MS.length : bucket;
      counts[index] = (counts[index] as number) + 1;
      events++;
      sumMs += ms;
      if (ms > maxMs) maxMs = ms;
      if (ms > LATE_MS) late++;
    },
    read() {
      let sum = 0;
      const upTo = LATENESS_BOUNDS_MS.map((_, i) => {
        sum += counts[i] as number;
        return sum;
      });
      return { events, upTo, sumMs, maxMs, kept: late <= events * LATE_SHARE };
    },
  };
}
