/** A scale's ends and the values that get a tick. */
export interface AxisScale {
  readonly type: 'linear' | 'log' | 'point' | 'band';
  readonly domain: readonly (number | string)[];
  readonly ticks: readonly (number | string)[];
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
