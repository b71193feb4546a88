import type { ChangeUnit } from '../../core/compare/comparison.js';
import type { LossCause } from '../../core/measure/lost-hits.js';

/** What one side lost of the cached tokens that were expected, over all its cells. */
export interface LossWords {
  readonly label: string;
  /** 0–1. */
  readonly lost: number;
  /** The greatest part of it; null when nothing was lost. */
  readonly cause: LossCause | null;
  /** 0–1, of what was expected. */
  readonly causeShare: number;
}

/** How one measure of one candidate changed, over several cells. */
export interface ChangeWords {
  /** The measure's heading. */
  readonly measure: string;
  /** Of `before` and `after`. */
  readonly unit: string;
  readonly changeUnit: ChangeUnit;
  readonly higherIsBetter: boolean;
  /** Medians over the cells, as shown; null when not reported. */
  readonly before: string | null;
  readonly after: string | null;
  readonly cells: number;
  readonly better: CalledWords;
  readonly worse: CalledWords;
  readonly noVerdict: number;
}

/** Cells called better, or worse. */
interface CalledWords {
  readonly cells: number;
  /** Median size of their changes, above 0; null without any. */
  readonly by: number | null;
}

/** What {@link Messages} needs to describe a workload; numbers as shown. */
export interface WorkloadWords {
  readonly prefixTokens: string;
  readonly tailTokens: string;
  readonly outputTokens: string;
  readonly requests: string;
  readonly repeats: string;
  readonly cells: number;
}
