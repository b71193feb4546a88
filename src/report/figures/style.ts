/**
 * Colours of figures. `file` is what a figure's SVG holds: a middle tone, readable on white and on dark alike (at least
 * 3.6:1 on both), because a file cannot know where it is shown. A page that embeds the SVG knows, and maps each to
 * `light` or `dark`. Hues follow Okabe and Ito's colour-blind-safe set.
 */
export const COLOURS = {
  ink: { file: '#777777', light: '#4a4a50', dark: '#b6b6be' },
  onFill: { file: '#fefefe', light: '#ffffff', dark: '#101216' },
  vermillion: { file: '#d55e00', light: '#b84a00', dark: '#f08a4b' },
  blue: { file: '#2a7fbf', light: '#0068a8', dark: '#56b4e9' },
  green: { file: '#0f8f6b', light: '#007a59', dark: '#35c49a' },
  purple: { file: '#b8689a', light: '#a0457c', dark: '#e29bc4' },
  ochre: { file: '#a8770a', light: '#806000', dark: '#e6b93d' },
} as const;

type ColourName = keyof typeof COLOURS;

export function colour(name: ColourName): string {
  return COLOURS[name].file;
}

const SERIES: readonly ColourName[] = ['vermillion', 'blue', 'green', 'purple', 'ochre'];
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 2]];

/** How one variant is drawn everywhere in a report. */
export interface SeriesStyle {
  readonly colour: string;
  /** Stroke dash; empty for a solid line. Differs once the colours are used up. */
  readonly dash: readonly number[];
}

/** The style of the variant at `index`, from 0. */
export function seriesStyle(index: number): SeriesStyle {
  return {
    colour: colour(SERIES[index % SERIES.length] ?? 'ink'),
    dash: DASHES[Math.floor(index / SERIES.length) % DASHES.length] ?? [],
  };
}

/** Pixels of every figure at its natural size; a page may scale it by a third either way. */
export const FIGURE_WIDTH = 520;
export const FONT = 'system-ui, "Segoe UI", Helvetica, Arial, sans-serif';
export const FONT_SIZE = 12;

/**
 * Width of a text in pixels, on the safe side: there is no browser to ask where a figure is drawn, and the reader's font
 * is not known. Classes of letters as wide as in DejaVu Sans, the widest of the usual ones.
 */
export function textWidth(text: string, fontSize = FONT_SIZE, bold = false): number {
  let em = 0;
  for (const letter of text) em += letterWidth(letter);
  return Math.ceil(em * fontSize * (bold ? BOLD : 1));
}

/** How much wider bold letters are. */
const BOLD = 1.14;

function letterWidth(letter: string): number {
  if (/[\u1100-\u11ff\u3000-\ud7af\uff00-\uffef]/.test(letter)) return 1;
  if (/[ijl.,:;'|!()[\] ftIr·-]/.test(letter)) return 0.41;
  if (/[mwMW%@]/.test(letter)) return 0.95;
  if (/[A-Z]/.test(letter)) return 0.72;
  return 0.62;
}

/** Axes, titles and fonts that every figure shares. No background: the page shows through. */
export const FIGURE_CONFIG = {
  background: 'transparent',
  aria: false,
  font: FONT,
  view: { stroke: null },
  axis: {
    labelColor: colour('ink'),
    titleColor: colour('ink'),
    domainColor: colour('ink'),
    tickColor: colour('ink'),
    gridColor: colour('ink'),
    gridOpacity: 0.22,
    domainOpacity: 0.6,
    tickOpacity: 0.6,
    labelFontSize: FONT_SIZE - 1,
    titleFontSize: FONT_SIZE,
    titleFontWeight: 'normal',
    labelPadding: 4,
    titlePadding: 6,
    tickSize: 3,
  },
  text: { color: colour('ink'), fontSize: FONT_SIZE - 1 },
} as const;
