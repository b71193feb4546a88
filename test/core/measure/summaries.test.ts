import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import type { CacheRules } from '../../../src/core/measure/cache-counts.js';
import type { FirstTokenWait } from '../../../src/core/measure/first-token-wait.js';
import { computeMeasures } from '../../../src/core/measure/measures.js';
import { judgeTrial, summarizeCell, type TrialOutcome } from '../../../src/core/measure/summaries.js';
import { trialEvidence } from '../../../src/core/measure/trial-evidence.js';
import { factsOfTrial } from '../../../src/core/measure/trial-facts.js';
import { FAIR_CLIENT, RULES, recordOf } from '../../support/records.js';
import { drawFirstTrial } from '../../support/trials.js';

const TRIAL = drawFirstTrial({
  seed: '1',
  prefixes: [2],
  concurrency: [4],
  rate: [],
  requests: 4,
  repeats: 3,
});
const CELL = TRIAL.cell;
const CONTEXT = { variant: 'kv', rules: RULES, outputTokens: 64, repeats: 3 };
const RAN: TrialOutcome = { interrupted: false, client: null };

/** Four requests of two prefixes on two workers: two first misses, a hit, a miss. */
const FOUR: readonly RequestRecord[] = [
  recordOf({ seq: 0, prefix: 0, sent_ms: 0, ttft_ms: 100, e2e_ms: 400, worker: 'a' }),
  recordOf({ seq: 1, prefix: 1, sent_ms: 10, ttft_ms: 110, e2e_ms: 410, worker: 'b' }),
  recordOf({ seq: 2, prefix: 0, sent_ms: 400, ttft_ms: 30, e2e_ms: 300, worker: 'a', cached_tokens: 2000 }),
  recordOf({ seq: 3, prefix: 1, sent_ms: 600, ttft_ms: 120, e2e_ms: 410, worker: 'a' }),
];

const measure = (records: readonly RequestRecord[], rules: CacheRules = RULES) =>
  computeMeasures(factsOfTrial(records, TRIAL, rules));
const codes = (records: readonly RequestRecord[], rules: CacheRules = RULES, run = RAN) =>
  judgeTrial(TRIAL, records, { ...CONTEXT, rules }, run).summary.findings.map((finding) => finding.code);

