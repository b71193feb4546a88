import type { TopLevelSpec } from 'vega-lite';
import { colour, FIGURE_CONFIG, FIGURE_WIDTH, FONT_SIZE, type SeriesStyle, textWidth } from './style.js';

/** One drawing inside a panel: points, lines or text with their own data. */
export type PanelLayer = Extract<TopLevelSpec, { readonly layer: readonly unknown[] }>['layer'][number];

/** A scale's ends and the values that get a tick. */
export interface AxisScale {
  readonly type: 'linear' | 'log' | 'point' | 'band';
  readonly domain: readonly (number | string)[];
  readonly ticks: readonly (number | string)[];
}

/** A table of panels with the same axes; tick labels stand at its left and lower edges only. */
export interface PanelGrid {
  /** Read out in place of the figure. */
  readonly description: string;
  /** Heading of each row; a single row may have none (''). */
  readonly rows: readonly string[];
  readonly columns: readonly string[];
  readonly x: AxisScale & { readonly title: string };
  readonly y: AxisScale & { readonly title: string; readonly format?: string };
  readonly panelHeight: number;
  /** What the colours mean, above the panels. */
  readonly key?: readonly KeyEntry[];
  /** Pixels kept free at the right of the last column, for direct labels. */
  readonly labelSpace: number;
  /** Null where nothing was measured. */
  panel(row: number, column: number, size: PanelSize): readonly PanelLayer[] | null;
}

/** One colour and its meaning. */
export interface KeyEntry {
  readonly text: string;
  readonly colour: string;
  readonly opacity: number;
}

export interface PanelSize {
  readonly width: number;
  readonly height: number;
}

const GAP = 14;

export function panelGrid(grid: PanelGrid, notMeasured: string): TopLevelSpec {
  const yLabels = Math.max(
    ...grid.y.ticks.map((tick) => textWidth(shownTick(tick, grid.y.format), FONT_SIZE - 1)),
  );
  const twoLines = grid.rows.some((row) => row !== '');
  const titleLines = (twoLines ? 1 : 0) + (grid.y.title === '' ? 0 : 1);
  const left = yLabels + 16 + titleLines * (FONT_SIZE + 4);
  const count = grid.columns.length;
  const width = Math.floor((FIGURE_WIDTH - left - grid.labelSpace - (count - 1) * GAP) / count);
  const size = { width, height: grid.panelHeight };
  return {
    description: grid.description,
    config: FIGURE_CONFIG,
    padding: { left: 8, top: 8, bottom: 2, right: 4 },
    spacing: GAP,
    vconcat: [
      ...(grid.key === undefined ? [] : [keyPanel(grid.key, left)]),
      ...(grid.columns.some((column) => column !== '') ? [headings(grid.columns, size)] : []),
      ...grid.rows.map((row, rowIndex) => ({
        spacing: GAP,
        bounds: 'flush' as const,
        hconcat: grid.columns.map((_, columnIndex) => {
          const layers = grid.panel(rowIndex, columnIndex, size);
          const lastRow = rowIndex === grid.rows.length - 1;
          return {
            ...size,
            layer: [
              frame(grid, row, columnIndex === 0, lastRow, columnIndex === Math.floor((count - 1) / 2)),
              ...(layers ?? [note(notMeasured, size)]),
            ],
          };
        }),
      })),
    ],
  } as TopLevelSpec;
}

/**
 * Texts above the columns, as a row of its own: a title of a panel would stand where its axis ends. Where one is wider
 * than its panel, all break after their first comma.
 */
function headings(columns: readonly string[], size: PanelSize): unknown {
  const broken = columns.some((text) => textWidth(text, FONT_SIZE) > size.width && text.includes(', '));
  const extra = broken ? FONT_SIZE + 3 : 0;
  return {
    spacing: GAP,
    bounds: 'flush',
    hconcat: columns.map((text) => ({
      width: size.width,
      height: 2 + extra,
      data: { values: [{ text: broken ? text.replace(', ', ',\n') : text }] },
      mark: {
        type: 'text',
        align: 'left',
        baseline: 'middle',
        fontWeight: 600,
        fontSize: FONT_SIZE,
        ...(broken ? { lineBreak: '\n' } : {}),
      },
      encoding: { text: { field: 'text' }, x: { value: 0 }, y: { value: 4 } },
    })),
  };
}

