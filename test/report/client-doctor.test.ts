import { describe, expect, it } from 'vitest';
import { type ClientStep, renderClientDoctor } from '../../src/report/client-doctor.js';
import { FAIR_CLIENT } from '../support/records.js';

const SCHEDULE = { firstTokenMs: 50, gapMs: 10, tokens: 40 };

function stepOf(concurrency: number, stampLagP99Ms: number, failed = 0): ClientStep {
  return {
    concurrency,
    tokensPerS: concurrency * 90,
    failed,
    ttftP50Ms: 50.4,
    ttftP99Ms: 51.2,
    server: { writes: 1000, late_p50_ms: 0.4, late_p99_ms: 1 },
    client: {
      ...FAIR_CLIENT,
      stamp_lag_p99_ms: stampLagP99Ms,
      concurrency_asked: concurrency,
      concurrency_mean: concurrency,
    },
  };
}
const verdicts = (...steps: ClientStep[]) =>
  renderClientDoctor({ cores: 2, schedule: SCHEDULE, steps }).split('\n').slice(0, 2);

describe('the calibration of the client', () => {
  it('trusts it up to the last load before the first that spoils a run, by the TTFT that is measured', () => {
    expect(verdicts(stepOf(8, 0.5), stepOf(16, 6), stepOf(32, 1), stepOf(64, 60))).toEqual([
      'where the TTFT p50 is 50 ms: trusted up to C=8, 720 tokens/s',
      'where the TTFT p50 is 500 ms: trusted up to C=32, 2880 tokens/s',
    ]);
  });

  it('says so when nothing was too much, or everything', () => {
    expect(verdicts(stepOf(8, 0.5))[0]).toBe(
      'where the TTFT p50 is 50 ms: trusted up to C=8, 720 tokens/s (no more was tried)',
    );
    expect(verdicts(stepOf(8, 0.5, 1))[0]).toBe(
      'where the TTFT p50 is 50 ms: not even the lightest load here can be trusted; is other work running?',
    );
  });

  it('shows what was seen at each load', () => {
    const table = renderClientDoctor({ cores: 2, schedule: SCHEDULE, steps: [stepOf(8, 6)] });
    expect(table.split('\n')[5]?.trim().split(/\s+/)).toEqual(
      '8 720 50.4 51.2 0.1 6.0 1.2 8 0.3 1.0 no yes'.split(' '),
    );
  });
});