describe('the measures of a trial', () => {
  it('are exact', () => {
    expect(measure(FOUR)).toEqual({
      request_hit_rate: 0.25,
      cached_token_ratio: 0.217391, // 2000 / 9200
      cached_token_ceiling: 0.434783, // 4000 / 9200: two of four can hit
      workers_seen: 2,
      workers_per_prefix: 1.5,
      ttft_mean_ms: 90, // 360 / 4
      ttft_p50_ms: 100,
      ttft_p90_ms: 120,
      ttft_p99_ms: 120,
      tpot_p50_ms: 4.762,
      e2e_p50_ms: 400,
      e2e_p99_ms: 410,
      throughput_rps: 3.960396, // 4 / 1.010 s
      output_tokens_per_s: 253.465347,
      offered_rps: 3.960396,
      duration_s: 1.01,
    });
  });

  it('tell the mean, the p90 and the p99 of TTFT apart', () => {
    const twenty = Array.from({ length: 20 }, (_, seq) =>
      recordOf({ seq, ttft_ms: seq < 10 ? 20 : 10 * seq }),
    );
    const { ttft_mean_ms, ttft_p50_ms, ttft_p90_ms, ttft_p99_ms } = measure(twenty);
    // 10 × 20 + (100 + … + 190) = 1650, over 20.
    expect([ttft_mean_ms, ttft_p50_ms, ttft_p90_ms, ttft_p99_ms]).toEqual([82.5, 20, 170, 190]);
  });

  it('count only measured requests, whatever else was recorded', () => {
    const others = [
      recordOf({ phase: 'warmup', prefix: null, sent_ms: -50, ttft_ms: 9000, worker: 'z' }),
      recordOf({ phase: 'prime', sent_ms: -40, cached_tokens: 2000, worker: 'y' }),
    ];
    expect(measure([...others, ...FOUR])).toEqual(measure(FOUR));
  });

  it('keep failures out of every latency and rate but count them as offered', () => {
    const failed = recordOf({
      seq: 4,
      prefix: 0,
      sent_ms: 700,
      outcome: 'timeout',
      ttft_ms: 5,
      e2e_ms: 9000,
      cached_tokens: 2000,
      error: { code: 'timeout', message: 'too late' },
    });
    expect(measure([...FOUR, failed])).toEqual({ ...measure(FOUR), offered_rps: 4.950495 });
  });

  it('do not depend on the order in which requests ended', () => {
    expect(measure([...FOUR].reverse())).toEqual(measure(FOUR));
  });

  it('take an absent cached_tokens for unknown, not for 0', () => {
    const [first, second, third, fourth] = FOUR as [
      RequestRecord,
      RequestRecord,
      RequestRecord,
      RequestRecord,
    ];
    const silent = [first, { ...second, cached_tokens: null }, third, { ...fourth, cached_tokens: null }];
    expect(measure(silent).request_hit_rate).toBe(0.5);
    expect(measure(silent).cached_token_ratio).toBe(0.434783);
    expect(measure(silent, { ...RULES, absentCachedIsZero: true })).toEqual(measure(FOUR));
  });

  it('are null where nothing was reported', () => {
    const silent = FOUR.map((record) => ({
      ...record,
      cached_tokens: null,
      worker: null,
      output_tokens: null,
      tpot_ms: null,
    }));
    expect(measure(silent)).toMatchObject({
      request_hit_rate: null,
      cached_token_ratio: null,
      cached_token_ceiling: null,
      workers_seen: null,
      workers_per_prefix: null,
      tpot_p50_ms: null,
      output_tokens_per_s: null,
      ttft_p50_ms: 100,
    });
  });

  it('count worker ids as text: two that a double would fold are two', () => {
    const ids = ['7587885654081434671', '7587885654081434673'];
    const records = FOUR.map((record, i) => ({ ...record, prefix: 0, worker: ids[i % 2] ?? null }));
    expect(measure(records).workers_seen).toBe(2);
  });

  it('allow a hit of the first request of a prefix in a primed trial', () => {
    expect(measure(FOUR, { ...RULES, start: 'primed' }).cached_token_ceiling).toBe(0.869565); // 8000 / 9200
  });

  it('do not take the blocks of a long chat template for hits', () => {
    const templated = FOUR.map((record, i) => ({
      ...record,
      prompt_tokens: 2336,
      cached_tokens: i === 0 ? 0 : record.cached_tokens === 0 ? 32 : 2032,
    }));
    expect(measure(templated).request_hit_rate).toBe(0.25);
    expect(codes(templated)).toEqual([]);
  });
});

