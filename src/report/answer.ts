import { median } from '../core/base/statistics.js';
import { addLostTokens, LOSS_CAUSES, type LossCause, type LostTokens } from '../core/measure/lost-hits.js';
import { type MeasureKey, measureOf, measuresShown } from '../core/measure/measures.js';
import type { Messages } from './messages/en.js';
import type { LossWords, VerdictWords } from './messages/word-values.js';
import type { ReportData, ReportSide } from './report-data.js';

/**
 * The answer in three sentences: did more prompt tokens come from the cache, did it pay in time, and what is still
 * missed. Made from the verdicts alone, so that it never says more than they do. Of several groups of requests, three
 * sentences for each.
 */
export function buildAnswer(report: ReportData, words: Messages): string[] {
  const groups = [...new Set(report.comparison.cells.map(({ cell }) => cell.group))];
  if (groups.length < 2) return answerFor(report, words);
  return groups.flatMap((group, index) => {
    const [first = '', ...rest] = answerFor(ofGroup(report, group, index === 0), words);
    return [group === undefined ? first : `${group}: ${first}`, ...rest];
  });
}

/** What a report holds of one group of requests; what forbids the comparison is said once. */
function ofGroup(report: ReportData, group: string | undefined, withFindings: boolean): ReportData {
  const { comparison } = report;
  return {
    ...report,
    comparison: {
      ...comparison,
      cells: comparison.cells.filter(({ cell }) => cell.group === group),
      findings: withFindings ? comparison.findings : [],
    },
    sides: report.sides.map((side) => ({
      ...side,
      cells: new Map([...side.cells].filter(([, { cell }]) => cell.group === group)),
    })),
  };
}

function answerFor(report: ReportData, words: Messages): string[] {
  const [baseline] = report.sides;
  if (baseline === undefined) return [];
  return report.sides.length === 1
    ? describeOne(report, baseline, words)
    : compareAll(report, baseline.info.label, words);
}

function compareAll(report: ReportData, baseline: string, words: Messages): string[] {
  const stop = report.comparison.findings.find((finding) => finding.severity === 'forbid');
  const key = cacheKey(report, words);
  const cache =
    key === null ? words.answer.cacheUnknown : words.answer.cache(baseline, verdicts(report, key, words));
  const times = measuresShown('answer')
    .filter((measure) => measureOf(measure).scale !== 'points')
    .map((measure) => verdicts(report, measure, words));
  const time = words.answer.time(
    report.comparison.candidates.map((_, index) => times.flatMap((verdict) => verdict[index] ?? [])),
  );
  const sentences = [
    cache,
    time,
    words.answer.lost(report.sides.flatMap((side, index) => lossOf(report, side, index))),
  ];
  const [first = '', ...rest] = sentences;
  return stop === undefined ? sentences : [`${words.answer.forbidden} ${first}`, ...rest];
}

function describeOne(report: ReportData, side: ReportSide, words: Messages): string[] {
  const rows = [...side.cells.values()].map((cell) => cell.summary);
  const total = (count: (row: (typeof rows)[number]) => number) =>
    rows.reduce((sum, row) => sum + count(row), 0);
  const range = (key: MeasureKey) => {
    const values = rows.flatMap((row) => row.values[key] ?? []);
    return values.length === 0 ? null : ([Math.min(...values), Math.max(...values)] as const);
  };
  return [
    words.answer.single(
      side.info.label,
      total((row) => row.ok),
      total((row) => row.requests),
      rows.length,
    ),
    words.answer.singleRange(
      range('cached_token_ratio'),
      range('cached_token_ceiling'),
      range('ttft_p50_ms'),
    ),
    words.answer.lost(lossOf(report, side, 0)),
  ];
}

/** The measure that says what came from the cache; null when no side reported it. */
function cacheKey(report: ReportData, words: Messages): MeasureKey | null {
  const keys = ['cached_token_ratio', 'request_hit_rate'] as const;
  return keys.find((key) => verdicts(report, key, words).some((verdict) => verdict.change !== null)) ?? null;
}

function verdicts(report: ReportData, key: MeasureKey, words: Messages): VerdictWords[] {
  return report.comparison.candidates.map((candidate, index) => {
    const changes = report.comparison.cells.flatMap(
      (cell) => cell.candidates[index]?.changes.filter((change) => change.measure === key) ?? [],
    );
    const count = (verdict: string | null) => changes.filter((change) => change.verdict === verdict).length;
    return {
      label: candidate.label,
      measure: words.measures[key],
      better: count('better'),
      worse: count('worse'),
      same: count('not distinguishable'),
      open: count(null),
      change: median(changes.map((change) => change.change)),
      unit: changes[0]?.unit ?? '%',
    };
  });
}

function lossOf(report: ReportData, side: ReportSide, index: number): LossWords[] {
  const lost = addLostTokens(report.comparison.cells.flatMap((cell) => cell.sides[index]?.lost ?? []));
  if (lost.expected === 0) return [];
  const cause = mainCause(lost);
  return [
    {
      label: side.info.label,
      lost: lost.missing / lost.expected,
      cause,
      causeShare: cause === null ? 0 : lost[cause] / lost.expected,
    },
  ];
}

function mainCause(lost: LostTokens): LossCause | null {
  if (lost.missing === 0) return null;
  return LOSS_CAUSES.reduce((most, cause) => (lost[cause] > lost[most] ? cause : most));
}
