import { sortedOf } from '../core/base/statistics.js';
import { withheldBy } from '../core/measure/finding-codes.js';
import { MEASURES, type Measure, type MeasureKey } from '../core/measure/measures.js';
import type { RunFile } from '../core/measure/run-file.js';
import type { RunSummary } from '../core/measure/run-summary.js';
import { type CellSummary, supportsMeasure } from '../core/measure/summaries.js';
import { lengthsOfGroup } from '../core/scenario/request-groups.js';
import { type Load, loadId, loadLabel } from '../core/workload/load.js';
import { type Cell, planCells } from '../core/workload/plan.js';
import { planRows } from '../core/workload/plan-rows.js';
import { formatCount, formatValue, NOT_MEASURED, NOT_REPORTED, valueStyle, withheldText } from './format.js';
import { markdownTable } from './markdown.js';
import { textTable } from './text-table.js';

export type TableStyle = 'text' | 'markdown';

/** Measures that share a table: one is shown plain, several as `a / b`. */
interface Family {
  readonly title: string;
  readonly keys: readonly [MeasureKey, ...MeasureKey[]];
  /** What stands between two values. */
  readonly between?: string;
  /** The title says the unit. */
  readonly bare?: true;
}

const FAMILIES: readonly Family[] = [
  { title: 'Request hit rate', keys: ['request_hit_rate'] },
  {
    title: 'Cached-token ratio, of its ceiling',
    keys: ['cached_token_ratio', 'cached_token_ceiling'],
    between: ' of ',
  },
  { title: 'TTFT mean / p50 / p99', keys: ['ttft_mean_ms', 'ttft_p50_ms', 'ttft_p99_ms'] },
  { title: 'E2E p50 / p99', keys: ['e2e_p50_ms', 'e2e_p99_ms'] },
  { title: 'Throughput', keys: ['throughput_rps'] },
  {
    title: 'Workers per prefix, of workers seen',
    keys: ['workers_per_prefix', 'workers_seen'],
    between: ' of ',
    bare: true,
  },
];

/** Loads side by side in one table: with the widest cells they fill 80 columns. */
const LOADS_ACROSS = 3;

/**
 * The tables of a run: for each variant one per measure family, prefixes down and load across, medians over the kept
 * trials; with groups of requests, one set of tables for each. Plain text fits 80 columns and needs no colour; Markdown goes into a report as it is.
 */
export function renderTables(run: RunFile, summary: RunSummary, style: TableStyle): string {
  const blocks = run.variants.flatMap((variant) => {
    const own = summary.cells.filter((cell) => cell.variant === variant.name);
    return tableGroups(run).flatMap((group) => {
      const cells = own.filter(({ cell }) => cell.group === group);
      const requests = describeCount(run, summary, group);
      const heading = `${variant.name}${group === undefined ? '' : `, ${group}`}: ${describePrompts(run, group)}`;
      return [
        style === 'markdown' ? `## ${heading}` : heading,
        ...FAMILIES.map((family) => renderFamily(family, run, requests, cells, style)),
      ];
    });
  });
  return `${blocks.join('\n\n')}\n`;
}

function renderFamily(
  family: Family,
  run: RunFile,
  requests: string,
  cells: readonly CellSummary[],
  style: TableStyle,
): string {
  const loads = distinctLoads(planCells(run.scenario));
  const marks = new Set<string>();
  const tables: string[] = [];
  for (let from = 0; from < loads.length; from += LOADS_ACROSS) {
    const across = loads.slice(from, from + LOADS_ACROSS);
    const rows = run.scenario.prefixes.map((prefixes) => [
      String(prefixes),
      ...across.map((load) => {
        const cell = cells.find(
          (one) => one.cell.prefixes === prefixes && loadId(one.cell.load) === loadId(load),
        );
        return cell === undefined ? NOT_MEASURED : renderCell(family, cell, run, marks);
      }),
    ]);
    const head = ['prefixes', ...across.map(loadLabel)];
    tables.push(style === 'markdown' ? markdownTable(head, rows, 'right') : textTable(head, rows));
  }
  const unit = family.bare === true ? '' : valueStyle(measureOf(family.keys[0])).unit;
  const title = `${family.title}${unit === '' ? '' : `, ${unit}`}; ${describeTrials(run, requests, family.keys.length === 1)}`;
  const notes = NOTES.filter(([mark]) => marks.has(mark)).map(([mark, note]) => `${mark} ${note}`);
  return [style === 'markdown' ? `### ${title}\n` : title, ...tables, ...notes].join('\n');
}

