import { withheldBy } from '../core/measure/finding-codes.js';
import { MEASURES, type Measure, type MeasureKey } from '../core/measure/measures.js';
import { type CellSummary, supportsMeasure } from '../core/measure/summaries.js';
import type { RowLoad } from '../core/workload/plan-rows.js';
import type { Block, TableBlock, TableCell } from './document/document.js';
import { formatValue, valueStyle } from './format.js';
import type { Messages } from './messages/en.js';
import { type ReportData, rowsAt, sideAt } from './report-data.js';

/** Measures that share a table: one with its band, or several as `a / b`. */
interface Family {
  readonly keys: readonly [MeasureKey, ...MeasureKey[]];
  /** A column of its own before the variants. */
  readonly ceiling?: MeasureKey;
}

const FAMILIES: readonly Family[] = [
  { keys: ['request_hit_rate'] },
  { keys: ['cached_token_ratio'], ceiling: 'cached_token_ceiling' },
  { keys: ['ttft_mean_ms', 'ttft_p50_ms', 'ttft_p99_ms'] },
  { keys: ['throughput_rps'] },
  { keys: ['workers_per_prefix', 'workers_seen'] },
];

/** The tables of a report: a row for each cell, a column for each variant. */
export function buildResultTables(report: ReportData, words: Messages): Block[] {
  const blocks = FAMILIES.flatMap((family): Block[] => [
    { kind: 'heading', level: 3, text: familyTitle(family, words) },
    familyTable(report, family, words),
  ]);
  const capacity = capacityTable(report, words);
  return capacity === null
    ? blocks
    : [...blocks, { kind: 'heading', level: 3, text: words.tables.capacity }, capacity];
}

/** The load and the prefixes of each row, as names, with what `cells` gives for it. */
export function gridRows(
  report: ReportData,
  words: Messages,
  cells: (prefixes: number, load: RowLoad) => readonly TableCell[],
): (readonly TableCell[])[] {
  return report.loads.flatMap((load) =>
    report.prefixes.map((prefixes) => [words.load(load), String(prefixes), ...cells(prefixes, load)]),
  );
}

/** The heading of the columns that {@link gridRows} fills itself. */
export function gridHead(words: Messages): string[] {
  return [words.tables.load, words.tables.prefixes];
}

export function measureOf(key: MeasureKey): Measure {
  return MEASURES.find((measure) => measure.key === key) as Measure;
}

const MARKS = ['*', '†', '‡'] as const;
type Mark = (typeof MARKS)[number];

function familyTitle(family: Family, words: Messages): string {
  const unit = valueStyle(measureOf(family.keys[0])).unit;
  const names = family.keys.map((key) => words.measures[key]).join(' / ');
  return unit === '' ? names : `${names}, ${words.unit(unit)}`;
}

function familyTable(report: ReportData, family: Family, words: Messages): TableBlock {
  const marks = new Set<Mark>();
  const { ceiling } = family;
  return {
    kind: 'table',
    head: [
      ...gridHead(words),
      ...(ceiling === undefined ? [] : [words.ceiling]),
      ...report.sides.map((side) => side.info.label),
    ],
    rows: gridRows(report, words, (prefixes, load) => [
      ...(ceiling === undefined ? [] : [ceilingCell(report, ceiling, prefixes, load, words)]),
      ...report.sides.map((side) =>
        valueCell(rowsAt(side, prefixes, load)?.summary ?? null, family, words, marks),
      ),
    ]),
    nameColumns: 2,
    notes: [
      ...(family.keys.length === 1 ? [words.tables.bandNote] : [words.tables.medianNote]),
      ...MARKS.filter((mark) => marks.has(mark)).map((mark) => `${mark} ${words.tables.marks[mark]}`),
    ],
  };
}

