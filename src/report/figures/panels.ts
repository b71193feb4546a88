import type { TopLevelSpec } from 'vega-lite';
import type { PanelLayer, PanelSize } from './panel-layers.js';
import type { AxisScale } from './scales.js';
import { FIGURE_CONFIG, FIGURE_WIDTH, FONT_SIZE, textWidth } from './style.js';

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
 * Texts above the columns, in a separate row: a title of a panel would stand where its axis ends. Where one is wider
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

function shownTick(tick: number | string, format: string | undefined): string {
  return format?.endsWith('%') === true ? `${Math.round(Number(tick) * 100)}%` : String(tick);
}
