import { FINDINGS, type Finding, type FindingCode, severityOf } from '../core/measure/finding-codes.js';
import { findingsOf, type RunSummary } from '../core/measure/run-summary.js';
import { describeEvidence } from './describe-evidence.js';
import { EN } from './messages/en.js';

/** Places named before the rest are counted: a finding of 36 trials needs no 36 lines. */
const PLACES_SHOWN = 3;

/** Every finding of a run, grouped by code: where, what was seen, what to do. Empty text without any. */
export function renderFindings(summary: RunSummary): string {
  const groups = groupFindings(findingsOf(summary));
  if (groups.length === 0) return '';
  const blocks = groups.map(([code, findings]) => {
    const lines = findings
      .slice(0, PLACES_SHOWN)
      .map((finding) => `  ${finding.where}: ${describeEvidence(finding.evidence, EN.evidence)}`);
    const rest = findings.length - lines.length;
    return [
      `${LABELS[severityOf(code)]} ${code} (${findings.length})`,
      ...lines,
      ...(rest > 0 ? [`  and ${rest} more: findings column of trials.csv`] : []),
      `  -> ${EN.findings.codes[code].advice}`,
    ].join('\n');
  });
  return `\nFindings\n${blocks.join('\n')}\n`;
}

const LABELS = {
  drop: 'DROPPED',
  forbid: 'FORBIDS COMPARISON',
  withhold: 'WITHHOLDS MEASURES',
  caution: 'CAUTION',
} as const;

/** Most severe first. */
function groupFindings(findings: readonly Finding[]): [FindingCode, Finding[]][] {
  const codes = Object.keys(FINDINGS) as FindingCode[];
  return codes
    .map((code): [FindingCode, Finding[]] => [code, findings.filter((finding) => finding.code === code)])
    .filter(([, group]) => group.length > 0);
}
