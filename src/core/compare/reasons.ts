import type { Evidence } from '../base/evidence.js';

/** Reasons for a missing or small difference that records can show, in printing order. */
export const REASONS = [
  'cached-tokens-not-reported',
  'cached-tokens-from-decode',
  'prefix-below-block',
  'everything-missed',
  'one-worker',
  'all-on-one-worker',
  'deals-in-turn',
  'placed-by-chance',
  'workers-not-reported',
  'at-the-ceiling',
  'fits-in-one-worker',
  'round-robin-in-phase',
  'capacity-short',
  'hot-worker',
  'load-concentrated',
  'queueing-hides-gain',
  'hit-saves-little',
  'median-hits-in-both',
  'median-misses-in-both',
  'client-late',
  'repeats-differ',
] as const;

export type ReasonCode = (typeof REASONS)[number];

/** One reason for a missing or small difference, as the records show it. */
export interface Explanation {
  readonly code: ReasonCode;
  /** Cells in which it was seen, in table order; the evidence is of the first. */
  readonly where: readonly string[];
  readonly evidence: Evidence;
}
