import type { RunFile } from '../measure/run-file.js';
import type { ChangedCondition } from './changed-conditions.js';

/** Something that is not the same in two runs; null where a side has none. */
export interface Difference {
  /** Name of a setting, or of a field of run.json or of a request. */
  readonly what: string;
  /** Whether it is a field of the requests sent. */
  readonly sent: boolean;
  readonly first: string | null;
  readonly second: string | null;
}

/** What was seen of two runs, or of one that is compared: see {@link EVIDENCE}. */
export const COMPARISON_EVIDENCE = {
  differing: (of: { readonly differences: readonly Difference[] }) =>
    of.differences
      .map(
        ({ what, sent, first, second }) =>
          `${sent ? 'sent ' : ''}${what}: ${first ?? 'none'} and ${second ?? 'none'}`,
      )
      .join('; '),
  /** The first digits of each. */
  'hashes-differ': (of: { readonly first: string; readonly second: string }) =>
    `the hashes over every prompt differ (${of.first} and ${of.second})`,
  'other-salt': () => 'equal workload hash, another salt',
  'conditions-changed': (of: { readonly changed: readonly ChangedCondition[] }) =>
    `${of.changed.length} recorded conditions changed: ${of.changed.map(({ key, before, after }) => `${key}: ${before ?? 'not stated'} and ${after ?? 'not stated'}`).join('; ')}`,
  'same-run': () => 'both are the same run',
  'no-common-cell': () => 'no cell was measured by both',
  'lone-cells': (of: { readonly cells: number }) =>
    `${of.cells === 1 ? '1 cell was' : `${of.cells} cells were`} measured by one of them only`,
  /** Means, one decimal. */
  'answer-lengths': (of: { readonly first: string; readonly second: string }) =>
    `answers of ${of.first} and ${of.second} tokens on average`,
  /** `failed`: of the first and of the second. */
  'ok-in-one': (of: {
    readonly differ: number;
    readonly requests: number;
    readonly failed: readonly [number, number];
  }) =>
    `${of.differ} of ${of.requests} requests were ok in one run only (failed: ${of.failed.join(' and ')})`,
  'other-repeats': () => 'the two kept different repeats',
  'single-trials': () => 'each cell has a single trial',
  'no-requests': () => 'grid.csv holds no requests',
  'cells-unmeasured': (of: {
    readonly status: RunFile['status'];
    readonly unmeasured: number;
    readonly cells: number;
  }) => `the run is ${of.status}: ${of.unmeasured} of ${of.cells} cells were never measured`,
  'few-ok': () => 'fewer than 100 ok requests in a trial',
} as const;
