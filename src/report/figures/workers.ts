import type { CellComparison } from '../../core/compare/comparison.js';
import type { WorkerPrefixCounts } from '../../core/measure/worker-load.js';
import type { Messages } from '../messages/en.js';
import { loadIn, type ReportData } from '../report-data.js';
import type { Figure } from './figure.js';
import type { PanelLayer, PanelSize } from './panel-layers.js';
import { panelGrid } from './panels.js';
import { colour } from './style.js';

const ROW = 17;
/** Pixels a square needs to hold its number. */
const ROOM_FOR_NUMBER = 15;
const MOST_TICKS = 24;

/** Which worker served which prefix, in one cell of the grid, a panel for each variant. Null when no target names workers. */
export function planWorkersFigure(report: ReportData, words: Messages): Figure | null {
  const chosen = chooseCell(report);
  if (chosen === null) return null;
  const trials = chosen.sides.map((side) => side?.load?.trials[0] ?? null);
  const most = Math.max(...trials.map((trial) => trial?.workers.length ?? 0));
  const highest = Math.max(1, ...trials.flatMap((trial) => trial?.counts.flat() ?? []));
  const workers = Array.from({ length: most }, (_, i) => `w${i + 1}`);
  const groups = Array.from({ length: chosen.cell.prefixes }, (_, i) => i);
  const step = Math.ceil(groups.length / MOST_TICKS);
  const where = `${words.prefixes(chosen.cell.prefixes)}, ${words.load(loadIn(chosen.cell))}`;
  return {
    name: 'workers',
    title: words.figures.workers.title,
    caption: words.figures.workers.caption(where),
    spec: panelGrid(
      {
        description: words.figures.workers.title,
        rows: report.sides.map((side) => side.info.label),
        columns: [''],
        x: {
          type: 'band',
          domain: groups,
          ticks: groups.filter((group) => group % step === 0),
          title: words.axis.prefix,
        },
        y: { type: 'band', domain: workers, ticks: workers, title: words.axis.worker },
        panelHeight: Math.max(most * ROW, 70),
        labelSpace: 4,
        panel: (row, _, size) => {
          const trial = trials[row] ?? null;
          return trial === null ? null : squares(trial, highest, size);
        },
      },
      words.notReported,
    ),
  };
}

/** The cell where variants differ most in cached tokens, of those whose workers are known; of one variant, where it got fewest. */
function chooseCell(report: ReportData): CellComparison | null {
  let best: CellComparison | null = null;
  let bestScore = Number.NEGATIVE_INFINITY;
  for (const cell of report.comparison.cells) {
    const known = cell.sides.filter((side) => side?.load?.trials[0] !== undefined && side.load !== null);
    const ratios = known.map((side) => side?.values.cached_token_ratio ?? 0);
    if (ratios.length === 0) continue;
    const score =
      known.length - (ratios.length === 1 ? (ratios[0] ?? 0) : 1 - Math.max(...ratios) + Math.min(...ratios));
    if (score > bestScore) {
      best = cell;
      bestScore = score;
    }
  }
  return best;
}

function squares(trial: WorkerPrefixCounts, highest: number, size: PanelSize): PanelLayer[] {
  const values = trial.counts.flatMap((row, w) =>
    row.flatMap((count, prefix) =>
      count === 0 ? [] : { worker: `w${w + 1}`, prefix, count, opacity: 0.12 + (0.88 * count) / highest },
    ),
  );
  const position = {
    x: { field: 'prefix', type: 'ordinal' as const },
    y: { field: 'worker', type: 'ordinal' as const },
  };
  const rects: PanelLayer = {
    data: { values },
    mark: { type: 'rect', color: colour('blue') },
    encoding: { ...position, opacity: { field: 'opacity', type: 'quantitative', scale: null, legend: null } },
  };
  const prefixes = trial.counts[0]?.length ?? 1;
  if (size.width / prefixes < ROOM_FOR_NUMBER) return [rects];
  const numbers = (dark: boolean): PanelLayer => ({
    data: { values: values.filter((value) => value.opacity > 0.6 === dark) },
    mark: { type: 'text', fontSize: 10, baseline: 'middle', color: colour(dark ? 'onFill' : 'ink') },
    encoding: { ...position, text: { field: 'count', type: 'quantitative' } },
  });
  return [rects, numbers(true), numbers(false)];
}
