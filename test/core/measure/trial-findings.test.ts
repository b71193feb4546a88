import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import { summarizeTrial, supportsMeasure } from '../../../src/core/measure/summaries.js';
import { createCell } from '../../../src/core/workload/plan.js';
import { RULES, recordOf } from '../../support/records.js';
import { drawFirstTrial } from '../../support/trials.js';

const CONTEXT = { variant: 'kv', rules: RULES, outputTokens: 64, repeats: 1 };
const RAN = { interrupted: false, client: null };

function trialOf(requests: number, concurrency: number, group?: string) {
  const plan = drawFirstTrial({
    seed: '1',
    prefixes: [2],
    concurrency: [concurrency],
    rate: [],
    requests,
    repeats: 1,
  });
  return group === undefined ? plan : { ...plan, cell: createCell(2, plan.cell.load, group) };
}

function codesOf(records: readonly RequestRecord[], plan = trialOf(records.length, 1)): string[] {
  return summarizeTrial(plan, records, CONTEXT, RAN).findings.map((finding) => finding.code);
}

const several = (count: number, make: (seq: number) => Partial<RequestRecord>) =>
  Array.from({ length: count }, (_, seq) =>
    recordOf({ seq, prefix: seq % 2, sent_ms: seq * 1000, ...make(seq) }),
  );

describe('each finding appears where it should, and not in its near miss', () => {
  it('not-streamed: more than half of the answers came in one read', () => {
    const whole = { ttft_ms: 400, e2e_ms: 400, chunks: 1 };
    const streamed = { ttft_ms: 100, e2e_ms: 400, chunks: 64 };
    expect(codesOf(several(4, (seq) => (seq < 3 ? whole : streamed)))).toContain('not-streamed');
    expect(codesOf(several(4, (seq) => (seq < 2 ? whole : streamed)))).not.toContain('not-streamed');
  });

  it('concurrency-not-reached: fewer requests than slots, unless a group is one of several', () => {
    const ten = several(10, () => ({}));
    expect(codesOf(ten, trialOf(10, 16))).toContain('concurrency-not-reached');
    expect(codesOf(ten, trialOf(10, 10))).not.toContain('concurrency-not-reached');
    expect(codesOf(ten, trialOf(10, 16, 'long'))).not.toContain('concurrency-not-reached');
  });

  it('cached-tokens-partly-reported: some answers say nothing, and zeros are among the rest', () => {
    const partly = several(4, (seq) => ({ cached_tokens: seq === 3 ? null : 0 }));
    expect(codesOf(partly)).toContain('cached-tokens-partly-reported');
    const all = several(4, () => ({ cached_tokens: 0 }));
    expect(codesOf(all)).not.toContain('cached-tokens-partly-reported');
  });

  it('mixed-cached-tokens: some answers say nothing, and no zero is among the rest', () => {
    const late = (seq: number) => (seq < 2 ? null : 2000);
    expect(codesOf(several(4, (seq) => ({ cached_tokens: late(seq) })))).toContain('mixed-cached-tokens');
    const zero = (seq: number) => (seq < 2 ? (seq === 0 ? null : 0) : 2000);
    expect(codesOf(several(4, (seq) => ({ cached_tokens: zero(seq) })))).not.toContain('mixed-cached-tokens');
  });

  it('prompt-tokens-spread: more than 4 tokens apart', () => {
    const spread = (most: number) => several(4, (seq) => ({ prompt_tokens: seq === 3 ? 2300 + most : 2300 }));
    expect(codesOf(spread(5))).toContain('prompt-tokens-spread');
    expect(codesOf(spread(4))).not.toContain('prompt-tokens-spread');
  });

  it('output-tokens-differ: one answer of another length than asked for', () => {
    const last = (tokens: number) => several(4, (seq) => ({ output_tokens: seq === 3 ? tokens : 64 }));
    expect(codesOf(last(63))).toContain('output-tokens-differ');
    expect(codesOf(last(64))).not.toContain('output-tokens-differ');
  });
});

it('a trial of 150,000 requests is summarized', () => {
  const records = several(150_000, (seq) => ({ prompt_tokens: 2300 + (seq % 10), output_tokens: 60 }));
  const found = codesOf(records, trialOf(records.length, 16));
  expect(found).toEqual(expect.arrayContaining(['prompt-tokens-spread', 'output-tokens-differ']));
});

describe('supportsMeasure', () => {
  it('counts the ok requests of a kept trial', () => {
    const p99 = { percentile: 0.99 };
    expect(supportsMeasure({ ok: 300, repeatsKept: 3 }, p99)).toBe(true);
    expect(supportsMeasure({ ok: 299, repeatsKept: 3 }, p99)).toBe(false);
    expect(supportsMeasure({ ok: 3, repeatsKept: 3 }, { percentile: null })).toBe(true);
  });
});
