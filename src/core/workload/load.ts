import type { Rng } from '../base/rng.js';

/** How requests are offered. */
export type Load =
  /** `concurrency` requests always in flight. */
  | { readonly kind: 'closed'; readonly concurrency: number }
  /** `rate` requests per second, sent when due whatever is still in flight. */
  | { readonly kind: 'open'; readonly rate: number };

/** A load in a CSV row or a record, keys as there; null in the columns of other kinds. */
export interface LoadColumns {
  readonly concurrency: number | null;
  readonly rate: number | null;
}

/** The columns of a load, in their order. */
export const LOAD_COLUMNS = ['concurrency', 'rate'] as const satisfies readonly (keyof LoadColumns)[];

/** The loads of a scenario, closed ones first, each kind in the order given. */
export function listLoads(given: {
  readonly concurrency: readonly number[];
  readonly rate: readonly number[];
}): readonly Load[] {
  return [
    ...given.concurrency.map((concurrency): Load => ({ kind: 'closed', concurrency })),
    ...given.rate.map((rate): Load => ({ kind: 'open', rate })),
  ];
}

/** `c8` or `q20`: part of the ids of cells and trials; equal loads have equal ids. */
export function loadId(load: Load): string {
  return load.kind === 'closed' ? `c${load.concurrency}` : `q${load.rate}`;
}

/** `c=8` or `20/s`: the head of a table column. */
export function loadLabel(load: Load): string {
  return load.kind === 'closed' ? `c=${load.concurrency}` : `${load.rate}/s`;
}

/** `8 in flight` or `20 requests/s`. */
export function describeLoad(load: Load): string {
  return load.kind === 'closed' ? `${load.concurrency} in flight` : `${load.rate} requests/s`;
}

/** Requests in flight of a closed load, requests per second of an open one: what loads of one kind are sorted and drawn by. */
export function loadSize(load: Load): number {
  return load.kind === 'closed' ? load.concurrency : load.rate;
}

/** Slots that a load keeps filled; null for an open load, which has none. */
export function slotsOf(load: Load): number | null {
  return load.kind === 'closed' ? load.concurrency : null;
}

/** Sorts loads as tables list them: closed ones first, each kind by size. */
export function compareLoads(a: Load, b: Load): number {
  return a.kind.localeCompare(b.kind) || loadSize(a) - loadSize(b);
}

/** What the CSV columns and records say of a load. */
export function loadColumns(load: Load): LoadColumns {
  return {
    concurrency: load.kind === 'closed' ? load.concurrency : null,
    rate: load.kind === 'open' ? load.rate : null,
  };
}

/** The load that {@link loadColumns} was given; null when no column says one. */
export function loadOfColumns({ concurrency, rate }: LoadColumns): Load | null {
  if (concurrency !== null) return { kind: 'closed', concurrency };
  return rate === null ? null : { kind: 'open', rate };
}

/**
 * When each request of an open load is due, ms from the trial's start, ascending; null for a closed load. Poisson
 * arrivals: exponential gaps summed from the start, so that no error of timing adds up. `draw` makes the random stream
 * where one is needed.
 */
export function planArrivals(load: Load, requests: number, draw: () => Rng): Float64Array | null {
  if (load.kind === 'closed') return null;
  const rng = draw();
  const due = new Float64Array(requests);
  let at = 0;
  for (let i = 0; i < due.length; i++) {
    due[i] = at;
    at += (-Math.log(1 - rng.next()) * 1000) / load.rate;
  }
  return due;
}
