import { describe, expect, it } from 'vitest';
import type { FactRecord } from '../../../../src/core/answer/request-record.js';
import type { CacheRules } from '../../../../src/core/measure/cache-counts.js';
import type { ServerCounts } from '../../../../src/core/measure/servers/server-counts.js';
import { findInServers } from '../../../../src/core/measure/servers/server-findings.js';
import { recordOf } from '../../../support/records.js';

const RULES: CacheRules = {
  ...{ absentCachedIsZero: false, prefixTokens: 160, tailTokens: 40, blockSize: 16 },
  ...{ start: 'cold', salt: 'none', newPromptsCached: false },
};

const SENT: readonly FactRecord[] = Array.from({ length: 100 }, (_, seq) =>
  recordOf({ seq, cached_tokens: seq === 0 ? 0 : 160, prompt_tokens: 200, sent_ms: seq }),
);
/** 99 hits of 160 tokens. */
const CACHED = 15_840;

function counts(of: Partial<ServerCounts>): ServerCounts {
  return {
    ...{ server: 'a', kind: 'vllm', role: 'engine', worker: null, restarted: false },
    ...{ requests: 100, prompt_tokens: 20_000, cached_tokens: CACHED, output_tokens: null, preemptions: 0 },
    ...{ running_max: null, waiting_max: null, kv_usage_max: null },
    ...of,
  };
}

function found(of: Partial<ServerCounts>, told: number | null = null, records = SENT) {
  const servers = { servers: [counts(of)], unread: [], settled: true };
  return findInServers(servers, records, RULES, told).map(({ code, evidence }) => [code, evidence.values]);
}

describe('findInServers', () => {
  it('finds nothing where servers and answers agree', () => {
    expect(found({}, 16)).toEqual([]);
  });

  it('finds cached tokens beyond half a percent of the prompt tokens, not at it', () => {
    expect(found({ cached_tokens: CACHED + 101 })).toEqual([
      ['servers-disagree', { by: 'engine', servers: CACHED + 101, answers: CACHED }],
    ]);
    expect(found({ cached_tokens: CACHED - 101 })).toHaveLength(1);
    expect(found({ cached_tokens: CACHED + 100 })).toEqual([]);
  });

  it('finds more requests than were sent by more than two, and not twice as many: prefill and decode', () => {
    expect(found({ requests: 103 })).toEqual([
      ['servers-disagree', { by: 'engine', servers: 103, sent: 100 }],
    ]);
    expect(found({ requests: 102 })).toEqual([]);
    expect(found({ requests: 200 })).toEqual([]);
  });

  it('does not compare cached tokens where a request failed or an answer did not say', () => {
    const [first, ...rest] = SENT;
    if (first === undefined) throw new Error('no record');
    expect(found({ cached_tokens: 0 }, null, [{ ...first, outcome: 'timeout' }, ...rest])).toEqual([]);
    expect(found({ cached_tokens: 0 }, null, [{ ...first, cached_tokens: null }, ...rest])).toEqual([]);
  });

  it('finds a restart, and compares nothing then', () => {
    const gone = {
      restarted: true,
      requests: null,
      prompt_tokens: null,
      cached_tokens: null,
      preemptions: null,
    };
    expect(found(gone)).toEqual([['server-restarted', { servers: ['a'] }]]);
  });

  it('finds preemptions', () => {
    expect(found({ preemptions: 1 })).toEqual([['requests-preempted', { preemptions: 1 }]]);
    expect(found({ preemptions: null })).toEqual([]);
  });

  it('finds a block size other than the one reckoned with', () => {
    expect(found({}, 128)).toEqual([['block-size-differs', { told: 128, stated: 16 }]]);
    expect(found({}, null)).toEqual([]);
  });
});
