import { describe, expect, it } from 'vitest';
import { pickEvenly } from '../../src/report/figures/figure.js';
import { spreadLabels } from '../../src/report/figures/panel-layers.js';
import { logScale, yOf, zeroScale } from '../../src/report/figures/scales.js';
import { COLOURS, seriesStyle, textWidth } from '../../src/report/figures/style.js';

const label = (text: string, y: number) => ({ text, colour: '#777777', y });

describe('scales of figures', () => {
  it('reach from 0 to a round number just above the greatest value', () => {
    expect(zeroScale([41, 12]).ticks).toEqual([0, 10, 20, 30, 40, 50]);
    expect(zeroScale([0.07]).ticks).toEqual([0, 0.02, 0.04, 0.06, 0.08]);
    expect(zeroScale([]).ticks).toEqual([0, 1]);
  });

  it('take fewer ticks the more decades a logarithm spans, all inside its ends', () => {
    expect(logScale([30, 60]).ticks).toEqual([30, 50, 70]);
    expect(logScale([30, 900]).ticks).toEqual([30, 100, 300, 1000]);
    expect(logScale([1, 2000]).ticks).toEqual([1, 10, 100, 1000]);
    for (const values of [
      [30, 60],
      [30, 900],
      [1, 2000],
      [7, 7],
    ]) {
      const { domain, ticks } = logScale(values);
      for (const tick of [...ticks, ...values]) {
        expect(Number(domain[0])).toBeLessThanOrEqual(Number(tick));
        expect(Number(domain[1])).toBeGreaterThanOrEqual(Number(tick));
      }
    }
  });

  it('place a value from the top of the panel', () => {
    expect(yOf(0.25, { type: 'linear', domain: [0, 1], ticks: [] }, 100)).toBe(75);
    expect(yOf(10, { type: 'log', domain: [1, 100], ticks: [] }, 100)).toBe(50);
  });
});

describe('direct labels', () => {
  it('stay where their lines end when there is room', () => {
    expect(spreadLabels([label('a', 80), label('b', 20)], 100)).toEqual([label('b', 20), label('a', 80)]);
  });

  it('move apart by their height when lines end together, and stay inside the panel', () => {
    const ys = spreadLabels([label('a', 50), label('b', 51), label('c', 52)], 100).map(({ y }) => y);
    expect(ys).toEqual([50, 64, 78]);
    expect(spreadLabels([label('a', 99), label('b', 99)], 100).map(({ y }) => y)).toEqual([86, 100]);
  });

  it('are never thought narrower than DejaVu Sans, the widest usual font, draws them', () => {
    // Advance widths at 1,000 px, plain and bold, read off the font files.
    const drawn: readonly (readonly [string, number, number])[] = [
      ['round-robin', 5812, 6686],
      ['kv-approx', 4949, 5664],
      ['16 in flight', 5388, 6132],
      ['1,000', 2863, 3163],
      ['expected cached tokens, %', 13767, 15363],
      ['w1', 1454, 1620],
    ];
    for (const [text, plain, bold] of drawn) {
      expect(textWidth(text, 1000), text).toBeGreaterThanOrEqual(plain);
      expect(textWidth(text, 1000, true), text).toBeGreaterThanOrEqual(bold);
    }
  });
});

describe('styles of figures', () => {
  it('differ for ten variants by colour or dash', () => {
    const styles = Array.from({ length: 10 }, (_, index) => JSON.stringify(seriesStyle(index)));
    expect(new Set(styles).size).toBe(10);
  });

  it('use middle tones that stand out by 3.5:1 on white and on dark alike', () => {
    for (const [name, { file }] of Object.entries(COLOURS)) {
      if (name === 'onFill') continue;
      expect(contrast(file, '#ffffff'), name).toBeGreaterThan(3.5);
      expect(contrast(file, '#14161a'), name).toBeGreaterThan(3.5);
    }
  });

  it('use tones in a page that can be read as text on it', () => {
    for (const [name, { light, dark }] of Object.entries(COLOURS)) {
      if (name === 'onFill') continue;
      expect(contrast(light, '#ffffff'), name).toBeGreaterThan(4.5);
      expect(contrast(dark, '#14161a'), name).toBeGreaterThan(4.5);
    }
  });
});

describe('an axis with too many values', () => {
  it('keeps its ends and picks the others evenly', () => {
    expect(pickEvenly([1, 2, 3, 4, 5, 6, 7], 4)).toEqual([1, 3, 5, 7]);
    expect(pickEvenly([1, 2], 4)).toEqual([1, 2]);
  });
});

/** WCAG 2 contrast ratio. */
function contrast(a: string, b: string): number {
  const [low = 0, high = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
    .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
