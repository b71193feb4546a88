import type { TopLevelSpec } from 'vega-lite';

/** A figure before it is drawn. */
export interface Figure {
  /** File name without its ending. */
  readonly name: string;
  readonly title: string;
  /** One or two sentences below it: what is drawn, and how to read it. */
  readonly caption: string;
  readonly spec: TopLevelSpec;
}

/** At most `most` items, the first and the last among them, the others evenly between. */
export function pickEvenly<T>(items: readonly T[], most: number): readonly T[] {
  if (items.length <= most) return items;
  return Array.from(
    { length: most },
    (_, i) => items[Math.round((i * (items.length - 1)) / (most - 1))] as T,
  );
}
