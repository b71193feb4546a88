import { describe, expect, it } from 'vitest';
import {
  median,
  percentile,
  rangeOf,
  sortedOf,
  supportsPercentile,
} from '../../../src/core/base/statistics.js';

const oneTo = (n: number) => sortedOf(Array.from({ length: n }, (_, i) => n - i));

describe('percentile', () => {
  it('takes the nearest rank', () => {
    expect(percentile(oneTo(100), 0.99)).toBe(99);
    expect(percentile(oneTo(101), 0.99)).toBe(100);
    expect(percentile(oneTo(240), 0.99)).toBe(238);
    expect(percentile(oneTo(10), 0.5)).toBe(5);
    expect(percentile(oneTo(11), 0.5)).toBe(6);
    expect(percentile(oneTo(1), 0.99)).toBe(1);
    expect(percentile(oneTo(7), 1)).toBe(7);
  });

  it('agrees with its definition for every n, computed in whole numbers', () => {
    for (let n = 1; n <= 1000; n++) expect(percentile(oneTo(n), 0.99)).toBe(Math.ceil((99 * n) / 100));
  });

  it('is null of nothing and ignores nulls', () => {
    expect(percentile(sortedOf([]), 0.5)).toBe(null);
    expect(percentile(sortedOf([null, 3, null]), 0.5)).toBe(3);
  });

  it('sorts by value, not by text', () => {
    expect([...sortedOf([10, 9, 100])]).toEqual([9, 10, 100]);
  });
});

describe('supportsPercentile', () => {
  it('wants a hundred requests for a p99', () => {
    expect(supportsPercentile(99, 0.99)).toBe(false);
    expect(supportsPercentile(100, 0.99)).toBe(true);
    expect(supportsPercentile(2, 0.5)).toBe(true);
  });
});

describe('median', () => {
  it('takes the middle, or the mean of two', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([1, 2])).toBe(1.5);
    expect(median([null, 4])).toBe(4);
    expect(median([])).toBe(null);
  });
});

describe('rangeOf', () => {
  it('is the least and the greatest, and inverted for no values', () => {
    expect(rangeOf([3, -1, 7, 2])).toEqual({ least: -1, most: 7 });
    expect(rangeOf([])).toEqual({ least: Number.POSITIVE_INFINITY, most: Number.NEGATIVE_INFINITY });
  });

  it('takes more values than a call takes arguments', () => {
    const values = Array.from({ length: 300_000 }, (_, i) => i);
    expect(() => Math.max(...values)).toThrow(RangeError);
    expect(rangeOf(values)).toEqual({ least: 0, most: 299_999 });
  });
});