/** Axes and scales: an invisible point, because Vega-Lite hangs axes on marks. */
function frame(grid: PanelGrid, row: string, first: boolean, lastRow: boolean, middle: boolean): PanelLayer {
  return {
    data: { values: [{ x: grid.x.domain[0], y: grid.y.domain[0] }] },
    mark: { type: 'point', opacity: 0 },
    encoding: {
      x: {
        field: 'x',
        type: typeOf(grid.x),
        scale: scaleOf(grid.x),
        axis: {
          values: [...grid.x.ticks],
          labels: lastRow,
          ticks: lastRow,
          grid: false,
          labelAngle: 0,
          labelOverlap: 'greedy',
          labelFlush: grid.x.type === 'linear',
          labelBound: false,
          title: lastRow && middle ? grid.x.title : lastRow ? '' : null,
        },
      },
      y: {
        field: 'y',
        type: typeOf(grid.y),
        scale: scaleOf(grid.y),
        axis: {
          values: [...grid.y.ticks],
          labels: first,
          ticks: first,
          domain: false,
          ...(grid.y.format === undefined ? {} : { format: grid.y.format }),
          title: first ? [row, grid.y.title].filter((line) => line !== '') : null,
        },
      },
    },
  } as PanelLayer;
}

function scaleOf(axis: AxisScale): Readonly<Record<string, unknown>> {
  const domain = [...axis.domain];
  if (axis.type === 'band') return { type: 'band', domain, paddingInner: 0.12, paddingOuter: 0.06 };
  return axis.type === 'point'
    ? { type: 'point', domain, padding: 0.4 }
    : { type: axis.type, domain, nice: false };
}

function typeOf(axis: AxisScale): 'ordinal' | 'quantitative' {
  return axis.type === 'point' || axis.type === 'band' ? 'ordinal' : 'quantitative';
}

/** Squares of colour, each with its meaning, in as many lines as they need. Starts where the panels do. */
function keyPanel(entries: readonly KeyEntry[], indent: number): PanelLayer {
  const lineHeight = FONT_SIZE + 6;
  let x = 0;
  let line = 0;
  const placed = entries.map((entry) => {
    const needed = textWidth(entry.text, FONT_SIZE - 1) + 30;
    if (x > 0 && x + needed > FIGURE_WIDTH - indent) {
      x = 0;
      line += 1;
    }
    const at = { ...entry, x, y: line * lineHeight + lineHeight / 2 };
    x += needed;
    return at;
  });
  return {
    width: FIGURE_WIDTH - indent,
    height: (line + 1) * lineHeight,
    layer: placed.flatMap((entry) => [
      {
        data: { values: [{}] },
        mark: { type: 'square', size: 110, opacity: entry.opacity, color: entry.colour },
        encoding: { x: { value: entry.x + 6 }, y: { value: entry.y } },
      },
      {
        data: { values: [{ text: entry.text }] },
        mark: { type: 'text', align: 'left', baseline: 'middle' },
        encoding: { text: { field: 'text' }, x: { value: entry.x + 16 }, y: { value: entry.y } },
      },
    ]),
  } as PanelLayer;
}

function note(text: string, size: PanelSize): PanelLayer {
  return {
    data: { values: [{ text }] },
    mark: { type: 'text', fontStyle: 'italic' },
    encoding: {
      text: { field: 'text' },
      x: { value: size.width / 2 },
      y: { value: size.height / 2 },
    },
  };
}

/** A line through points; nulls break it. */
export function lineLayer(
  points: readonly { readonly x: number | string; readonly y: number | null }[],
  style: SeriesStyle,
  options: { readonly type: 'ordinal' | 'quantitative'; readonly points: boolean; readonly width?: number },
): PanelLayer {
  return {
    data: { values: points.filter((point) => point.y !== null) },
    mark: {
      type: 'line',
      color: style.colour,
      strokeDash: [...style.dash],
      strokeWidth: options.width ?? 2,
      ...(options.points ? { point: { color: style.colour, size: 26, filled: true } } : {}),
    },
    encoding: {
      x: { field: 'x', type: options.type },
      y: { field: 'y', type: 'quantitative' },
    },
  };
}

/** The area between the least and the greatest value. */
export function bandLayer(
  points: readonly {
    readonly x: number | string;
    readonly min: number | null;
    readonly max: number | null;
  }[],
  style: SeriesStyle,
  type: 'ordinal' | 'quantitative',
): PanelLayer {
  return {
    data: { values: points.filter((point) => point.min !== null && point.max !== null) },
    mark: { type: 'area', color: style.colour, opacity: 0.2 },
    encoding: {
      x: { field: 'x', type },
      y: { field: 'min', type: 'quantitative' },
      y2: { field: 'max' },
    },
  };
}

