import { describe, expect, it } from 'vitest';
import { studentQuantile, studentTwoSidedP } from '../../../src/core/base/student-t.js';

describe('studentQuantile', () => {
  it('gives the tabled 95 % values', () => {
    const tabled: readonly (readonly [number, number])[] = [
      [1, 12.7062],
      [2, 4.30265],
      [4, 2.77645],
      [10, 2.22814],
      [30, 2.04227],
      [1e6, 1.95997],
    ];
    for (const [df, t] of tabled) expect(studentQuantile(0.95, df)).toBeCloseTo(t, 4);
  });

  it('takes degrees of freedom that are no whole number', () => {
    expect(studentQuantile(0.95, 2.5)).toBeCloseTo(3.57465, 5);
  });
});

describe('studentTwoSidedP', () => {
  it('is the closed form for 1 and 2 degrees of freedom', () => {
    for (const t of [0.1, 0.7, 1, 3, 20, 400]) {
      expect(studentTwoSidedP(t, 1)).toBeCloseTo(1 - (2 / Math.PI) * Math.atan(t), 12);
      expect(studentTwoSidedP(-t, 2)).toBeCloseTo(1 - t / Math.sqrt(2 + t * t), 12);
    }
  });

  it('is 1 at no difference and 0 at an endless one', () => {
    expect(studentTwoSidedP(0, 3)).toBe(1);
    expect(studentTwoSidedP(Number.POSITIVE_INFINITY, 3)).toBe(0);
  });
});
