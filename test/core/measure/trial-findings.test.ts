import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import { judgeTrial, supportsMeasure } from '../../../src/core/measure/summaries.js';
import { RULES, recordOf } from '../../support/records.js';
import { drawFirstTrial } from '../../support/trials.js';

const CONTEXT = { variant: 'kv', rules: RULES, outputTokens: 64, repeats: 1 };
const RAN = { interrupted: false, client: null };

function trialOf(requests: number, concurrency: number) {
  return drawFirstTrial({
    seed: '1',
    prefixes: [2],
    concurrency: [concurrency],
    rate: [],
    requests,
    repeats: 1,
  });
}

function codesOf(records: readonly RequestRecord[], plan = trialOf(records.length, 1)): string[] {
  return judgeTrial(plan, records, CONTEXT, RAN).summary.findings.map((finding) => finding.code);
}

const several = (count: number, make: (seq: number) => Partial<RequestRecord>) =>
  Array.from({ length: count }, (_, seq) =>
    recordOf({ seq, prefix: seq % 2, sent_ms: seq * 1000, ...make(seq) }),
  );

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
