import { type FindingCode, withheldBy } from '../../core/measure/finding-codes.js';
import {
  type Measure,
  type MeasureKey,
  measureOf,
  measuresShown,
  type Place,
} from '../../core/measure/measures.js';
import { type CellSummary, supportsMeasure } from '../../core/measure/summaries.js';
import type { Cell } from '../document/document.js';
import { formatValue } from '../format.js';
import type { Messages } from '../messages/en.js';

/** What a mark behind a value means is in the messages. */
export type Mark = '*' | '†' | '‡';

/** How the values of one cell stand together. */
export interface ValueStyle {
  /** Between two values. */
  readonly between: string;
  /** Between the least and the greatest kept trial. */
  readonly dash: string;
}

/** The measures shown at a place, those of one family together. */
export function familiesShown(place: Place): (readonly [MeasureKey, ...MeasureKey[]])[] {
  const families = new Map<string, MeasureKey[]>();
  for (const key of measuresShown(place)) {
    const { family } = measureOf(key);
    families.set(family, [...(families.get(family) ?? []), key]);
  }
  return [...families.values()] as [MeasureKey, ...MeasureKey[]][];
}

/** The measure that another is shown as a part of; null for most. */
export function wholeOf(key: MeasureKey): MeasureKey | null {
  return ((measureOf(key) as Measure).outOf as MeasureKey | undefined) ?? null;
}

/** One measure with its band, or several side by side, of one row of grid.csv; the marks it carries are added to `marks`. */
export function valueCell(
  summary: CellSummary | null,
  keys: readonly MeasureKey[],
  style: ValueStyle,
  words: Messages,
  marks: Set<string>,
): Cell {
  if (summary === null) return { text: words.notMeasured, tone: 'missing' };
  const tail: Mark[] = [];
  const partly = keys.some((key) => CACHE_FAMILIES.has(measureOf(key).family)) && isPartly(summary);
  if (partly) tail.push('‡');
  const [first] = keys;
  // Where a measure is withheld in some trials, the others give the figure.
  const isPart = first !== undefined && summary.values[first] !== null && withheld(summary, first) !== null;
  if (isPart || summary.repeatsDropped > 0 || summary.findings.some(({ code }) => code === 'missing-trials'))
    tail.push('†');
  if (summary.repeatsKept === 0) {
    marks.add('†');
    return { text: `${words.tables.noneKept}†`, tone: 'missing' };
  }
  const missing = (key: MeasureKey) => {
    const code = withheld(summary, key);
    return code === null ? words.notReported : words.withheld(code);
  };
  if (first === undefined || keys.every((key) => summary.values[key] === null))
    return { text: first === undefined ? words.notReported : missing(first), tone: 'missing' };
  for (const mark of tail) marks.add(mark);
  const shown = keys.map((key) => {
    const value = summary.values[key];
    if (value === null) return missing(key);
    const few = !supportsMeasure(summary, measureOf(key));
    if (few) marks.add('*');
    return `${formatValue(measureOf(key), value)}${few ? '*' : ''}`;
  });
  const band = keys.length === 1 ? bandText(summary, first, style.dash) : '';
  return `${shown.join(style.between)}${band}${tail.join('')}`;
}

/** What the marks found mean. */
export function markNotes(marks: ReadonlySet<string>, words: Messages): string[] {
  return Object.entries(words.tables.marks)
    .filter(([mark]) => marks.has(mark))
    .map(([mark, note]) => `${mark} ${note}`);
}

const CACHE_FAMILIES: ReadonlySet<string> = new Set(['hit-rate', 'cached-ratio']);

/** ` (52.1–54.2)`: least and greatest kept trial; nothing for a single one. */
function bandText(summary: CellSummary, key: MeasureKey, dash: string): string {
  const band = summary.bands[key];
  if (band === undefined || band.min === null || band.max === null || summary.repeatsKept < 2) return '';
  return ` (${formatValue(measureOf(key), band.min)}${dash}${formatValue(measureOf(key), band.max)})`;
}

function isPartly(summary: CellSummary): boolean {
  return summary.findings.some(({ code }) => code === 'cached-tokens-partly-reported');
}

/** The finding that withholds a measure in some trial; null for none. */
function withheld(summary: CellSummary, key: MeasureKey): FindingCode | null {
  return withheldBy(summary.findings, measureOf(key).family);
}