const FEW = '*';
const DROPPED = '†';
const PARTLY = '‡';

const NOTES = [
  [FEW, 'too few requests in a trial for this percentile: hardly more than the maximum'],
  [DROPPED, 'not every trial was kept: see the findings'],
  [PARTLY, 'of the requests that reported cached tokens, which not all did'],
] as const;

function renderCell(family: Family, cell: CellSummary, run: RunFile, marks: Set<string>): string {
  if (cell.repeatsKept === 0) {
    marks.add(DROPPED);
    return `none kept${DROPPED}`;
  }
  const shown = family.keys.map((key) => {
    const measure = measureOf(key);
    const value = cell.values[key];
    if (value === null) {
      const code = withheldBy(cell.findings, measure.family);
      return code === null ? NOT_REPORTED : withheldText(code);
    }
    const few = !supportsMeasure(cell, measure);
    if (few) marks.add(FEW);
    return `${formatValue(measure, value)}${few ? FEW : ''}`;
  });
  const text =
    new Set(shown).size === 1 && family.keys.every((key) => cell.values[key] === null)
      ? (shown[0] ?? NOT_REPORTED)
      : shown.join(family.between ?? ' / ');
  const band = family.keys.length === 1 ? renderBand(cell, family.keys[0]) : '';
  const partly =
    family.keys[0] !== 'request_hit_rate' && family.keys[0] !== 'cached_token_ratio' ? false : isPartly(cell);
  if (partly) marks.add(PARTLY);
  // Where some trials are withheld, the others give the figure.
  const dropped =
    cell.repeatsKept < run.scenario.repeats ||
    (cell.values[family.keys[0]] !== null &&
      withheldBy(cell.findings, measureOf(family.keys[0]).family) !== null);
  if (dropped) marks.add(DROPPED);
  return `${text}${band}${partly ? PARTLY : ''}${dropped ? DROPPED : ''}`;
}

/** ` (52.1-54.2)`: least and greatest kept trial. */
function renderBand(cell: CellSummary, key: MeasureKey): string {
  const band = cell.bands[key];
  if (band === undefined || band.min === null || band.max === null || cell.repeatsKept < 2) return '';
  return ` (${formatValue(measureOf(key), band.min)}-${formatValue(measureOf(key), band.max)})`;
}

function isPartly(cell: CellSummary): boolean {
  return cell.findings.some(({ code }) => code === 'cached-tokens-partly-reported');
}

function measureOf(key: MeasureKey): Measure {
  return MEASURES.find((measure) => measure.key === key) as Measure;
}

function distinctLoads(cells: readonly Cell[]): Load[] {
  return [...new Map(cells.map(({ load }) => [loadId(load), load])).values()];
}

/** The n of every figure in a table. */
function describeTrials(run: RunFile, requests: string, withBand: boolean): string {
  const { repeats } = run.scenario;
  const of = `${requests} requests`;
  return repeats === 1
    ? `1 trial of ${of}`
    : `median${withBand ? ' (min-max)' : ''} of ${repeats} trials of ${of}`;
}

/** Requests in a trial; of a group, the least and the most of its trials. */
function describeCount(run: RunFile, summary: RunSummary, group: string | undefined): string {
  if (group === undefined) return formatCount(run.scenario.requests);
  const own = summary.trials.filter(({ cell }) => cell.group === group).map(({ requests }) => requests);
  const sorted = sortedOf(own);
  const [least = 0, most = 0] = [sorted[0], sorted.at(-1)];
  return least === most ? formatCount(least) : `${formatCount(least)}-${formatCount(most)}`;
}

/** The groups that have tables of their own; undefined for the requests of one kind. */
function tableGroups(run: RunFile): readonly (string | undefined)[] {
  return [...new Set(planRows(run.scenario, planCells(run.scenario)).map(({ group }) => group))];
}

function describePrompts(run: RunFile, group: string | undefined): string {
  const lengths = lengthsOfGroup(run.scenario, group);
  if (lengths === null) return 'all groups of requests together';
  const { prefixTokens, tailTokens, outputTokens } = lengths;
  return `prompts of ${formatCount(prefixTokens)} shared + ${formatCount(tailTokens)} own tokens, ${formatCount(outputTokens)} tokens out`;
}
