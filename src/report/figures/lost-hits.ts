import { LOSS_CAUSES, type LossCause, type LostTokens } from '../../core/measure/lost-hits.js';
import type { RowLoad } from '../../core/workload/plan-rows.js';
import type { Messages } from '../messages/en.js';
import { type ReportData, sideAt } from '../report-data.js';
import { type Figure, pickEvenly } from './figure.js';
import type { PanelLayer } from './panel-layers.js';
import { panelGrid } from './panels.js';
import { colour } from './style.js';

type Part = 'cached' | LossCause;

/** Shades of ink for what no router changes, a colour for what may be changed. */
const PART_STYLE: Readonly<Record<Part, { readonly colour: string; readonly opacity: number }>> = {
  cached: { colour: colour('ink'), opacity: 0.2 },
  firstTouch: { colour: colour('ink'), opacity: 0.55 },
  inFlight: { colour: colour('ochre'), opacity: 0.85 },
  placement: { colour: colour('purple'), opacity: 0.9 },
  eviction: { colour: colour('green'), opacity: 0.85 },
  notFirstTouch: { colour: colour('ink'), opacity: 0.95 },
};

const PARTS: readonly Part[] = ['cached', ...LOSS_CAUSES];
const MOST_ROWS = 8;
const MOST_COLUMNS = 3;
const BAR = 15;

/** Where the expected cached tokens went, a bar for each variant, a panel for each cell. Null when no target reported cached tokens. */
export function planLostHitsFigure(report: ReportData, words: Messages): Figure | null {
  const prefixes = pickEvenly(report.prefixes, MOST_ROWS);
  const loads = pickEvenly(report.loads, MOST_COLUMNS);
  const lostAt = (row: number, column: number, side: number) => {
    const lost = sideAt(report, prefixes[row] ?? 0, loads[column] as RowLoad, side)?.lost ?? null;
    return lost === null || lost.expected === 0 ? null : lost;
  };
  const all = prefixes.flatMap((_, row) =>
    loads.flatMap((_load, column) => report.sides.flatMap((_side, side) => lostAt(row, column, side) ?? [])),
  );
  if (all.length === 0) return null;
  const names = report.sides.map((side) => side.info.label);
  const present = PARTS.filter((part) => all.some((lost) => tokensOf(lost, part) > 0));
  return {
    name: 'lost-hits',
    title: words.figures.lostHits.title,
    caption: words.figures.lostHits.caption,
    spec: panelGrid(
      {
        description: words.figures.lostHits.title,
        rows: prefixes.map(words.prefixes),
        columns: loads.map(words.load),
        x: { type: 'linear', domain: [0, 100], ticks: [0, 50, 100], title: words.axis.lost },
        y: { type: 'band', domain: names, ticks: names, title: '' },
        panelHeight: Math.max(names.length * BAR, 64),
        labelSpace: 14,
        key: present.map((part) => ({ ...PART_STYLE[part], text: words.parts[part] })),
        panel: (row, column) => {
          const layers = names.flatMap((name, side) => {
            const lost = lostAt(row, column, side);
            return lost === null ? [] : barLayers(name, lost);
          });
          return layers.length === 0 ? null : layers;
        },
      },
      words.notMeasured,
    ),
  };
}

function barLayers(name: string, lost: LostTokens): PanelLayer[] {
  let from = 0;
  return PARTS.flatMap((part): PanelLayer[] => {
    const share = (100 * tokensOf(lost, part)) / lost.expected;
    const start = from;
    from += share;
    if (share === 0) return [];
    return [
      {
        data: { values: [{ name, from: start, to: from }] },
        mark: { type: 'bar', color: PART_STYLE[part].colour, opacity: PART_STYLE[part].opacity },
        encoding: {
          y: { field: 'name', type: 'ordinal' },
          x: { field: 'from', type: 'quantitative' },
          x2: { field: 'to' },
        },
      },
    ];
  });
}

/** Cached tokens beyond the prefix are no part of what was expected. */
function tokensOf(lost: LostTokens, part: Part): number {
  return part === 'cached' ? lost.cached - lost.excess : lost[part];
}
