import { buildAnswer, buildSingleAnswer } from './answer.js';
import type { Block } from './document/document.js';
import type { Figure } from './figures/figure.js';
import { planCachedTokensFigure, planHitRateFigure } from './figures/hit-rate.js';
import { planLostHitsFigure } from './figures/lost-hits.js';
import { planOpenThroughputFigure, planThroughputFigure } from './figures/throughput.js';
import { planTimelineFigure, planTtftFigure } from './figures/ttft.js';
import { planWorkersFigure } from './figures/workers.js';
import type { Messages } from './messages/en.js';
import { buildFindingNotices, buildReasonNotices, reasonHeading } from './notices.js';
import { buildRecordForm } from './record-form.js';
import type { ReportData } from './report-data.js';
import { buildMethod } from './report-method.js';
import { buildCapacityTable, buildLossTable, buildWorkerTable } from './tables/cause-tables.js';
import { buildChangeTables } from './tables/change-tables.js';
import { buildResultTables } from './tables/result-tables.js';

/** A report without its figures, for where there is no place to put their files. */
export function withoutFigures(blocks: readonly Block[], words: Messages): Block[] {
  return blocks.filter(
    (block) =>
      block.kind !== 'figure' && !(block.kind === 'heading' && block.text === words.sections.figures),
  );
}

/** The whole report in the order in which a reader wants it: answer, doubts, tables, figures, method, record. */
export function buildReport(report: ReportData, words: Messages): Block[] {
  const { comparison } = report;
  const [only] = report.sides;
  const single = report.sides.length === 1 && only !== undefined;
  const changes = buildChangeTables(comparison, comparison.method.measures, words);
  const capacity = buildCapacityTable(comparison, words);
  const findings = buildFindingNotices(comparison, words);
  const figures = planFigures(report, words);
  return [
    { kind: 'heading', level: 1, text: words.sections.title(report.sides.map((side) => side.info.label)) },
    heading(words.sections.answer),
    ...(single ? [buildSingleAnswer(comparison, only, words)] : buildAnswer(comparison, words)),
    heading(words.sections.findings),
    findings.length === 0
      ? { kind: 'paragraph', text: words.findings.none }
      : { kind: 'notices', notices: findings },
    heading(words.sections.results),
    ...buildResultTables(report, words),
    ...(capacity === null ? [] : [capacity]),
    ...(changes.length === 0 ? [] : [heading(words.sections.changes), ...changes]),
    heading(reasonHeading(report.comparison, words)),
    ...buildReasons(report, words),
    heading(words.sections.figures),
    ...figures.map((figure): Block => ({ kind: 'figure', figure })),
    ...buildMethod(report, words),
    ...buildRecordForm(report, words),
  ];
}

function planFigures(report: ReportData, words: Messages): Figure[] {
  const plans = [
    planCachedTokensFigure,
    planHitRateFigure,
    planTtftFigure,
    planThroughputFigure,
    planOpenThroughputFigure,
    planLostHitsFigure,
    planWorkersFigure,
    planTimelineFigure,
  ];
  return plans.flatMap((plan) => plan(report, words) ?? []);
}

function buildReasons({ comparison }: ReportData, words: Messages): Block[] {
  const reasons = buildReasonNotices(comparison, words);
  const { losses, noLosses, workers, noWorkers } = words.tables;
  return [
    ...(reasons.length === 0 ? [] : [{ kind: 'notices', notices: reasons } as const]),
    ...tableOr(buildLossTable(comparison, words), losses, noLosses),
    ...tableOr(buildWorkerTable(comparison, words), workers, noWorkers),
  ];
}

/** The table, or under its title why there is none. */
function tableOr(table: Block | null, title: string, without: string): Block[] {
  if (table !== null) return [table];
  return [
    { kind: 'heading', level: 3, text: title },
    { kind: 'paragraph', text: without },
  ];
}

function heading(text: string): Block {
  return { kind: 'heading', level: 2, text };
}
