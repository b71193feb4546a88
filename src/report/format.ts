import type { Measure } from '../core/measure/measures.js';

/** How the values of one measure are shown in tables: scaled to `unit`, which belongs in the table's heading. */
export interface ValueStyle {
  /** As shown: a hit rate in %, everything else as in the CSV. Empty for a bare ratio. */
  readonly unit: string;
  /** A stored value times this is the value shown. */
  readonly scale: number;
}

/** How values of a measure are shown. The CSV always holds the stored value (rates from 0 to 1). */
export function valueStyle(measure: Pick<Measure, 'key' | 'unit'>): ValueStyle {
  if (measure.key === 'request_hit_rate') return { unit: '%', scale: 100 };
  const units: Readonly<Record<Measure['unit'], string>> = {
    '': '',
    ratio: '',
    ms: 'ms',
    '1/s': 'req/s',
    'tokens/s': 'tokens/s',
    s: 's',
    workers: 'workers',
  };
  return { unit: units[measure.unit], scale: 1 };
}

/** One value as tables show it, without its unit: `95.0` (%), `0.857`, `34.2` or `1353` (ms), `21.1` (req/s), `2.86` (workers). */
export function formatValue(measure: Pick<Measure, 'key' | 'unit'>, value: number): string {
  const shown = value * valueStyle(measure).scale;
  if (measure.key === 'request_hit_rate') return shown.toFixed(1);
  switch (measure.unit) {
    case 'ratio':
      return shown.toFixed(3);
    case 'ms':
      return formatMs(shown);
    case '1/s':
    case 's':
      return shown.toFixed(1);
    case 'tokens/s':
      return shown.toFixed(0);
    case 'workers':
      return Number.isInteger(shown) ? shown.toFixed(0) : shown.toFixed(2);
    case '':
      return String(shown);
  }
}

/** Milliseconds to three digits or so: one decimal below 100, none above. */
export function formatMs(ms: number): string {
  return Math.abs(ms) < 99.95 ? ms.toFixed(1) : ms.toFixed(0);
}

/** `+2.5`, `-0.3`, `0.0`: a change always carries its sign, and a rounded 0 none. */
export function formatSigned(value: number, decimals = 1): string {
  const text = value.toFixed(decimals);
  if (Number(text) === 0) return (0).toFixed(decimals);
  return value > 0 ? `+${text}` : text;
}

/** `83.0 %`, of a share from 0 to 1. */
export function formatPercent(share: number, decimals = 1): string {
  return `${(share * 100).toFixed(decimals)} %`;
}

/** `2,371`: whole numbers in sentences. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}
