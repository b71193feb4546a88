import { describe, expect, it } from 'vitest';
import { createRng, type Rng } from '../../../src/core/base/rng.js';
import {
  adjustPValues,
  clientShift,
  estimateChanges,
  marginOf,
  medianError,
  type PairedRepeats,
  pValueOf,
  withoutShift,
} from '../../../src/core/compare/interval.js';

function cellOf(changes: readonly number[], over: Partial<PairedRepeats> = {}): PairedRepeats {
  return {
    baseline: changes.map(() => 0.5),
    candidate: changes.map((change) => 0.5 + change),
    resampled: changes.map(() => 1e-4),
    requests: 240,
    ...over,
  };
}

describe('estimateChanges', () => {
  it('is the paired t of a single cell, with the error of a median', () => {
    const [estimate] = estimateChanges([cellOf([0.01, 0.02, 0.06])], 'points');
    expect(estimate?.change).toBeCloseTo(0.02, 12);
    // The changes differ by a standard deviation of √0.0007.
    expect(estimate?.error?.standardError).toBeCloseTo(0.6698 * Math.sqrt(0.0007), 12);
    expect(estimate?.error?.df).toBe(2);
    expect(estimate?.error && marginOf(estimate.error, 0.95)).toBeCloseTo(
      4.30265 * 0.6698 * Math.sqrt(0.0007),
      6,
    );
  });

  it('borrows four degrees of freedom from the other cells', () => {
    const spread = [-0.01, 0, 0.01];
    const [estimate] = estimateChanges([cellOf(spread), cellOf(spread), cellOf(spread)], 'points');
    // All spread alike: prediction and own variance are both 0.0001.
    expect(estimate?.error?.standardError).toBeCloseTo(0.6698 * 0.01, 12);
    expect(estimate?.error?.df).toBe(6);
  });

  it('takes the spread of a noisy cell from how noisy its requests are', () => {
    const quiet = cellOf([-0.01, 0, 0.01]);
    const noisy = cellOf([-0.1, 0, 0.1], { resampled: [0.01, 0.01, 0.01] });
    const once = cellOf([0], { resampled: [0.01] });
    const quietOnce = cellOf([0], { resampled: [1e-4] });
    const errors = estimateChanges([quiet, noisy, once, quietOnce], 'points').map(({ error }) => error);
    expect(errors[2]?.standardError).toBeCloseTo(0.1, 12);
    expect(errors[3]?.standardError).toBeCloseTo(0.01, 12);
  });

  it('takes no cell to be noisier than the noisiest', () => {
    const quiet = cellOf([-0.01, 0, 0.01]);
    const once = cellOf([0], { resampled: [0.25] });
    const [, estimate] = estimateChanges([quiet, once], 'points');
    expect(estimate?.error?.standardError).toBeCloseTo(0.01, 12);
  });

  it('gives a cell with one repeat the spread of the others, and no cell at all none', () => {
    const single = cellOf([0.03]);
    expect(estimateChanges([single], 'points')[0]?.error).toBeNull();
    const [estimate] = estimateChanges([single, cellOf([-0.01, 0, 0.01])], 'points');
    expect(estimate?.error?.df).toBe(2);
    expect(estimate?.error?.standardError).toBeCloseTo(0.01, 12);
  });

  it('is never surer of a rate than by one request in a trial', () => {
    const [estimate] = estimateChanges([cellOf([0.02, 0.02, 0.02], { resampled: [0, 0, 0] })], 'points');
    expect(estimate?.error?.standardError).toBeCloseTo(0.6698 / 240, 12);
  });

  it('measures times by the logarithm of their ratio', () => {
    const [estimate] = estimateChanges(
      [cellOf([0], { baseline: [100, 200], candidate: [110, 220], resampled: [1e-4, 1e-4] })],
      'log-ratio',
    );
    expect(estimate?.change).toBeCloseTo(Math.log(1.1), 12);
  });

  it('covers the true change in about 95 % of cells, whatever share of the noise requests explain', () => {
    for (const between of [0, 0.02]) {
      const rng = createRng(`coverage/${between}`);
      let covered = 0;
      let cells = 0;
      for (let round = 0; round < 150; round++) {
        const truth = 0.05;
        const grid = Array.from({ length: 12 }, (_, c) => {
          const within = 0.01 * (1 + (c % 3));
          const changes = [0, 1, 2].map(() => truth + Math.hypot(within, between) * normal(rng));
          return cellOf(changes, { resampled: [within ** 2, within ** 2, within ** 2] });
        });
        for (const { change, error } of estimateChanges(grid, 'points')) {
          cells++;
          if (error !== null && Math.abs(change - truth) <= marginOf(error, 0.95)) covered++;
        }
      }
      expect(covered / cells).toBeGreaterThan(0.93);
      expect(covered / cells).toBeLessThan(0.98);
    }
  });
});

