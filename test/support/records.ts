import type { RequestRecord } from '../../src/core/answer/request-record.js';
import type { CacheRules } from '../../src/core/measure/cache-counts.js';
import type { ClientCheck } from '../../src/core/measure/client-check.js';

/** How records are read in tests: 2,000 + 300 tokens in blocks of 16, a cold start. */
export const RULES: CacheRules = {
  absentCachedIsZero: false,
  prefixTokens: 2000,
  tailTokens: 300,
  blockSize: 16,
  start: 'cold',
  salt: 'none',
  newPromptsCached: false,
};

/** An ok request of prefix 0 that missed, sent at 0 ms with its first token at 100 ms; `over` says what is otherwise. */
export function recordOf(over: Partial<RequestRecord> = {}): RequestRecord {
  const sent = over.sent_ms === undefined ? 0 : over.sent_ms;
  return {
    trial: 'p2-c4-r1',
    variant: 'kv',
    prefixes: 2,
    concurrency: 4,
    rate: null,
    repeat: 1,
    seq: 0,
    prefix: 0,
    phase: 'measure',
    outcome: 'ok',
    status: 200,
    error: null,
    due_ms: sent,
    sent_ms: sent,
    send_lag_ms: 0,
    connect_ms: null,
    ttft_ms: 100,
    e2e_ms: 400,
    tpot_ms: 4.762,
    prompt_tokens: 2300,
    cached_tokens: 0,
    output_tokens: 64,
    chunks: 64,
    prefill_worker: 'a',
    decode_worker: null,
    worker: 'a',
    finish_reason: 'length',
    request_id: null,
    server: null,
    ...over,
  };
}

/** A client that kept up with a closed load of 16. */
export const FAIR_CLIENT: ClientCheck = {
  threads: 1,
  first_tokens: 240,
  stamp_lag_mean_ms: 0.08,
  stamp_lag_p50_ms: 0.05,
  stamp_lag_p90_ms: 0.2,
  stamp_lag_p99_ms: 0.6,
  stamp_lag_max_ms: 3,
  loop_delay_mean_ms: 0.15,
  loop_delay_p50_ms: 0.1,
  loop_delay_p90_ms: 0.4,
  loop_delay_p99_ms: 1.2,
  loop_delay_max_ms: 9,
  send_lag_mean_ms: 0.12,
  send_lag_p50_ms: 0.1,
  send_lag_p99_ms: 0.5,
  send_lag_max_ms: 4,
  concurrency_asked: 16,
  concurrency_mean: 15.98,
  cpu_share: 0.3,
  cpu_per_request_us: 300,
  reader_share: 0.05,
};
