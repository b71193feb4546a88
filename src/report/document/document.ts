import type { Figure } from '../figures/figure.js';

/** A document as data, before it is text, Markdown or HTML. Texts are plain: each renderer escapes what its format needs. */
export type Block =
  | { readonly kind: 'heading'; readonly level: 1 | 2 | 3; readonly text: string }
  | { readonly kind: 'paragraph'; readonly text: string }
  /** The sentences that a hurried reader takes away. */
  | { readonly kind: 'answer'; readonly sentences: readonly string[] }
  | { readonly kind: 'notices'; readonly notices: readonly Notice[] }
  | Table
  | { readonly kind: 'figure'; readonly figure: Figure }
  | { readonly kind: 'list'; readonly items: readonly string[] };

/** Something to know before a number is trusted. */
export interface Notice {
  /** `drop` leaves a trial out, `forbid` forbids the comparison, `withhold` leaves measures out, `reason` explains a result. */
  readonly tone: 'drop' | 'forbid' | 'withhold' | 'caution' | 'note' | 'reason';
  /** Code as in the CSV files, so that it can be searched for. */
  readonly code: string;
  /** Variants that it is about; empty for all. */
  readonly about: string;
  readonly title: string;
  /** What the records show, and where. */
  readonly seen: string;
  /** What to do about it; empty for nothing. */
  readonly advice: string;
}

export interface Table {
  readonly kind: 'table';
  /** Empty where the table above is continued, or a heading says it. */
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Columns from the left that hold names and not values: they read from the left. */
  readonly nameColumns: number;
  /** What marks in the cells mean. */
  readonly notes: readonly string[];
}

export type Cell =
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
export function textOf(cell: Cell): string {
  if (typeof cell === 'string') return cell;
  return cell.detail === undefined ? cell.text : `${cell.text} (${cell.detail})`;
}

/** `kv: contaminated trial`. */
export function titleOf({ about, title }: Notice): string {
  return about === '' ? title : `${about}: ${title}`;
}
