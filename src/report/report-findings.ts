import type { ComparisonFinding } from '../core/compare/comparison-findings.js';
import type { Explanation } from '../core/compare/reasons.js';
import { describeEvidence } from './describe-evidence.js';
import type { Block, Notice } from './document/document.js';
import type { Messages } from './messages/en.js';
import type { ReportData } from './report-data.js';

const WHERES_SHOWN = 4;

/** What must be known before a number is believed, the gravest first. */
export function buildFindings(report: ReportData, words: Messages): Block[] {
  const { findings } = report.comparison;
  return findings.length === 0
    ? [{ kind: 'paragraph', text: words.findings.none }]
    : [{ kind: 'notices', notices: findings.map((finding) => findingNotice(finding, words)) }];
}

/** Why a candidate is not, or not more, better than the baseline, as far as the records show it. */
export function buildExplanations(report: ReportData, words: Messages): Block[] {
  const notices = report.comparison.candidates.flatMap((candidate) =>
    candidate.explanations.map((reason) => reasonNotice(candidate.label, reason, words)),
  );
  return notices.length === 0 ? [] : [{ kind: 'notices', notices }];
}

const TONES = { forbid: 'stop', caution: 'caution', note: 'hint' } as const;

function findingNotice(finding: ComparisonFinding, words: Messages): Notice {
  const { title, advice } = words.findings.codes[finding.code];
  return {
    tone: TONES[finding.severity],
    code: finding.code,
    title: `${finding.sides.join(', ')}: ${title}`,
    seen: seenAt(finding, words),
    advice,
  };
}

function reasonNotice(label: string, reason: Explanation, words: Messages): Notice {
  const { title, advice } = words.reasons[reason.code];
  return {
    tone: 'hint',
    code: reason.code,
    title: `${label}: ${title}`,
    seen: seenAt(reason, words),
    advice,
  };
}

function seenAt({ where, evidence }: Pick<Explanation, 'where' | 'evidence'>, words: Messages): string {
  const seen = describeEvidence(evidence, words.evidence);
  return where.length === 0 ? seen : words.findings.seen(where.slice(0, WHERES_SHOWN), where.length, seen);
}
