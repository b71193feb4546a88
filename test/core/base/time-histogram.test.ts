import { build } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import { createTimeHistogram, LONGEST_US, lowestUsOf } from '../../../src/core/base/time-histogram.js';

const P = [0.01, 0.5, 0.9, 0.99, 0.999, 1];

describe('a histogram of times', () => {
  it('gives nothing of nothing', () => {
    const empty = createTimeHistogram();
    expect([empty.size(), empty.percentile(0.5), empty.max()]).toEqual([0, null, null]);
  });

  it('is exact below 2.048 ms and takes the nearest rank', () => {
    const histogram = createTimeHistogram();
    for (let us = 1; us <= 2000; us++) histogram.add(us / 1000);
    expect(P.map((p) => histogram.percentile(p))).toEqual([0.02, 1, 1.8, 1.98, 1.998, 2]);
    expect(histogram.max()).toBe(2);
  });

  it('tells what HdrHistogram tells of the same times, to the longest', () => {
    const histogram = createTimeHistogram();
    const hdr = build({ highestTrackableValue: LONGEST_US, numberOfSignificantValueDigits: 3 });
    const rng = createRng('times');
    const times = Array.from({ length: 5000 }, () => Math.floor(10 ** (rng.next() * 9.5)));
    for (const us of [0, 1, 2047, 2048, 2049, 4095, 4096, LONGEST_US, ...times]) {
      histogram.add(us / 1000);
      hdr.recordValue(us);
    }
    expect(histogram.size()).toBe(hdr.totalCount);
    for (const p of P.slice(0, -1)) {
      expect(histogram.percentile(p)).toBe(hdr.getValueAtPercentile(100 * p) / 1000);
    }
    expect(histogram.percentile(1)).toBe(LONGEST_US / 1000);
  });

  it('counts a time beyond the longest as the longest, and one below zero as zero', () => {
    const histogram = createTimeHistogram();
    histogram.add(-1);
    histogram.add(1e9);
    expect([histogram.percentile(0.5), histogram.max()]).toEqual([0, LONGEST_US / 1000]);
  });

  it('adds up', () => {
    const [one, two, both] = [createTimeHistogram(), createTimeHistogram(), createTimeHistogram()];
    for (let ms = 0; ms < 1000; ms++) {
      (ms % 3 === 0 ? one : two).add(ms);
      both.add(ms);
    }
    one.merge(two.counts());
    expect(P.map((p) => one.percentile(p))).toEqual(P.map((p) => both.percentile(p)));
    expect([one.size(), one.max()]).toEqual([1000, 999]);
  });

  it('knows the lowest value of each bucket', () => {
    expect([0, 2047, 2048, 2049, 3072, 4096].map(lowestUsOf)).toEqual([0, 2047, 2048, 2050, 4096, 8192]);
  });
});
