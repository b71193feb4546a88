import type { FactRecord } from '../answer/request-record.js';
import { mean, percentile, type Sorted } from '../base/statistics.js';
import type { TrialFacts } from './trial-facts.js';

/**
 * What a compared measure is computed from: counts and sums over a trial's requests, and its times. A bootstrap draw
 * gives the same of the requests it drew, so each formula is written once.
 */
export interface TrialSums {
  readonly ok: number;
  /** Of the ok requests, those whose cached tokens are known. */
  readonly reported: number;
  /** Of those, the ones that hit. */
  readonly hits: number;
  /** Σ over the reported ones. */
  readonly cachedTokens: number;
  readonly promptTokens: number;
  /** Σ over the ok requests; null when one did not report usage. */
  readonly outputTokens: number | null;
  /** Last completion − first send, s; null without an ok request. */
  readonly spanS: number | null;
  /** Of the ok requests, ms. */
  readonly ttft: Times;
  readonly tpot: Times;
  readonly e2e: Times;
}

/** One time of many requests; null for no requests. */
export interface Times {
  mean(): number | null;
  /** Nearest rank. */
  percentile(p: number): number | null;
}

/** The sums of a trial as it was measured. */
export function sumTrial(trial: TrialFacts<FactRecord>): TrialSums {
  const { ok, reported } = trial;
  return {
    ok: ok.length,
    reported: reported.length,
    hits: sum(reported, (fact) => (fact.hit ? 1 : 0)),
    cachedTokens: sum(reported, (fact) => fact.cachedTokens),
    promptTokens: sum(reported, (fact) => fact.promptTokens),
    outputTokens: ok.some((record) => record.output_tokens === null)
      ? null
      : sum(ok, (record) => record.output_tokens ?? 0),
    spanS: trial.spanS,
    ttft: timesOf(trial.ttft),
    tpot: timesOf(trial.tpot),
    e2e: timesOf(trial.e2e),
  };
}

/** Σ value over the items. */
export function sum<T>(items: Iterable<T>, value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}

function timesOf(sorted: Sorted): Times {
  return { mean: () => mean(sorted), percentile: (p) => percentile(sorted, p) };
}
