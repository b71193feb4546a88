import type { Outcome } from '../answer/request-record.js';
import { evidenceMaker } from '../base/evidence.js';

type ServerRole = 'engine' | 'router';

/** What was seen of one trial or cell, or left out to read it, by key; the sentence for each is in report/messages. Null where the key says it all. */
export interface TrialEvidence {
  /** `at`: the first trial with the workers that joined; `after`: the last with those that left. Null for none. */
  readonly 'workers-changed': {
    readonly joined: { readonly count: number; readonly at: string } | null;
    readonly left: { readonly count: number; readonly after: string } | null;
  };
  readonly unsent: { readonly unsent: number; readonly requests: number };
  /** `error`: the code and message of the first; null for none. */
  readonly 'none-ok': { readonly requests: number; readonly error: string | null };
  readonly 'records-missing': { readonly records: number; readonly requests: number };
  readonly 'too-few-requests': { readonly requests: number; readonly concurrency: number };
  readonly 'tails-cached': {
    readonly requests: number;
    readonly most: number;
    readonly prefixTokens: number;
  };
  readonly 'primers-hit': { readonly hit: number; readonly prefixes: number; readonly tokens: number };
  /** `prefix` and `tokens`: of the first that hit. */
  readonly 'first-requests-hit': {
    readonly hit: number;
    readonly prefixes: number;
    readonly prefix: number;
    readonly tokens: number;
  };
  readonly failed: {
    readonly failed: number;
    readonly requests: number;
    readonly outcomes: readonly (readonly [Outcome, number])[];
  };
  /** `lacksZero`: some answers do, and what they carry is never 0. */
  readonly 'cached-tokens-carried': {
    readonly reported: number;
    readonly answers: number;
    readonly lacksZero: boolean;
  };
  /** `cached` and `prompt`: of the answer with most cached tokens. */
  readonly 'counts-impossible': {
    readonly records: number;
    readonly answers: number;
    readonly cached: number;
    readonly prompt: number;
    readonly prefixTokens: number;
  };
  /** `firsts`: of the first requests of `prefixes`; `fewest`: prompt tokens that were not cached. */
  readonly 'whole-prompts-cached': {
    readonly answers: number;
    readonly whole: number;
    readonly firsts: number;
    readonly prefixes: number;
    readonly fewest: number;
  };
  readonly 'zero-but-router-hits': { readonly answers: number; readonly rate: string };
  readonly 'zero-and-split': { readonly answers: number; readonly split: number };
  /** `repeats`: requests whose prefix had been answered before, by the same worker where all are named. */
  readonly 'repeats-missed': {
    readonly requests: number;
    readonly repeats: number;
    readonly perPrefix: string;
    readonly sameWorker: boolean;
    readonly prefixTokens: number;
    readonly blockSize: number;
  };
  /** `planned`: words sent. */
  readonly 'prompts-without-cached': {
    readonly least: number;
    readonly most: number;
    readonly planned: number;
  };
  readonly 'prompts-short': {
    readonly least: number;
    readonly most: number;
    readonly planned: number;
    readonly short: number;
    readonly zero: number;
    readonly answers: number;
  };
  readonly 'prompt-tokens': { readonly least: number; readonly most: number };
  readonly 'other-lengths': {
    readonly other: number;
    readonly answers: number;
    readonly asked: number;
    readonly least: number;
    readonly most: number;
  };
  /** Medians of the answers that were gathered; `gapMs` between two reads, null where there is one. */
  readonly 'tokens-gathered': {
    readonly gathered: number;
    readonly answers: number;
    readonly perRead: number;
    readonly reads: number;
    readonly firstRead: number;
    readonly gapMs: number | null;
  };
  /** `until`: throughput until the last request was sent; `whole`: of the trial. */
  readonly drained: {
    readonly share: string;
    readonly drainS: string;
    readonly durationS: string;
    readonly slots: number;
    readonly whole: string;
    readonly until: string;
  };
  readonly 'held-after-last': {
    readonly meanMs: number;
    readonly p50Ms: number;
    readonly e2eMs: number;
    readonly share: string;
  };
  readonly 'whole-in-one-read': { readonly whole: number; readonly answers: number };
  /** Times in ms. */
  readonly 'first-tokens-held': {
    readonly held: number;
    readonly answers: number;
    readonly sooner: number;
    readonly from: number;
    readonly until: number;
    readonly together: number;
  };
  /** `lost`: times that may be the client's by `boundMs` of their `valueMs`. `leftLateMs` and `inFlight`: null where good enough. */
  readonly 'client-limit': {
    readonly lost: readonly {
      readonly measure: 'ttft_mean_ms' | 'ttft_p50_ms' | 'ttft_p99_ms';
      readonly boundMs: number;
      readonly valueMs: number;
    }[];
    readonly leftLateMs: number | null;
    readonly inFlight: { readonly mean: number; readonly asked: number } | null;
    readonly cpuShare: number;
    readonly threads: number;
  };
  /** Cached tokens that servers counted, and that answers carried. */
  readonly 'servers-cached': { readonly by: ServerRole; readonly servers: number; readonly answers: number };
  readonly 'servers-requests': { readonly by: ServerRole; readonly servers: number; readonly sent: number };
  readonly restarted: { readonly servers: readonly string[] };
  readonly preempted: { readonly preemptions: number };
  /** Tokens in a block. */
  readonly 'block-size-told': { readonly told: number; readonly stated: number };
  readonly 'trials-kept': { readonly kept: number; readonly repeats: number; readonly dropped: number };
  readonly 'said-by-grid': null;
  readonly 'grid-without': { readonly file: string };
  readonly 'columns-missing': { readonly columns: readonly string[] };
  readonly 'no-requests-file': null;
  readonly 'records-unended': { readonly records: number };
  readonly 'last-line-cut': { readonly line: number };
  readonly 'lines-broken': { readonly lines: number; readonly first: number };
}

export const trialEvidence = evidenceMaker<TrialEvidence>();
