import { describe, expect, it } from 'vitest';
import type { FactRecord, RequestRecord } from '../../../src/core/answer/request-record.js';
import { createTrialRecords } from '../../../src/core/measure/trial-records.js';
import { recordOf } from '../../support/records.js';

const KEYS = [
  ...['seq', 'prefix', 'group', 'phase', 'outcome', 'error', 'sent_ms', 'ttft_ms', 'e2e_ms', 'tpot_ms'],
  ...['prompt_tokens', 'cached_tokens', 'output_tokens', 'chunks', 'worker'],
] as (keyof FactRecord)[];

const factsOf = (record: FactRecord) => Object.fromEntries(KEYS.map((key) => [key, record[key]]));

describe('the records of a trial', () => {
  it('give back every fact of each record, in the order of adding', () => {
    const records: RequestRecord[] = Array.from({ length: 1000 }, (_, i) =>
      recordOf({ seq: i, prefix: i % 7, sent_ms: i + 0.001, worker: `1844674407370955${i % 5}` }),
    );
    records.push(
      recordOf({ seq: 3, phase: 'prime', group: 'long', cached_tokens: 0, prompt_tokens: 2 ** 52 }),
      recordOf({
        ...{ seq: 4, phase: 'warmup', prefix: null, worker: null, outcome: 'timeout', chunks: 0 },
        ...{ error: { code: 'timeout', message: 'late' }, sent_ms: null, ttft_ms: null, e2e_ms: null },
        ...{ tpot_ms: null, prompt_tokens: null, cached_tokens: null, output_tokens: null },
      }),
    );
    const kept = createTrialRecords();
    for (const record of records) kept.add(record);
    expect(kept.all().map(factsOf)).toEqual(records.map(factsOf));
  });
});
