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

/** What the verdicts of one candidate say of one measure. */
export interface VerdictWords {
  readonly label: string;
  /** The measure's heading. */
  readonly measure: string;
  readonly better: number;
  readonly worse: number;
  readonly same: number;
  /** Cells without a verdict. */
  readonly open: number;
  /** Median over the cells that have a change; null when none has. */
  readonly change: number | null;
  readonly unit: ChangeUnit;
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
