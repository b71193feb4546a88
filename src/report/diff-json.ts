import type { Seen } from '../core/base/evidence.js';
import type { Comparison } from '../core/compare/comparison.js';
import type { FailResult } from '../core/compare/fail-rule.js';

/** A comparison as JSON: all of {@link Comparison}, what was seen in English alone, with what the gates say. */
export function renderDiffJson(comparison: Comparison, gates: readonly FailResult[]): string {
  const result = {
    schema: 'kvbench-diff/1',
    ...comparison,
    findings: comparison.findings.map(withoutEvidence),
    candidates: comparison.candidates.map((candidate) => ({
      ...candidate,
      explanations: candidate.explanations.map(withoutEvidence),
    })),
    gates: gates.map(({ rule, broken, judged }) => ({
      rule: rule.text,
      passed: judged > 0 && broken.length === 0,
      judged,
      broken,
    })),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

function withoutEvidence<T extends Seen>({ evidence, ...rest }: T): Omit<T, 'evidence'> {
  return rest;
}
