import type { Comparison } from '../../core/compare/comparison.js';
import { LOSS_CAUSES, type LossCause, type LostTokens } from '../../core/measure/lost-hits.js';
import { measureOf } from '../../core/measure/measures.js';
import type { Cell, Table } from '../document/document.js';
import { formatCount, formatPercent, formatValue } from '../format.js';
import type { Messages } from '../messages/en.js';
import { loadIn } from '../report-data.js';
import { byLoad, gridHead, gridRows, variantCell } from './grid-rows.js';

/** Hit rate beside what the workers' caches could hold at best; null when the user stated no capacity. */
export function buildCapacityTable(comparison: Comparison, words: Messages): Table | null {
  const { cells, sides } = comparison;
  if (!cells.some((cell) => cell.sides.some((side) => side?.capacityCeiling != null))) return null;
  const format = (value: number) => formatValue(measureOf('request_hit_rate'), value);
  return {
    kind: 'table',
    title: words.tables.capacity,
    head: [...gridHead(words), ...sides.map((side) => side.label)],
    rows: gridRows(comparison, words, (cell) =>
      cell.sides.map((side) =>
        variantCell(
          side,
          ({ values, capacityCeiling: ceiling }) => {
            const hit = values.request_hit_rate;
            return hit === null || ceiling === null ? null : { hit, ceiling };
          },
          ({ hit, ceiling }) => words.tables.ofCeiling(format(hit), format(ceiling)),
          words,
        ),
      ),
    ),
    nameColumns: 2,
    notes: [words.tables.capacityNote],
  };
}

/** The split of the lost cached tokens, a row for each cell and variant. Null when no target reported cached tokens. */
export function buildLossTable(comparison: Comparison, words: Messages): Table | null {
  const all = comparison.cells.flatMap((cell) => cell.sides.flatMap((side) => side?.lost ?? []));
  if (!all.some((lost) => lost.expected > 0)) return null;
  const causes = LOSS_CAUSES.filter((cause) => all.some((lost) => lost[cause] > 0));
  return {
    kind: 'table',
    title: words.tables.losses,
    head: [
      ...gridHead(words),
      words.tables.variant,
      words.tables.expected,
      words.parts.cached,
      ...causes.map((cause) => words.parts[cause]),
    ],
    rows: byLoad(comparison.cells).flatMap(({ cell, sides }) =>
      sides.map((side, index): Cell[] => [
        words.load(loadIn(cell)),
        String(cell.prefixes),
        comparison.sides[index]?.label ?? '',
        ...lossCells(side?.lost ?? null, causes, words),
      ]),
    ),
    nameColumns: 3,
    notes: [words.tables.lossNote],
  };
}

function lossCells(lost: LostTokens | null, causes: readonly LossCause[], words: Messages): Cell[] {
  if (lost === null || lost.expected === 0) {
    const text = lost === null ? words.notMeasured : words.notReported;
    return Array.from({ length: causes.length + 2 }, () => ({ text, tone: 'missing' as const }));
  }
  return [
    formatCount(lost.expected),
    formatPercent((lost.cached - lost.excess) / lost.expected),
    ...causes.map((cause) => formatPercent(lost[cause] / lost.expected)),
  ];
}

/** How evenly the workers were used. Null when no target names workers. */
export function buildWorkerTable(comparison: Comparison, words: Messages): Table | null {
  if (!comparison.cells.some((cell) => cell.sides.some((side) => side?.load != null))) return null;
  return {
    kind: 'table',
    title: words.tables.workers,
    head: [...gridHead(words), ...comparison.sides.map((side) => side.label)],
    rows: gridRows(comparison, words, ({ sides }) =>
      sides.map((side) =>
        variantCell(
          side,
          ({ load }) => load,
          ({ cv, cvByChance, workers }) =>
            `${cv.toFixed(2)} (${cvByChance.toFixed(2)}), ${formatPercent(workers[0]?.share ?? 0, 0)}`,
          words,
        ),
      ),
    ),
    nameColumns: 2,
    notes: [words.tables.workersNote],
  };
}

/** Requests of each worker and prefix in the first kept trial of every cell and variant. */
export function buildWorkerPrefixCounts({ cells, sides }: Comparison, words: Messages): Table[] {
  return cells.flatMap(({ cell, sides: own }) =>
    own.flatMap((side, index): Table[] => {
      const matrix = side?.load?.trials[0];
      if (matrix === undefined) return [];
      return [
        {
          kind: 'table',
          title: words.tables.workerPrefix(`${sides[index]?.label}, ${cell.id}-r${matrix.repeat}`),
          head: [words.axis.worker, ...(matrix.counts[0] ?? []).map((_, prefix) => String(prefix))],
          rows: matrix.counts.map((row, w) => [matrix.workers[w] ?? '', ...row.map(String)]),
          nameColumns: 1,
          notes: [],
        },
      ];
    }),
  );
}
