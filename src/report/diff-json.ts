import type { Evidence } from '../core/base/evidence.js';
import type { Comparison } from '../core/compare/comparison.js';
import type { FailResult } from '../core/compare/fail-rule.js';
import { describeEvidence } from './describe-evidence.js';
import { EN } from './messages/en.js';

/** A comparison as JSON: all of {@link Comparison}, what was seen in English alone, with what the gates say. */
export function renderDiffJson(comparison: Comparison, gates: readonly FailResult[]): string {
  const result = {
    schema: 'kvbench-diff/1',
    ...comparison,
    findings: comparison.findings.map((finding) =>
      inEnglish(finding, EN.findings.codes[finding.code].advice),
    ),
    candidates: comparison.candidates.map((candidate) => ({
      ...candidate,
      explanations: candidate.explanations.map((reason) => inEnglish(reason, EN.reasons[reason.code].advice)),
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

function inEnglish<T extends { readonly evidence: Evidence }>({ evidence, ...rest }: T, advice: string) {
  return { ...rest, seen: describeEvidence(evidence, EN.evidence), advice };
}
