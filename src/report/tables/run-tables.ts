import { sortedOf } from '../../core/base/statistics.js';
import { type MeasureKey, measureOf } from '../../core/measure/measures.js';
import type { RunFile } from '../../core/measure/run-file.js';
import type { RunSummary } from '../../core/measure/run-summary.js';
import type { CellSummary } from '../../core/measure/summaries.js';
import { lengthsOfGroup } from '../../core/scenario/request-groups.js';
import { type Load, loadId, loadLabel } from '../../core/workload/load.js';
import { type Cell, planCells } from '../../core/workload/plan.js';
import { planRows } from '../../core/workload/plan-rows.js';
import type { Block, Table } from '../document/document.js';
import { formatCount, valueStyle } from '../format.js';
import { EN } from '../messages/en.js';
import { familiesShown, markNotes, valueCell, wholeOf } from './value-cell.js';

/**
 * The tables of a run: for each variant one per measure family, prefixes down and load across, medians over the kept
 * trials; with groups of requests, one set of tables for each.
 */
export function buildRunTables(run: RunFile, summary: RunSummary): Block[] {
  return run.variants.flatMap((variant) => {
    const own = summary.cells.filter((cell) => cell.variant === variant.name);
    return tableGroups(run).flatMap((group): Block[] => {
      const cells = own.filter(({ cell }) => cell.group === group);
      const requests = describeCount(run, summary, group);
      const text = `${variant.name}${group === undefined ? '' : `, ${group}`}: ${describePrompts(run, group)}`;
      return [
        { kind: 'heading', level: 2, text },
        ...familiesShown('grid').map((keys) => buildFamily(keys, run, requests, cells)),
      ];
    });
  });
}

function buildFamily(
  shown: readonly [MeasureKey, ...MeasureKey[]],
  run: RunFile,
  requests: string,
  cells: readonly CellSummary[],
): Table {
  const loads = distinctLoads(planCells(run.scenario));
  const marks = new Set<string>();
  const whole = wholeOf(shown[0]);
  const keys = whole === null ? shown : [shown[0], whole];
  const style = { between: whole === null ? ' / ' : ' of ', dash: '-' };
  return {
    kind: 'table',
    title: `${titleOf(shown, whole)}; ${describeTrials(run, requests, keys.length === 1)}`,
    head: ['prefixes', ...loads.map(loadLabel)],
    rows: run.scenario.prefixes.map((prefixes) => [
      String(prefixes),
      ...loads.map((load) => {
        const isHere = ({ cell }: CellSummary) =>
          cell.prefixes === prefixes && loadId(cell.load) === loadId(load);
        return valueCell(cells.find(isHere) ?? null, keys, style, EN, marks);
      }),
    ]),
    nameColumns: 0,
    notes: markNotes(marks, EN),
  };
}

/** `TTFT p50 / p99, ms`, or `Cached-token ratio, of its ceiling`: the first word is said once. */
function titleOf(
  [first, ...others]: readonly [MeasureKey, ...MeasureKey[]],
  whole: MeasureKey | null,
): string {
  const label = measureOf(first).label;
  const start = `${label.split(' ')[0]} `;
  const rest = (key: MeasureKey) => measureOf(key).label.replace(start, '');
  const { unit } = valueStyle(measureOf(first));
  const said = unit !== '' && label.toLowerCase().startsWith(unit);
  const title = [label, ...others.map(rest)].join(' / ');
  if (whole === null) return unit === '' ? title : `${title}, ${unit}`;
  return `${title}, of ${said ? measureOf(whole).label.toLowerCase() : `its ${rest(whole)}`}`;
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
  return `prompts of ${formatCount(prefixTokens)} shared + ${formatCount(tailTokens)} unique tokens, ${formatCount(outputTokens)} tokens out`;
}
