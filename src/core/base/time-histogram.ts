import { roundMs } from './round.js';

/**
 * Counts of times in the buckets of an HDR histogram of whole microseconds with 3 significant digits: 1 µs wide below
 * 2,048 µs, then twice as wide for every doubling, so that a value is known to 0.1 %. Memory does not grow with what is
 * added. Histograms add up, over threads and trials.
 */
export interface TimeHistogram {
  add(ms: number): void;
  /** Adds what another holds. */
  merge(counts: TimeCounts): void;
  counts(): TimeCounts;
  /** Values added. */
  size(): number;
  /** Nearest rank, p in (0, 1], as the greatest value its bucket stands for, ms; null when empty. */
  percentile(p: number): number | null;
  /** ms, to 0.1 %; null when empty. */
  mean(): number | null;
  /** ms, exact to the microsecond; null when empty. */
  max(): number | null;
}

/** What a histogram holds, as data that can cross threads. */
export interface TimeCounts {
  /** Counts by bucket, from the lowest; as long as the highest that was needed. */
  readonly buckets: Float64Array;
  readonly maxUs: number;
}

/** 3 digits: 2 · 10³ values, rounded up to a power of two, of the lowest bucket; half of that in every other. */
const FIRST_BUCKETS = 2048;
const HALF = FIRST_BUCKETS / 2;
/** log2 of HALF, and what Math.clz32 gives for the values below FIRST_BUCKETS. */
const HALF_BITS = 10;
const LEADING_ZEROS = 31 - HALF_BITS;
/** An hour: longer than any time in a run, and the longest a histogram of kvbench tells apart. */
export const LONGEST_US = 3_600_000_000;

/** An empty histogram. */
export function createTimeHistogram(): TimeHistogram {
  let buckets = new Float64Array(FIRST_BUCKETS);
  let size = 0;
  let maxUs = 0;

  function grow(length: number): void {
    if (length <= buckets.length) return;
    const grown = new Float64Array(Math.ceil(length / HALF) * HALF);
    grown.set(buckets);
    buckets = grown;
  }

  return {
    add(ms) {
      const us = Math.min(LONGEST_US, Math.max(0, Math.round(ms * 1000)));
      const index = bucketOf(us);
      if (index >= buckets.length) grow(index + 1);
      buckets[index] = (buckets[index] as number) + 1;
      size++;
      if (us > maxUs) maxUs = us;
    },
    merge(other) {
      grow(other.buckets.length);
      for (let index = 0; index < other.buckets.length; index++) {
        const count = other.buckets[index] as number;
        buckets[index] = (buckets[index] as number) + count;
        size += count;
      }
      maxUs = Math.max(maxUs, other.maxUs);
    },
    counts: () => ({ buckets, maxUs }),
    size: () => size,
    percentile(p) {
      if (size === 0) return null;
      let left = Math.max(1, Math.ceil(p * size - 1e-9));
      for (let index = 0; index < buckets.length; index++) {
        left -= buckets[index] as number;
        if (left <= 0) return roundMs(Math.min(maxUs, lowestUsOf(index + 1) - 1) / 1000);
      }
      return roundMs(maxUs / 1000);
    },
    mean() {
      let sumUs = 0;
      for (let index = 0; index < buckets.length; index++) {
        const count = buckets[index] as number;
        if (count > 0) sumUs += count * ((lowestUsOf(index) + lowestUsOf(index + 1) - 1) / 2);
      }
      return size === 0 ? null : roundMs(sumUs / size / 1000);
    },
    max: () => (size === 0 ? null : roundMs(maxUs / 1000)),
  };
}

/** The bucket that counts a value of whole microseconds. */
function bucketOf(us: number): number {
  const shift = Math.max(0, LEADING_ZEROS - Math.clz32(us));
  return shift * HALF + (us >>> shift);
}

/** The lowest value that a bucket counts, µs. */
export function lowestUsOf(bucket: number): number {
  if (bucket < FIRST_BUCKETS) return bucket;
  const shift = Math.floor(bucket / HALF) - 1;
  return (bucket - shift * HALF) * 2 ** shift;
}
