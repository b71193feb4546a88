import type { Comparison } from '../core/comparison.js';
import type { FailResult } from '../core/fail-rule.js';

/** A comparison as JSON: all of {@link Comparison}, with what the gates say. */
export function renderDiffJson(comparison: Comparison, gates: readonly FailResult[]): string {
  const result = {
    schema: 'kvbench-diff/1',
    ...comparison,
    gates: gates.map(({ rule, broken, judged }) => ({
      rule: rule.text,
      passed: judged > 0 && broken.length === 0,
      judged,
      broken,
    })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}
