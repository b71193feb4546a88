import { findChangedConditions } from '../core/compare/changed-conditions.js';
import type { ComparedVariant } from '../core/compare/compared-variant.js';
import { observeRecords, type SeenFacts } from '../core/measure/experiment-record.js';
import { measureOf } from '../core/measure/measures.js';
import type { RunFile, VariantRun } from '../core/measure/run-file.js';
import { RECORD_FIELDS, type RecordField, type RecordSection } from '../core/scenario/experiment-fields.js';
import type { Block, Cell } from './document/document.js';
import { formatCount, formatMs, formatPercent, formatValue } from './format.js';
import { describeLength } from './lengths.js';
import type { Messages } from './messages/en.js';
import type { ReportData } from './report-data.js';

const SECTIONS: readonly RecordSection[] = ['workload', 'system', 'path', 'change'];

/**
 * The experiment record: every field of every side, what the scenario states before what the requests show. A field that
 * nobody filled is shown as empty, never left out.
 */
export function buildRecordForm(report: ReportData, words: Messages): Block[] {
  const filled = report.sides.map((side) => fillSide(side, report, words));
  const empty = RECORD_FIELDS.filter(({ key }) => filled.every((side) => side[key] === null)).length;
  return [
    { kind: 'heading', level: 2, text: words.sections.record },
    { kind: 'paragraph', text: words.record.intro(empty, RECORD_FIELDS.length) },
    ...SECTIONS.flatMap((section): Block[] => [
      {
        kind: 'table',
        title: words.record.sections[section],
        head: [words.record.field, ...report.sides.map((side) => side.info.label)],
        rows: RECORD_FIELDS.filter((field) => field.section === section).map(({ key }) => [
          words.record.fields[key],
          ...filled.map((side): Cell => side[key] ?? { text: words.record.empty, tone: 'missing' }),
        ]),
        nameColumns: 1 + report.sides.length,
        notes: [],
      },
    ]),
  ];
}

type Filled = Readonly<Record<RecordField, string | null>>;

function fillSide(side: ComparedVariant, report: ReportData, words: Messages): Filled {
  const stated = side.origin?.run.record?.stated ?? null;
  const seen = seenTexts(side, report, words);
  return Object.fromEntries(
    RECORD_FIELDS.map(({ key }) => {
      const parts = [stated?.[key] ?? null, seen[key] ?? null].filter((part) => part !== null);
      return [key, parts.length === 0 ? null : parts.join('; ')];
    }),
  ) as Filled;
}

type Texts = Readonly<Partial<Record<RecordField, string | null>>>;

function seenTexts(side: ComparedVariant, report: ReportData, words: Messages): Texts {
  if (side.origin === null) return {};
  const { run, variant, rules } = side.origin;
  const trials = [...side.cells.values()].flatMap((cell) => cell.trials);
  const seen = observeRecords(
    trials.flatMap((trial) => trial.facts.ok),
    rules,
  );
  return {
    ...workloadTexts(side, run, seen, words),
    ...systemTexts(run, variant, seen, words),
    ...pathTexts(seen, words),
    ...changeTexts(side, report, words),
  };
}

function workloadTexts(side: ComparedVariant, run: RunFile, seen: SeenFacts, words: Messages): Texts {
  const { scenario } = run;
  return {
    'request-group': words.record.seen.groups(scenario.prefixes),
    'input-length': words.record.seen.inputs(
      describeLength(scenario, 'prefixTokens'),
      describeLength(scenario, 'tailTokens'),
      rangeText(seen.prompt_tokens),
    ),
    'output-length': words.record.seen.outputs(
      describeLength(scenario, 'outputTokens'),
      rangeText(seen.output_tokens),
    ),
    'offered-load': words.record.seen.offered(scenario.concurrency, scenario.rate),
    'completed-load': completedText(side, words),
  };
}

/** The range over the cells; separately for each group of requests. */
function completedText(side: ComparedVariant, words: Messages): string | null {
  const measure = measureOf('throughput_rps');
  const cells = [...side.cells.values()];
  const texts = [...new Set(cells.map(({ cell }) => cell.group))].flatMap((group) => {
    const own = cells.filter(({ cell }) => cell.group === group);
    const rates = own.flatMap(({ summary }) => summary.values.throughput_rps ?? []);
    if (rates.length === 0) return [];
    const range = words.record.seen.completed(
      formatValue(measure, Math.min(...rates)),
      formatValue(measure, Math.max(...rates)),
    );
    return group === undefined ? range : `${group}: ${range}`;
  });
  return texts.length === 0 ? null : texts.join('; ');
}

function systemTexts(run: RunFile, variant: VariantRun, seen: SeenFacts, words: Messages): Texts {
  const { started_at, ended_at } = run.provenance;
  return {
    model: variant.target.model,
    'router-mode': variant.name,
    'deployment-mode':
      seen.split_answers === null ? null : words.record.seen.deployment(seen.split_answers, seen.answers),
    'prefill-workers': seen.prefill_workers === null ? null : words.record.seen.count(seen.prefill_workers),
    'decode-workers': seen.decode_workers === null ? null : words.record.seen.count(seen.decode_workers),
    'valid-at': words.record.seen.ran(started_at, ended_at ?? '?'),
  };
}

const WORKERS_SHOWN = 8;

function pathTexts(seen: SeenFacts, words: Messages): Texts {
  const shown = seen.workers.slice(0, WORKERS_SHOWN);
  const more = seen.workers.length > shown.length ? ', …' : '';
  const segments = Object.entries(seen.segments).flatMap(([segment, ms]) =>
    ms === null ? [] : `${words.record.segments[segment as keyof SeenFacts['segments']]} ${formatMs(ms)} ms`,
  );
  const known = shown.filter((worker) => worker.cached_token_ratio !== null);
  return {
    choice:
      shown.length === 0 ? null : words.record.seen.chosen(seen.workers.length, seen.worker_lifetimes ?? 1),
    'load-per-candidate':
      shown.length === 0
        ? null
        : `${shown.map((worker) => `${worker.worker}: ${formatPercent(worker.share)}`).join(', ')}${more}`,
    'locality-per-candidate':
      known.length === 0
        ? null
        : words.record.seen.locality(
            `${known.map((worker) => `${worker.worker}: ${(worker.cached_token_ratio ?? 0).toFixed(3)}`).join(', ')}${more}`,
          ),
    segments: segments.length === 0 ? null : words.record.seen.medians(segments.join(', ')),
  };
}

function changeTexts(side: ComparedVariant, report: ReportData, words: Messages): Texts {
  const [baseline] = report.sides;
  if (baseline === undefined || report.sides.length === 1) return {};
  if (side.info === baseline.info) return { 'control-run': words.record.seen.isControl };
  const changed =
    baseline.origin === null || side.origin === null || side.origin.run.record === null
      ? null
      : findChangedConditions(baseline.origin, side.origin);
  return {
    'changed-condition':
      changed === null ? null : words.record.seen.changed(changed.map(({ key }) => words.record.fields[key])),
    'control-run': `${baseline.info.label} (${baseline.info.source})`,
  };
}

function rangeText(range: { readonly min: number; readonly max: number } | null): string | null {
  if (range === null) return null;
  const low = formatCount(range.min);
  return range.min === range.max ? low : `${low}–${formatCount(range.max)}`;
}
