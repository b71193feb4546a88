import type { Figure } from '../figures/figure.js';

/** A report as data, before it is Markdown or HTML. Texts are plain: each renderer escapes what its format needs. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string; readonly muted?: boolean }
  /** The sentences that a hurried reader takes away. */
  | { readonly kind: 'answer'; readonly sentences: readonly string[] }
  | { readonly kind: 'notices'; readonly notices: readonly Notice[] }
  | TableBlock
  | { readonly kind: 'figure'; readonly figure: Figure }
  | { readonly kind: 'list'; readonly items: readonly string[] };

/** Something to know before a number is believed. */
export interface Notice {
  /** `stop` forbids the comparison. */
  readonly tone: 'stop' | 'caution' | 'hint';
  /** Code as in the CSV files, so that it can be searched for; empty for none. */
  readonly code: string;
  readonly title: string;
  /** What the records show. */
  readonly seen: string;
  /** What to do about it; empty for nothing. */
  readonly advice: string;
}

export interface TableBlock {
  readonly kind: 'table';
  readonly head: readonly string[];
  readonly rows: readonly (readonly TableCell[])[];
  /** Columns from the left that hold names and not values: they read from the left. */
  readonly nameColumns: number;
  /** What marks in the cells mean. */
  readonly notes: readonly string[];
}

export type TableCell =
  | string
  | {
      readonly text: string;
      readonly tone: Tone;
      /** Stands in brackets after the text, or below it where there is little room. */
      readonly detail?: string;
    };

/** `missing`: there is no value, and the text says why. */
export type Tone = 'missing' | 'better' | 'worse' | 'same';

/** A cell as one line. */
export function textOf(cell: TableCell): string {
  if (typeof cell === 'string') return cell;
  return cell.detail === undefined ? cell.text : `${cell.text} (${cell.detail})`;
}