describe('pValueOf', () => {
  it('is 1 of no change and 0.05 at the edge of the interval', () => {
    const error = { standardError: 2, df: 6 };
    expect(pValueOf(0, error)).toBe(1);
    expect(pValueOf(marginOf(error, 0.95), error)).toBeCloseTo(0.05, 9);
  });
});

describe('adjustPValues', () => {
  it('is the step-up of Benjamini and Hochberg, in the order given', () => {
    expect(adjustPValues([0.01, 0.04, 0.03, 0.005])).toEqual([0.02, 0.04, 0.04, 0.02]);
    expect(adjustPValues([0.9, 0.001])).toEqual([0.9, 0.002]);
    expect(adjustPValues([])).toEqual([]);
  });
});

describe('medianError', () => {
  it('is what the median of three normal values varies by', () => {
    const rng = createRng('median-error');
    const medians = Array.from(
      { length: 40_000 },
      () => [normal(rng), normal(rng), normal(rng)].sort((a, b) => a - b)[1] ?? 0,
    );
    const variance = medians.reduce((sum, value) => sum + value ** 2, 0) / medians.length;
    expect(Math.sqrt(variance)).toBeCloseTo(medianError(3), 2);
  });

  it('goes on smoothly beyond its table', () => {
    expect(medianError(13)).toBeGreaterThan(0.33);
    expect(medianError(13)).toBeLessThan(0.35);
  });
});

function normal(rng: Rng): number {
  return Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());
}

describe('what late clients may have done to a change', () => {
  const pair = (over: number, under = 0) => ({ over, under });
  const cell = { baseline: [100, 110, 120], candidate: [50, 55, 60], resampled: [1, 1, 1], requests: 240 };
  const exact = [pair(0), pair(0), pair(0)];

  it('is nothing where no client was late', () => {
    expect(clientShift(cell, { baseline: exact, candidate: exact }, 'log-ratio')).toEqual({
      below: 0,
      above: 0,
    });
  });

  it('reaches below by the lateness of the candidate, above by that of the baseline', () => {
    const late = [pair(10), pair(11), pair(12)];
    const shift = clientShift(cell, { baseline: late, candidate: exact }, 'log-ratio');
    expect(shift.below).toBeCloseTo(0, 12);
    expect(shift.above).toBeCloseTo(Math.log(110 / 99), 12);
    const other = clientShift(cell, { baseline: exact, candidate: late }, 'log-ratio');
    expect(other.below).toBeCloseTo(Math.log(55 / 44), 12);
    expect(other.above).toBeCloseTo(0, 12);
  });

  it('turns round for what lateness makes smaller', () => {
    const slow = [pair(0, 10), pair(0, 11), pair(0, 12)];
    const shift = clientShift(cell, { baseline: slow, candidate: exact }, 'log-ratio');
    expect(shift.below).toBeCloseTo(Math.log(121 / 110), 12);
    expect(shift.above).toBeCloseTo(0, 12);
  });

  it('has no end where the client may have made up the whole time', () => {
    const all = [pair(100), pair(110), pair(120)];
    expect(clientShift(cell, { baseline: all, candidate: exact }, 'log-ratio').above).toBe(
      Number.POSITIVE_INFINITY,
    );
  });

  it('is taken off a change towards none, and never past it', () => {
    expect(withoutShift(-0.7, { below: 0.5, above: 0.2 })).toBeCloseTo(-0.5, 12);
    expect(withoutShift(0.7, { below: 0.5, above: 0.2 })).toBeCloseTo(0.2, 12);
    expect(withoutShift(-0.1, { below: 0, above: 0.2 })).toBe(0);
  });
});
