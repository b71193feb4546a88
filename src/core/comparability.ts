import type { Side } from './side.js';

/** What forbids a comparison or must be known with it. */
export const COMPARABILITY = {
  'workload-differs': {
    severity: 'forbid',
    advice: 'give both runs the same seed, lengths and number of requests; only --salt may differ',
  },
} as const;

export type ComparabilityCode = keyof typeof COMPARABILITY;

/** `forbid` sets exit code 1; `caution` must be known; `note` explains how the runs were read. */
export type ComparisonSeverity = 'forbid' | 'caution' | 'note';

export interface ComparisonFinding {
  readonly code: ComparabilityCode;
  readonly severity: ComparisonSeverity;
  /** Labels of the sides it is about: baseline and candidate, or one. */
  readonly sides: readonly string[];
  /** Cells or trials; empty when it is about the whole run. */
  readonly where: readonly string[];
  /** What was seen, one line, with figures. */
  readonly seen: string;
  readonly advice: string;
}

/** Everything that must be known before a figure of one side is held against another. */
export function findComparisonFindings(sides: readonly Side[]): ComparisonFinding[] {
  return sides.length < 2 ? [] : [];
}