function valueCell(
  summary: CellSummary | null,
  family: Family,
  words: Messages,
  marks: Set<Mark>,
): TableCell {
  if (summary === null) return { text: words.notMeasured, tone: 'missing' };
  const own = new Set<Mark>();
  // Where some trials are withheld, the others give the figure.
  const isPart =
    summary.values[family.keys[0]] !== null &&
    withheldBy(summary.findings, measureOf(family.keys[0]).family) !== null;
  if (isPart || summary.repeatsDropped > 0 || summary.findings.some(({ code }) => code === 'missing-trials'))
    own.add('†');
  if (summary.repeatsKept === 0) {
    for (const mark of own) marks.add(mark);
    return { text: `${words.tables.noneKept}†`, tone: 'missing' };
  }
  const values = family.keys.map((key) => summary.values[key]);
  const missing = (key: MeasureKey) => {
    const code = withheldBy(summary.findings, measureOf(key).family);
    return code === null ? words.notReported : words.withheld(code);
  };
  if (values.every((value) => value === null)) return { text: missing(family.keys[0]), tone: 'missing' };
  const shown = family.keys.map((key) => {
    const value = summary.values[key];
    if (value === null) return missing(key);
    const measure = measureOf(key);
    const few = !supportsMeasure(summary, measure);
    if (few) own.add('*');
    return `${formatValue(measure, value)}${few ? '*' : ''}`;
  });
  if (isPartly(summary) && CACHE_KEYS.has(family.keys[0])) own.add('‡');
  for (const mark of own) marks.add(mark);
  const tail = [...own].filter((mark) => mark !== '*').join('');
  const band = family.keys.length === 1 ? bandText(summary, family.keys[0]) : '';
  return `${shown.join(' / ')}${band}${tail}`;
}

const CACHE_KEYS: ReadonlySet<MeasureKey> = new Set(['request_hit_rate', 'cached_token_ratio']);

/** ` (52.1–54.2)`: least and greatest kept trial; nothing for a single one. */
function bandText(summary: CellSummary, key: MeasureKey): string {
  const band = summary.bands[key];
  if (band === undefined || band.min === null || band.max === null || summary.repeatsKept < 2) return '';
  const measure = measureOf(key);
  return ` (${formatValue(measure, band.min)}–${formatValue(measure, band.max)})`;
}

function isPartly(summary: CellSummary): boolean {
  return summary.findings.some(({ code }) => code === 'cached-tokens-partly-reported');
}

/** One value where all sides agree, as they do on equal workloads; else one for each, in their order. */
function ceilingCell(
  report: ReportData,
  key: MeasureKey,
  prefixes: number,
  load: RowLoad,
  words: Messages,
): TableCell {
  const shown = report.sides.flatMap((side) => {
    const value = rowsAt(side, prefixes, load)?.summary.values[key] ?? null;
    return value === null ? [] : formatValue(measureOf(key), value);
  });
  if (shown.length === 0) {
    const measured = report.sides.some((side) => rowsAt(side, prefixes, load) !== null);
    return { text: measured ? words.notReported : words.notMeasured, tone: 'missing' };
  }
  return [...new Set(shown)].join(' / ');
}

/** Hit rate beside what the workers' caches could hold at best; null when the user stated no capacity. */
function capacityTable(report: ReportData, words: Messages): TableBlock | null {
  const stated = report.comparison.cells.some((cell) =>
    cell.sides.some((side) => side !== null && side.capacityCeiling !== null),
  );
  if (!stated) return null;
  const measure = measureOf('request_hit_rate');
  return {
    kind: 'table',
    head: [...gridHead(words), ...report.sides.map((side) => side.info.label)],
    rows: gridRows(report, words, (prefixes, load) =>
      report.sides.map((_, index): TableCell => {
        const side = sideAt(report, prefixes, load, index);
        if (side === null) return { text: words.notMeasured, tone: 'missing' };
        const hit = side.values.request_hit_rate;
        const ceiling = side.capacityCeiling;
        if (hit === null || ceiling === null) return { text: words.notReported, tone: 'missing' };
        return words.tables.ofCeiling(formatValue(measure, hit), formatValue(measure, ceiling));
      }),
    ),
    nameColumns: 2,
    notes: [words.tables.capacityNote],
  };
}
