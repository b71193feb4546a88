import { describe, expect, it } from 'vitest';
import { createTimeHistogram, type TimeHistogram } from '../../../src/core/base/time-histogram.js';
import {
  buildClientCheck,
  type ClientCheck,
  type ClientReading,
  type FirstTokenTimes,
  findClientLimit,
  meanInFlight,
} from '../../../src/core/measure/client-check.js';
import { inEnglish } from '../../support/english.js';
import { FAIR_CLIENT } from '../../support/records.js';

const histogramOf = (...ms: number[]): TimeHistogram => {
  const histogram = createTimeHistogram();
  for (const one of ms) histogram.add(one);
  return histogram;
};
/** Why, in English; null when it was not. */
const limit = (over: Partial<ClientCheck>, times: FirstTokenTimes) => {
  const evidence = findClientLimit({ ...FAIR_CLIENT, ...over }, times);
  return evidence === null ? null : inEnglish(evidence);
};

describe('the check of the client', () => {
  it('folds what each thread saw, and the CPU of the process once', () => {
    const reading = (stamp: number, delay: number, cpuMs: number): ClientReading => ({
      stampLag: histogramOf(stamp).counts(),
      loopDelay: histogramOf(delay).counts(),
      readerMs: 100,
      cpuMs,
      spanMs: 1000,
    });
    const load = {
      requests: 50,
      sendLag: histogramOf(0.1, 0.2, 1),
      concurrencyAsked: 8,
      concurrencyMean: 7.98765,
    };
    expect(buildClientCheck([reading(0.1, 0.3, 800), reading(1.5, 0.2, 801)], load)).toEqual({
      threads: 2,
      first_tokens: 2,
      stamp_lag_mean_ms: 0.8,
      stamp_lag_p50_ms: 0.1,
      stamp_lag_p90_ms: 1.5,
      stamp_lag_p99_ms: 1.5,
      stamp_lag_max_ms: 1.5,
      loop_delay_mean_ms: 0.25,
      loop_delay_p50_ms: 0.2,
      loop_delay_p90_ms: 0.3,
      loop_delay_p99_ms: 0.3,
      loop_delay_max_ms: 0.3,
      send_lag_mean_ms: 0.433,
      send_lag_p50_ms: 0.2,
      send_lag_p99_ms: 1,
      send_lag_max_ms: 1,
      concurrency_asked: 8,
      concurrency_mean: 7.988,
      cpu_share: 0.801,
      cpu_per_request_us: 16_020,
      reader_share: 0.1,
    });
  });
});

describe('meanInFlight', () => {
  const mean = (asked: number, requests: readonly (readonly [number, number])[], ranOutMs: number) =>
    meanInFlight(
      Float64Array.from(requests, ([from]) => from),
      Float64Array.from(requests, ([, to]) => to),
      asked,
      ranOutMs,
    );
  const NEVER = [Number.NaN, Number.NaN] as const;

  it('weighs by time, until the plan ran out', () => {
    expect(
      mean(
        2,
        [
          [0, 20],
          [0, 30],
          [20, 40],
        ],
        30,
      ),
    ).toBe(2);
    // A slot that stays empty for half of the time.
    expect(
      mean(
        2,
        [
          [0, 10],
          [0, 5],
          [10, 99],
        ],
        10,
      ),
    ).toBe(1.5);
  });

  it('begins when the load is complete', () => {
    expect(
      mean(
        2,
        [
          [0, 20],
          [10, 30],
          [20, 40],
        ],
        30,
      ),
    ).toBe(2);
    expect(
      mean(
        2,
        [
          [0, 20],
          [10, 15],
          [20, 40],
          [20, 40],
        ],
        20,
      ),
    ).toBe(1.5);
  });

  it('leaves out what was never sent, and is nothing of no time', () => {
    expect(mean(1, [[0, 10], NEVER], 10)).toBe(1);
    expect(mean(1, [[0, 10]], 0)).toBe(null);
    expect(mean(1, [NEVER], 5)).toBe(null);
  });
});

describe('the client was the limit', () => {
  it('not where its errors are a tenth of what they touch, or less', () => {
    expect(limit({}, { ttft_mean_ms: 100, ttft_p50_ms: 100, ttft_p99_ms: 100 })).toBe(null);
    expect(limit({ stamp_lag_p50_ms: 5 }, { ttft_p50_ms: 50 })).toBe(null);
  });

  it('where half of the stamps, the mean or the p99 may be off by more than a tenth', () => {
    expect(limit({ stamp_lag_p50_ms: 5.1 }, { ttft_p50_ms: 50 })).toBe(
      'TTFT p50 of 50 ms may be up to 5.1 ms too long (CPU 0.3 of a core, 1 thread)',
    );
    expect(limit({ stamp_lag_mean_ms: 5.1 }, { ttft_mean_ms: 50 })).toMatch(/^TTFT mean of 50 ms/);
    expect(limit({ loop_delay_p99_ms: 21 }, { ttft_p99_ms: 200 })).toMatch(
      /^TTFT p99 of 200 ms may be up to 21 ms too long/,
    );
  });

  it('never by the p99 of fewer than 100 first tokens', () => {
    expect(limit({ stamp_lag_p99_ms: 90, first_tokens: 99 }, { ttft_p99_ms: 100 })).toBe(null);
  });

  it('where an open load left late, not where a closed one began with a burst', () => {
    expect(limit({ send_lag_p99_ms: 90 }, { ttft_p50_ms: 100 })).toBe(null);
    const open = { send_lag_p99_ms: 90, concurrency_asked: null, concurrency_mean: null };
    expect(limit(open, { ttft_p50_ms: 100 })).toMatch(/^requests left 90 ms after they were due at p99/);
  });

  it('where less was in flight than asked', () => {
    expect(limit({ concurrency_mean: 15.7 }, {})).toBe(null);
    expect(limit({ concurrency_mean: 15.6 }, {})).toBe(
      '15.6 of 16 requests were in flight on average (CPU 0.3 of a core, 1 thread)',
    );
  });

  it('says nothing of times where there are none', () => {
    expect(limit({ stamp_lag_p99_ms: null, loop_delay_p99_ms: 500 }, { ttft_p50_ms: null })).toBe(null);
  });
});