export interface LineLabel {
  readonly text: string;
  readonly colour: string;
  /** Where the line ends, px from the panel's top. */
  readonly y: number;
}

const LABEL_HEIGHT = FONT_SIZE + 2;

/** Labels to the right of a panel, each as near to its line's end as the others leave room. */
export function endLabels(labels: readonly LineLabel[], size: PanelSize): PanelLayer[] {
  return spreadLabels(labels, size.height).map((label) => ({
    data: { values: [{ text: label.text }] },
    mark: {
      type: 'text',
      align: 'left',
      baseline: 'middle',
      color: label.colour,
      fontWeight: 600,
      clip: false,
    },
    encoding: {
      text: { field: 'text' },
      x: { value: size.width + 8 },
      y: { value: label.y },
    },
  }));
}

/** Moves labels apart by as little as makes each LABEL_HEIGHT high, inside 0…height as far as they fit. */
export function spreadLabels(labels: readonly LineLabel[], height: number): LineLabel[] {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  const ys = sorted.map((label) => label.y);
  for (let i = 1; i < ys.length; i++) ys[i] = Math.max(ys[i] ?? 0, (ys[i - 1] ?? 0) + LABEL_HEIGHT);
  let limit = height + LABEL_HEIGHT / 2;
  for (let i = ys.length - 1; i >= 0; i--) {
    ys[i] = Math.min(ys[i] ?? 0, limit - LABEL_HEIGHT / 2);
    limit = (ys[i] ?? 0) - LABEL_HEIGHT / 2;
  }
  return sorted.map((label, index) => ({ ...label, y: ys[index] ?? 0 }));
}

/** Space that labels at the right need, px. */
export function labelSpaceOf(texts: readonly string[]): number {
  return 12 + Math.max(0, ...texts.map((text) => textWidth(text, FONT_SIZE - 1, true)));
}

/** Where a value stands on a scale, px from the panel's top. */
export function yOf(value: number, scale: AxisScale, height: number): number {
  const map = scale.type === 'log' ? Math.log : (v: number) => v;
  const low = map(Number(scale.domain[0]));
  const high = map(Number(scale.domain[scale.domain.length - 1]));
  return high === low ? height : height * (1 - (map(value) - low) / (high - low));
}

/** A logarithmic scale over positive values, with a handful of ticks at round numbers. */
export function logScale(values: readonly number[]): AxisScale {
  const positive = values.filter((value) => value > 0);
  if (positive.length === 0) return { type: 'log', domain: [1, 10], ticks: [1, 10] };
  const low = Math.min(...positive);
  const high = Math.max(...positive);
  const ratio = high / low;
  const steps = ratio > 200 ? [1] : ratio > 20 ? [1, 3] : ratio > 5 ? [1, 2, 5] : [1, 1.5, 2, 3, 5, 7];
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of steps) ticks.push(Number((step * 10 ** power).toPrecision(2)));
  }
  const inside = ticks.filter((tick) => tick >= low / 1.3 && tick <= high * 1.3);
  return {
    type: 'log',
    domain: [Math.min(low, inside[0] ?? low) / 1.05, Math.max(high, inside.at(-1) ?? high) * 1.05],
    ticks: inside,
  };
}

/** A scale from 0 to a round number at or above the greatest value, with about four steps. */
export function zeroScale(values: readonly number[], steps = 4): AxisScale {
  const high = Math.max(0, ...values);
  if (high === 0) return { type: 'linear', domain: [0, 1], ticks: [0, 1] };
  const rough = high / steps;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fits = (size: number) => Math.ceil(high / size - 1e-9) <= steps + 1;
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find(fits) ?? 10 * power;
  const count = Math.ceil(high / step - 1e-9);
  const ticks = Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)));
  return { type: 'linear', domain: [0, ticks[ticks.length - 1] ?? 1], ticks };
}

function shownTick(tick: number | string, format: string | undefined): string {
  return format?.endsWith('%') === true ? `${Math.round(Number(tick) * 100)}%` : String(tick);
}

export const CEILING_STYLE: SeriesStyle = { colour: colour('ink'), dash: [3, 3] };
