import type { MeasureKey } from '../measure/measures.js';
import type { ChangeUnit } from './comparison.js';

/** What was seen of two variants in one cell: see {@link EVIDENCE}. */
export const REASON_EVIDENCE = {
  'zero-but-router-hits': (of: { readonly answers: number; readonly rate: string }) =>
    `cached_tokens is 0 in all ${of.answers} answers, the router's kv_hit_rate is ${of.rate}`,
  'zero-and-split': (of: { readonly answers: number; readonly split: number }) =>
    `cached_tokens is 0 in all ${of.answers} answers, ${of.split} of them prefilled and decoded by different workers`,
  'short-prefix': (of: { readonly prefixTokens: number; readonly blockSize: number }) =>
    `a prefix of ${of.prefixTokens} tokens, blocks of ${of.blockSize}`,
  'none-hit': (of: { readonly requests: number; readonly perPrefix: string }) =>
    `none of ${of.requests} requests hit, though each prefix was sent ${of.perPrefix} times`,
  'workers-unnamed': () => 'no answer names its worker',
  'one-worker': (of: { readonly worker: string }) => `one worker served all (${of.worker})`,
  'ratio-at-ceiling': (of: { readonly baseline: string; readonly ratio: string; readonly ceiling: string }) =>
    `${of.baseline} already gets ${of.ratio} of at most ${of.ceiling}`,
  /** `spread`: workers that a prefix was on. */
  'nothing-evicted': (of: { readonly baseline: string; readonly spread: string; readonly workers: number }) =>
    `${of.baseline} evicted nothing though each prefix was on ${of.spread} of ${of.workers} workers`,
  'few-workers-met': (of: {
    readonly baseline: string;
    readonly spread: string;
    readonly workers: number;
    readonly byChance: string;
  }) =>
    `${of.baseline} goes round robin, yet a prefix meets ${of.spread} of ${of.workers} workers (${of.byChance} by chance)`,
  'lost-to-eviction': (of: {
    readonly candidate: string;
    readonly eviction: string;
    readonly placement: string;
  }) => `${of.candidate} loses ${of.eviction} of all it could hit to eviction, ${of.placement} to placement`,
  'busiest-worker': (of: { readonly worker: string; readonly share: string; readonly even: string }) =>
    `${of.worker} served ${of.share} of the requests, an even share is ${of.even}`,
  /** `cv` and `cvBefore`: of the requests per worker. */
  'slower-on-fewer': (of: {
    readonly change: string;
    readonly unit: ChangeUnit;
    readonly share: string;
    readonly even: string;
    readonly cv: string;
    readonly baseline: string;
    readonly cvBefore: string;
  }) =>
    `TPOT p50 ${of.change} ${of.unit}; its busiest worker served ${of.share} of the requests (an even share is ${of.even}), the load varies by ${of.cv} (${of.baseline} ${of.cvBefore})`,
  'hit-rates': (of: {
    readonly baseline: string;
    readonly before: string;
    readonly candidate: string;
    readonly after: string;
  }) => `${of.baseline} hits with ${of.before} of the requests, ${of.candidate} with ${of.after}`,
  /** Times in ms; `wait` null where the server reports none. */
  'hits-wait': (of: { readonly usual: string; readonly best: string; readonly wait: string | null }) =>
    `a hit takes ${of.usual} ms to its first token at the median, ${of.best} ms at best${of.wait === null ? '' : `; the server reports a wait of ${of.wait} ms at the median`}`,
  /** TTFT p50 in ms. */
  'hit-like-miss': (of: { readonly hits: string; readonly misses: string }) =>
    `TTFT p50 is ${of.hits} ms of hits, ${of.misses} ms of misses`,
  'change-in-noise': (of: {
    readonly measure: MeasureKey;
    readonly change: string;
    readonly unit: ChangeUnit;
    readonly low: string;
    readonly high: string;
  }) => `${of.measure} ${of.change} ${of.unit}, 95 % interval ${of.low} to ${of.high}`,
} as const;
