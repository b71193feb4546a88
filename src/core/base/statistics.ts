declare const sorted: unique symbol;

/** Numbers known to be ascending: the only thing a percentile can be taken of. */
export type Sorted = Float64Array & { readonly [sorted]: true };

/** Sorts a copy, nulls left out. */
export function sortedOf(values: Iterable<number | null>): Sorted {
  const kept: number[] = [];
  for (const value of values) if (value !== null) kept.push(value);
  return Float64Array.from(kept).sort() as Sorted;
}

/** Nearest-rank percentile, `sorted[ceil(p·n) − 1]`, p in (0, 1]; null for an empty list. */
export function percentile(values: Sorted, p: number): number | null {
  // 0.99 × 100 is 99.00000000000001 in doubles: without the guard p99 of 100 values would be the maximum.
  const rank = Math.ceil(p * values.length - 1e-9);
  return values[Math.max(0, rank - 1)] ?? null;
}

/** Whether n values support this percentile: at least one is expected beyond it. */
export function supportsPercentile(n: number, p: number): boolean {
  return n * (1 - p) >= 1 - 1e-9;
}

/** The median: for an even count, the mean of the two middle values. Ignores nulls; null for an empty list. */
export function median(values: readonly (number | null)[]): number | null {
  const all = sortedOf(values);
  if (all.length === 0) return null;
  const half = all.length >> 1;
  const upper = all[half] as number;
  return all.length % 2 === 1 ? upper : ((all[half - 1] as number) + upper) / 2;
}

/** Least and greatest of any number of values; infinite and inverted for none. `Math.min(...values)` fails above some 120,000. */
export function rangeOf(values: Iterable<number>): { readonly least: number; readonly most: number } {
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of values) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return { least, most };
}

/** Arithmetic mean; null for no values. */
export function mean(values: Float64Array): number | null {
  let total = 0;
  for (const value of values) total += value;
  return values.length === 0 ? null : total / values.length;
}