describe('the findings of a trial', () => {
  it('are none for a good one', () => {
    expect(codes(FOUR)).toEqual([]);
  });

  it('call a trial contaminated when the first request of a prefix hits', () => {
    const warm = FOUR.map((record) => (record.seq === 1 ? { ...record, cached_tokens: 2000 } : record));
    const { summary } = judgeTrial(TRIAL, warm, CONTEXT, RAN);
    expect(summary.kept).toBe(false);
    expect(summary.findings).toEqual([
      {
        code: 'contaminated',
        where: TRIAL.id,
        evidence: trialEvidence('first-requests-hit', { hit: 1, prefixes: 2, prefix: 1, tokens: 2000 }),
      },
    ]);
  });

  it('see that an overlapping miss paid for the first request, which the network had overtaken', () => {
    const overtaken = [
      recordOf({ seq: 0, prefix: 0, sent_ms: 0, ttft_ms: 100, cached_tokens: 2000 }),
      recordOf({ seq: 1, prefix: 0, sent_ms: 0.4, ttft_ms: 90, cached_tokens: 0 }),
    ];
    expect(codes(overtaken)).toEqual(['missing-records']);
  });

  it('call a trial contaminated when a tail was cached, for no other request has it', () => {
    const repeated = FOUR.map((record) => (record.seq === 2 ? { ...record, cached_tokens: 2288 } : record));
    expect(codes(repeated)).toEqual(['contaminated']);
  });

  it('leave a mixture of hits and absent counts out of comparison', () => {
    const mixed = FOUR.map((record) =>
      record.cached_tokens === 0 ? { ...record, cached_tokens: null } : record,
    );
    expect(codes(mixed)).toEqual(['mixed-cached-tokens']);
    expect(codes(mixed, { ...RULES, absentCachedIsZero: true })).toEqual([]);
  });

  it('name what was not reported, prompts of unequal length, and answers cut short', () => {
    expect(codes(FOUR.map((record) => ({ ...record, cached_tokens: null })))).toEqual([
      'cached-tokens-not-reported',
    ]);
    expect(codes(FOUR.map((record, i) => ({ ...record, prompt_tokens: 2300 + i * 2 })))).toEqual([
      'prompt-tokens-spread',
    ]);
    expect(codes(FOUR.map((record) => ({ ...record, output_tokens: 12 })))).toEqual(['output-tokens-differ']);
  });

  it('drop a trial that was stopped and one without an answer', () => {
    const failed = FOUR.map(
      (record): RequestRecord => ({
        ...record,
        outcome: 'http_error',
        error: { code: 'http_500', message: 'no' },
      }),
    );
    expect(codes(failed)).toEqual(['no-ok-request']);
    expect(codes(FOUR, RULES, { interrupted: true, client: null })).toEqual(['interrupted']);
  });

  it('name first tokens that the target held back', () => {
    const ran = (first_token: FirstTokenWait | null) => ({ interrupted: false, client: null, first_token });
    expect(codes(FOUR, RULES, ran({ answers: 20, held: 12, sooner: 1 }))).toEqual(['held-first-token']);
    expect(codes(FOUR, RULES, ran({ answers: 20, held: 9, sooner: 0 }))).toEqual([]);
    expect(codes(FOUR, RULES, ran(null))).toEqual([]);
  });

  it('blame the client where it may have been late by more than a tenth of the TTFT p50 of 100 ms', () => {
    const ran = (stamp_lag_p50_ms: number) => ({
      interrupted: false,
      client: { ...FAIR_CLIENT, stamp_lag_p50_ms },
    });
    expect(codes(FOUR, RULES, ran(10.1))).toEqual(['client-limited']);
    expect(codes(FOUR, RULES, ran(10))).toEqual([]);
  });
});

describe('summarizeCell', () => {
  const trial = (repeat: number, cachedTokens: number, interrupted = false) => ({
    ...judgeTrial(
      TRIAL,
      FOUR.map((record) => (record.seq === 3 ? { ...record, cached_tokens: cachedTokens } : record)),
      CONTEXT,
      { interrupted, client: null },
    ).summary,
    repeat,
  });

  it('takes the median of the kept trials, with their least and greatest', () => {
    const cell = summarizeCell(CELL, [trial(1, 0), trial(2, 2000), trial(3, 2000)], CONTEXT);
    expect(cell).toMatchObject({
      repeatsKept: 3,
      repeatsDropped: 0,
      requests: 12,
      ok: 12,
      failed: 0,
      findings: [],
    });
    expect(cell.values.request_hit_rate).toBe(0.5);
    expect(cell.bands.request_hit_rate).toEqual({ min: 0.25, max: 0.5 });
  });

  it('takes the mean of two when one was dropped, and says so', () => {
    const cell = summarizeCell(CELL, [trial(1, 0), trial(2, 2000), trial(3, 0, true)], CONTEXT);
    expect(cell).toMatchObject({ repeatsKept: 2, repeatsDropped: 1, requests: 8 });
    expect(cell.values.request_hit_rate).toBe(0.375);
    expect(cell.findings.map((finding) => finding.code)).toEqual(['interrupted', 'missing-trials']);
  });

  it('has no figures when no trial was kept', () => {
    const cell = summarizeCell(CELL, [trial(1, 0, true)], CONTEXT);
    expect(cell.values.ttft_p50_ms).toBe(null);
    expect(cell.bands.ttft_p50_ms).toEqual({ min: null, max: null });
  });
});
