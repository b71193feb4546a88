import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import { createRng } from '../../../src/core/base/rng.js';
import { resampleVariances } from '../../../src/core/compare/bootstrap.js';
import { COMPARED_KEYS, type ComparedKey } from '../../../src/core/measure/measures.js';
import type { TrialFacts } from '../../../src/core/measure/trial-facts.js';
import { factsOfTrial } from '../../../src/core/measure/trial-facts.js';
import { RULES } from '../../support/records.js';
import { runOf } from '../../support/runs.js';
import { drawFirstTrial } from '../../support/trials.js';

const GRID = { prefixes: [2], requests: 200, repeats: 1 };

function factsOf(make: (seq: number) => Partial<RequestRecord>): TrialFacts {
  const { run, records } = runOf('v', GRID, ({ seq }) => make(seq));
  return factsOfTrial(records, drawFirstTrial(run.scenario), RULES);
}

function varianceOf(measure: ComparedKey, a: TrialFacts, b: TrialFacts, draws = 4000): number {
  return resampleVariances(a, b, draws, createRng('test'))[COMPARED_KEYS.indexOf(measure)] ?? Number.NaN;
}

describe('resampleVariances', () => {
  it('is 0 between equal trials: both get the same requests in each draw', () => {
    const trial = factsOf((seq) => ({ ttft_ms: 1 + (seq % 17), cached_tokens: seq % 3 === 0 ? 0 : 2000 }));
    expect([...resampleVariances(trial, trial, 50, createRng('test'))]).toEqual(COMPARED_KEYS.map(() => 0));
  });

  it('is the variance of a paired share for hit rates', () => {
    const even = factsOf((seq) => ({ cached_tokens: seq < 120 ? 2000 : 0 }));
    const odd = factsOf((seq) => ({ cached_tokens: seq < 150 ? 2000 : 0 }));
    // 30 of 200 requests differ, all in one direction: p(1 − p) / n with p = 0.15.
    expect(varianceOf('request_hit_rate', even, odd)).toBeCloseTo((0.15 * 0.85) / 200, 4);
    expect(varianceOf('cached_token_ratio', even, odd)).toBeCloseTo(
      (0.15 * 0.85 * (2000 / 2300) ** 2) / 200,
      4,
    );
  });

  it('sees no noise in a median that no draw moves, and much where two modes meet', () => {
    const flat = factsOf(() => ({ ttft_ms: 30 }));
    const twice = factsOf(() => ({ ttft_ms: 60 }));
    const modes = factsOf((seq) => ({ ttft_ms: seq % 2 === 0 ? 30 : 120 }));
    expect(varianceOf('ttft_p50_ms', flat, twice, 100)).toBeLessThan(1e-20);
    // A median between 30 and 120 falls to either side in half of the draws: ln 4 apart.
    expect(varianceOf('ttft_p50_ms', flat, modes)).toBeCloseTo(Math.log(4) ** 2 / 4, 1);
  });

  it('is narrow for a mean where the median lies between two modes', () => {
    const flat = factsOf(() => ({ ttft_ms: 100 }));
    const modes = factsOf((seq) => ({ ttft_ms: seq % 2 === 0 ? 50 : 150 }));
    // Mean 100, standard deviation 50: a relative variance of 0.25 over 200 requests.
    expect(varianceOf('ttft_mean_ms', flat, modes)).toBeCloseTo(0.25 / 200, 3);
    expect(varianceOf('ttft_p50_ms', flat, modes)).toBeCloseTo(Math.log(3) ** 2 / 4, 1);
  });

  it('makes throughput of the times between completions', () => {
    const steady = factsOf((seq) => ({ sent_ms: seq * 10, e2e_ms: 10 }));
    const bursts = factsOf((seq) => ({ sent_ms: seq * 10, e2e_ms: seq % 2 === 0 ? 15 : 10 }));
    expect(varianceOf('throughput_rps', steady, steady, 100)).toBe(0);
    // Gaps of 15 and 5 ms in turn: a coefficient of variation of 0.5 over 200 requests.
    expect(varianceOf('throughput_rps', steady, bursts)).toBeCloseTo(0.25 / 200, 3);
  });

  it('leaves out failed requests and measures without a value', () => {
    const silent = factsOf((seq) => ({ cached_tokens: null, ...(seq === 0 ? { outcome: 'timeout' } : {}) }));
    const variances = resampleVariances(silent, silent, 20, createRng('test'));
    expect(variances[COMPARED_KEYS.indexOf('request_hit_rate')]).toBeNaN();
    expect(variances[COMPARED_KEYS.indexOf('ttft_p50_ms')]).toBe(0);
  });

  it('is the same for the same seed', () => {
    const a = factsOf((seq) => ({ ttft_ms: 1 + ((seq * 7) % 13) }));
    const b = factsOf((seq) => ({ ttft_ms: 1 + ((seq * 5) % 11) }));
    expect(resampleVariances(a, b, 30, createRng('s'))).toEqual(resampleVariances(a, b, 30, createRng('s')));
  });
});
