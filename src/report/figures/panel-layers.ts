import type { TopLevelSpec } from 'vega-lite';
import { colour, FONT_SIZE, type SeriesStyle, textWidth } from './style.js';

/** One drawing inside a panel: points, lines or text with their own data. */
export type PanelLayer = Extract<TopLevelSpec, { readonly layer: readonly unknown[] }>['layer'][number];

/** Pixels. */
export interface PanelSize {
  readonly width: number;
  readonly height: number;
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

/** How a ceiling and other bounds are drawn. */
export const CEILING_STYLE: SeriesStyle = { colour: colour('ink'), dash: [3, 3] };
