import { median } from '../../core/base/statistics.js';
import { keptTrials } from '../../core/compare/compared-variant.js';
import type { MeasureKey } from '../../core/measure/measures.js';
import type { RowLoad } from '../../core/workload/plan-rows.js';
import type { Messages } from '../messages/en.js';
import { type ReportData, rowsAt, sideAt } from '../report-data.js';
import { type Figure, pickEvenly } from './figure.js';
import {
  bandLayer,
  CEILING_STYLE,
  endLabels,
  type LineLabel,
  labelSpaceOf,
  lineLayer,
  type PanelLayer,
  type PanelSize,
} from './panel-layers.js';
import { panelGrid } from './panels.js';
import { yOf } from './scales.js';

/** Cached-token ratio over the number of prefixes, a panel for each load, with the workload's ceiling. Null when no target reported it. */
export function planCachedTokensFigure(report: ReportData, words: Messages): Figure | null {
  return planRateFigure(report, words, {
    name: 'cached-tokens',
    key: 'cached_token_ratio',
    text: words.figures.cachedTokens,
    yTitle: words.axis.cachedRatio,
    ceiling: (prefixes, load) => ceilingOf(report, prefixes, load, 'cached_token_ceiling'),
  });
}

/** Request hit rate over the number of prefixes, a panel for each load, with what an unlimited cache would give. Null when no target reported it. */
export function planHitRateFigure(report: ReportData, words: Messages): Figure | null {
  return planRateFigure(report, words, {
    name: 'hit-rate',
    key: 'request_hit_rate',
    text: words.figures.hitRate,
    yTitle: words.axis.hitRate,
    ceiling: (prefixes, load) => hitCeilingOf(report, prefixes, load),
  });
}

interface RateFigure {
  readonly name: string;
  readonly key: MeasureKey;
  readonly text: { readonly title: string; readonly caption: string };
  readonly yTitle: string;
  ceiling(prefixes: number, load: RowLoad): number | null;
}

const Y_SCALE = { type: 'linear', domain: [0, 1], ticks: [0, 0.25, 0.5, 0.75, 1] } as const;
const MOST_LOADS = 4;

function planRateFigure(report: ReportData, words: Messages, figure: RateFigure): Figure | null {
  const reported = report.sides.some((side) =>
    [...side.cells.values()].some((cell) => cell.summary.values[figure.key] !== null),
  );
  if (!reported) return null;
  const loads = pickEvenly(report.loads, MOST_LOADS);
  const names = report.sides.map((side) => side.info.label);
  const xs = report.prefixes.map(String);
  return {
    name: figure.name,
    title: figure.text.title,
    caption: figure.text.caption,
    spec: panelGrid(
      {
        description: figure.text.title,
        rows: [''],
        columns: loads.map(words.load),
        x: { type: 'point', domain: xs, ticks: xs, title: words.axis.prefixes },
        y: { ...Y_SCALE, title: figure.yTitle, format: '.0%' },
        panelHeight: 170,
        labelSpace: labelSpaceOf([...names, words.ceiling]),
        panel: (_, column, size) => {
          const load = loads[column];
          if (load === undefined) return null;
          return ratePanel(report, words, figure, load, size, column === loads.length - 1);
        },
      },
      words.notMeasured,
    ),
  };
}

function ratePanel(
  report: ReportData,
  words: Messages,
  figure: RateFigure,
  load: RowLoad,
  size: PanelSize,
  labelled: boolean,
): PanelLayer[] | null {
  const labels: LineLabel[] = [];
  const bands: PanelLayer[] = [];
  const lines: PanelLayer[] = [];
  const add = (text: string, style: { readonly colour: string }, values: readonly (number | null)[]) => {
    const last = values.filter((value) => value !== null).pop();
    if (last !== undefined) labels.push({ text, colour: style.colour, y: yOf(last, Y_SCALE, size.height) });
  };
  const ceilings = report.prefixes.map((prefixes) => figure.ceiling(prefixes, load));
  lines.push(
    lineLayer(
      report.prefixes.map((prefixes, i) => ({ x: String(prefixes), y: ceilings[i] ?? null })),
      CEILING_STYLE,
      { type: 'ordinal', points: false, width: 1.5 },
    ),
  );
  add(words.ceiling, CEILING_STYLE, ceilings);
  for (const side of report.sides) {
    const rows = report.prefixes.map((prefixes) => ({
      x: String(prefixes),
      row: rowsAt(side, prefixes, load)?.summary,
    }));
    const points = rows.map(({ x, row }) => ({ x, y: row?.values[figure.key] ?? null }));
    bands.push(
      bandLayer(
        rows.map(({ x, row }) => ({
          x,
          min: row?.bands[figure.key]?.min ?? null,
          max: row?.bands[figure.key]?.max ?? null,
        })),
        side.style,
        'ordinal',
      ),
    );
    lines.push(lineLayer(points, side.style, { type: 'ordinal', points: true }));
    add(
      side.info.label,
      side.style,
      points.map((point) => point.y),
    );
  }
  if (labels.length === 0) return null;
  return [...bands, ...lines, ...(labelled ? endLabels(labels, size) : [])];
}

/** The greatest over the sides: they differ only where a template or a failed request does. */
function ceilingOf(report: ReportData, prefixes: number, load: RowLoad, key: MeasureKey): number | null {
  const values = report.sides
    .map((_, side) => sideAt(report, prefixes, load, side)?.values[key] ?? null)
    .filter((value) => value !== null);
  return values.length === 0 ? null : Math.max(...values);
}

/** Of the ok requests, those that are not the first of their prefix; the median over trials. A primed trial has no first. */
function hitCeilingOf(report: ReportData, prefixes: number, load: RowLoad): number | null {
  const shares = report.sides.flatMap((side) => {
    const rows = rowsAt(side, prefixes, load);
    if (rows === null || rows.summary.values.request_hit_rate === null) return [];
    return keptTrials(rows).map(({ facts }) => {
      const firsts =
        side.origin?.rules.start === 'primed' ? 0 : new Set(facts.ok.map((record) => record.prefix)).size;
      return facts.ok.length === 0 ? null : 1 - firsts / facts.ok.length;
    });
  });
  return median(shares);
}
