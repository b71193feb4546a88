import { evidenceMaker } from '../base/evidence.js';
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

/** What was seen of two runs, or of one that is compared, by key. Null where the key says it all. */
export interface ComparisonEvidence {
  readonly differing: { readonly differences: readonly Difference[] };
  /** The first digits of each. */
  readonly 'hashes-differ': { readonly first: string; readonly second: string };
  readonly 'other-salt': null;
  readonly 'conditions-changed': { readonly changed: readonly ChangedCondition[] };
  readonly 'same-run': null;
  readonly 'no-common-cell': null;
  readonly 'lone-cells': { readonly cells: number };
  /** Means, one decimal. */
  readonly 'answer-lengths': { readonly first: string; readonly second: string };
  /** `failed`: of the first and of the second. */
  readonly 'ok-in-one': {
    readonly differ: number;
    readonly requests: number;
    readonly failed: readonly [number, number];
  };
  readonly 'other-repeats': null;
  readonly 'single-trials': null;
  readonly 'no-requests': null;
  readonly 'cells-unmeasured': {
    readonly status: RunFile['status'];
    readonly unmeasured: number;
    readonly cells: number;
  };
  readonly 'few-ok': null;
}

export const comparisonEvidence = evidenceMaker<ComparisonEvidence>();
