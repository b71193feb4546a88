import { evidenceMaker } from '../base/evidence.js';
import type { MeasureKey } from '../measure/measures.js';
import type { ChangeUnit } from './comparison.js';

interface Dealt {
  readonly candidate: string;
  readonly spread: string;
  readonly workers: number;
  readonly byChance: string;
}

/** What was seen of two variants in one cell, by key. Null where the key says it all. */
export interface ReasonEvidence {
  readonly 'short-prefix': { readonly prefixTokens: number; readonly blockSize: number };
  readonly 'none-hit': { readonly requests: number; readonly perPrefix: string };
  readonly 'workers-unnamed': null;
  readonly 'one-worker': { readonly worker: string };
  /** `workers`: that the baseline met. */
  readonly 'one-of-several': {
    readonly candidate: string;
    readonly worker: string;
    readonly baseline: string;
    readonly workers: number;
  };
  /** `spread`: workers that a prefix was on; `byChance`: would be on. */
  readonly 'dealt-in-turn': Dealt;
  readonly 'placed-as-by-chance': Dealt;
  readonly 'ratio-at-ceiling': {
    readonly baseline: string;
    readonly ratio: string;
    readonly ceiling: string;
  };
  /** `spread`: workers that a prefix was on. */
  readonly 'nothing-evicted': {
    readonly baseline: string;
    readonly spread: string;
    readonly workers: number;
  };
  readonly 'few-workers-met': {
    readonly baseline: string;
    readonly spread: string;
    readonly workers: number;
    readonly byChance: string;
  };
  readonly 'lost-to-eviction': {
    readonly candidate: string;
    readonly eviction: string;
    readonly placement: string;
  };
  readonly 'busiest-worker': { readonly worker: string; readonly share: string; readonly even: string };
  /** `cv` and `cvBefore`: of the requests per worker. */
  readonly 'slower-on-fewer': {
    readonly change: string;
    readonly unit: ChangeUnit;
    readonly share: string;
    readonly even: string;
    readonly cv: string;
    readonly baseline: string;
    readonly cvBefore: string;
  };
  readonly 'hit-rates': {
    readonly baseline: string;
    readonly before: string;
    readonly candidate: string;
    readonly after: string;
  };
  /** Times in ms; `wait` null where the server reports none. */
  readonly 'hits-wait': { readonly usual: string; readonly best: string; readonly wait: string | null };
  /** TTFT p50 in ms. */
  readonly 'hit-like-miss': { readonly hits: string; readonly misses: string };
  /** `margin`: by how much the client may have made the change larger, in `unit`. */
  readonly 'change-by-client': {
    readonly measure: MeasureKey;
    readonly change: string;
    readonly unit: ChangeUnit;
    readonly margin: string;
  };
  readonly 'change-in-noise': {
    readonly measure: MeasureKey;
    readonly change: string;
    readonly unit: ChangeUnit;
    readonly low: string;
    readonly high: string;
  };
}

export const reasonEvidence = evidenceMaker<ReasonEvidence>();
