import { buildAnswer } from './answer.js';
import type { Block } from './document/document.js';
import type { Figure } from './figures/figure.js';
import { planCachedTokensFigure, planHitRateFigure } from './figures/hit-rate.js';
import { planLostHitsFigure } from './figures/lost-hits.js';
import { planOpenThroughputFigure, planThroughputFigure } from './figures/throughput.js';
import { planTimelineFigure, planTtftFigure } from './figures/ttft.js';
import { planWorkersFigure } from './figures/workers.js';
import type { Messages } from './messages/en.js';
import { buildRecordForm } from './record-form.js';
import { buildChangeTables, buildLossTable, buildWorkerTable } from './report-changes.js';
import type { ReportData } from './report-data.js';
import { buildExplanations, buildFindings } from './report-findings.js';
import { buildMethod } from './report-method.js';
import { buildResultTables } from './report-tables.js';

/** A report without its figures, for where there is no place to put their files. */
export function withoutFigures(blocks: readonly Block[], words: Messages): Block[] {
  return blocks.filter(
    (block) =>
      block.kind !== 'figure' && !(block.kind === 'heading' && block.text === words.sections.figures),
  );
}

/** The whole report in the order in which a reader wants it: answer, doubts, tables, figures, method, record. */
export function buildReport(report: ReportData, words: Messages): Block[] {
  const changes = buildChangeTables(report, words);
  const figures = planFigures(report, words);
  return [
    { kind: 'heading', level: 1, text: words.sections.title(report.sides.map((side) => side.info.label)) },
    heading(words.sections.answer),
    { kind: 'answer', sentences: buildAnswer(report, words) },
    heading(words.sections.findings),
    ...buildFindings(report, words),
    heading(words.sections.results),
    ...buildResultTables(report, words),
    ...(changes.length === 0 ? [] : [heading(words.sections.changes), ...changes]),
    heading(words.sections.why),
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

function buildReasons(report: ReportData, words: Messages): Block[] {
  const losses = buildLossTable(report, words);
  const workers = buildWorkerTable(report, words);
  return [
    ...buildExplanations(report, words),
    { kind: 'heading', level: 3, text: words.tables.losses },
    losses ?? { kind: 'paragraph', text: words.tables.noLosses },
    { kind: 'heading', level: 3, text: words.tables.workers },
    workers ?? { kind: 'paragraph', text: words.tables.noWorkers },
  ];
}

function heading(text: string): Block {
  return { kind: 'heading', level: 2, text };
}
