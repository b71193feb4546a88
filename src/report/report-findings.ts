import { type Finding, type FindingCode, severityOf } from '../core/findings.js';
import type { Block, Notice } from './blocks.js';
import type { Messages } from './messages/en.js';
import type { ReportData, ReportSide } from './report-data.js';

const WHERES_SHOWN = 4;

/** What must be known before a number is believed, the gravest first: of the comparison, of the runs, of the files. */
export function buildFindings(report: ReportData, words: Messages): Block[] {
  const own = report.sides.flatMap((side) => sideNotices(side, words));
  const notices = [...comparisonNotices(report), ...own];
  const order = { stop: 0, caution: 1, hint: 2 } as const;
  const sorted = notices
    .map((notice, index) => ({ notice, index }))
    .sort((a, b) => order[a.notice.tone] - order[b.notice.tone] || a.index - b.index)
    .map(({ notice }) => notice);
  return sorted.length === 0
    ? [{ kind: 'paragraph', text: words.findings.none }]
    : [{ kind: 'notices', notices: sorted }];
}

function comparisonNotices(report: ReportData): Notice[] {
  return report.comparison.findings.map((finding) => ({
    tone: ({ forbid: 'stop', caution: 'caution', note: 'hint' } as const)[finding.severity],
    code: finding.code,
    title: finding.code.replaceAll('-', ' '),
    seen:
      [...finding.sides, ...finding.where].join(', ') + (finding.sides.length > 0 ? ': ' : '') + finding.seen,
    advice: finding.advice,
  }));
}

/** Findings of one side's trials and cells, each code once, with where it was found. */
function sideNotices(side: ReportSide, words: Messages): Notice[] {
  const byCode = new Map<FindingCode, Finding[]>();
  for (const { summary } of side.cells.values()) {
    for (const finding of summary.findings) {
      byCode.set(finding.code, [...(byCode.get(finding.code) ?? []), finding]);
    }
  }
  const found = [...byCode].map(([code, findings]): Notice => {
    const { title, advice } = words.findings.codes[code];
    const first = findings[0]?.seen ?? '';
    const wheres = findings.map((finding) => finding.where);
    return {
      tone: severityOf(code) === 'caution' ? 'caution' : 'stop',
      code,
      title: `${side.info.label}: ${title}`,
      seen: words.findings.seen(wheres.slice(0, WHERES_SHOWN), wheres.length, first),
      advice,
    };
  });
  const notes = side.notes.map(
    (note): Notice => ({
      tone: 'caution',
      code: '',
      title: `${side.info.label}: ${words.findings.left}`,
      seen: note,
      advice: '',
    }),
  );
  return [...found, ...notes];
}
