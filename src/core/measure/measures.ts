import type { FactRecord, RequestRecord } from '../answer/request-record.js';
import { percentile, type Sorted } from '../base/statistics.js';

/** How the cache fields of a run's records are to be read; from the target's probe and the scenario, kept in run.json. */
export interface CacheRules {
  /** The target leaves cached_tokens out when it is 0 (seen by the probe): absent counts as 0. */
  readonly absentCachedIsZero: boolean;
  readonly prefixTokens: number;
  readonly tailTokens: number;
  /** Tokens in a cache block: only whole blocks can hit. */
  readonly blockSize: number;
  /** Primed trials have no unavoidable first miss. */
  readonly start: 'cold' | 'primed';
}

/** What measures are computed from: the records of one trial, sorted out once. */
export interface TrialFacts<R extends FactRecord = RequestRecord> {
  /** Every measured request, in plan order, each once. */
  readonly planned: readonly R[];
  /** The requests that primed each prefix, of a primed trial. */
  readonly primers: readonly R[];
  readonly ok: readonly R[];
  /** Of `ok`, those whose cached tokens are known. */
  readonly reported: readonly CacheFact<R>[];
  /** Distinct workers of each prefix that any `ok` request of it was served by. */
  readonly workersOfPrefix: ReadonlyMap<number, ReadonlySet<string>>;
  readonly workers: ReadonlySet<string>;
  readonly ttft: Sorted;
  readonly tpot: Sorted;
  readonly e2e: Sorted;
  /** Last completion − first send, s; null without an `ok` request. */
  readonly spanS: number | null;
  /** Requests per second by plan, of an open load; null for a closed one. */
  readonly dueRps: number | null;
}

/** The cache side of one answered request, tokens. */
export interface CacheFact<R extends FactRecord = RequestRecord> {
  readonly record: R;
  readonly cachedTokens: number;
  readonly promptTokens: number;
  /** Cached tokens beyond what a template shared by all prompts explains: above 0 is a hit. */
  readonly hit: boolean;
  /** What an endless cache would have given. */
  readonly possibleTokens: number;
}

/** One measure, declared once: columns, tables and docs/metrics.md follow from it. */
export interface Measure {
  readonly key: string;
  /** Heading in tables. */
  readonly label: string;
  readonly unit: '' | 'ratio' | 'ms' | '1/s' | 'tokens/s' | 's' | 'workers';
  /** Whether more of it is better; null when neither. */
  readonly better: 'higher' | 'lower' | null;
  readonly formula: string;
  /** When the value is null (an empty cell). */
  readonly nullWhen: string;
  /** Whether grid.csv has `_min` and `_max` of the kept trials beside it. */
  readonly band: boolean;
  /** The share of requests beyond the percentile must hold one request at least; null for what is no percentile. */
  readonly percentile: number | null;
  compute(trial: TrialFacts<FactRecord>): number | null;
}

/** In the order of the CSV columns. */
export const MEASURES = [
  {
    key: 'request_hit_rate',
    label: 'Request hit rate',
    unit: 'ratio',
    better: 'higher',
    formula:
      'ok requests with cached_tokens > 0 (beyond the blocks of a chat template that every prompt shares, if it fills one) / ok requests that reported cached_tokens',
    nullWhen: 'no request reported cached_tokens',
    band: true,
    percentile: null,
    compute: (trial) => share(trial.reported.filter((fact) => fact.hit).length, trial.reported.length),
  },
  {
    key: 'cached_token_ratio',
    label: 'Cached-token ratio',
    unit: 'ratio',
    better: 'higher',
    formula: 'Σ cached_tokens / Σ prompt_tokens, over the ok requests that reported cached_tokens',
    nullWhen: 'no request reported cached_tokens',
    band: true,
    percentile: null,
    compute: (trial) =>
      share(
        sum(trial.reported, (fact) => fact.cachedTokens),
        sum(trial.reported, (fact) => fact.promptTokens),
      ),
  },
  {
    key: 'cached_token_ceiling',
    label: 'Cached-token ceiling',
    unit: 'ratio',
    better: null,
    formula:
      'the cached_token_ratio that a perfect, endless cache would give the same requests: the first-sent request of each prefix misses (none does in a primed trial), every other hits the whole blocks of its prefix',
    nullWhen: 'no request reported cached_tokens',
    band: false,
    percentile: null,
    compute: (trial) =>
      share(
        sum(trial.reported, (fact) => fact.possibleTokens),
        sum(trial.reported, (fact) => fact.promptTokens),
      ),
  },
  {
    key: 'workers_seen',
    label: 'Workers seen',
    unit: 'workers',
    better: null,
    formula: 'distinct workers that served an ok request',
    nullWhen: 'the target reports no workers',
    band: false,
    percentile: null,
    compute: (trial) => (trial.workers.size === 0 ? null : trial.workers.size),
  },
  {
    key: 'workers_per_prefix',
    label: 'Workers per prefix',
    unit: 'workers',
    better: null,
    formula: 'mean over the prefixes of the number of distinct workers that served one',
    nullWhen: 'the target reports no workers',
    band: false,
    percentile: null,
    compute: (trial) =>
      share(
        sum([...trial.workersOfPrefix.values()], (workers) => workers.size),
        trial.workersOfPrefix.size,
      ),
  },
  latency('ttft_p50_ms', 'TTFT p50', 0.5, true, 'ttft'),
  latency('ttft_p99_ms', 'TTFT p99', 0.99, true, 'ttft'),
  latency('tpot_p50_ms', 'TPOT p50', 0.5, false, 'tpot'),
  latency('e2e_p50_ms', 'E2E p50', 0.5, false, 'e2e'),
  latency('e2e_p99_ms', 'E2E p99', 0.99, false, 'e2e'),
  {
    key: 'throughput_rps',
    label: 'Throughput',
    unit: '1/s',
    better: 'higher',
    formula: 'ok requests / duration_s (completed load)',
    nullWhen: 'no request was ok',
    band: true,
    percentile: null,
    compute: (trial) => share(trial.ok.length, trial.spanS),
  },
  {
    key: 'output_tokens_per_s',
    label: 'Output tokens',
    unit: 'tokens/s',
    better: 'higher',
    formula: 'Σ output tokens of the ok requests / duration_s, output tokens from usage',
    nullWhen: 'no request was ok, or one did not report usage',
    band: false,
    percentile: null,
    compute: (trial) =>
      trial.ok.some((record) => record.output_tokens === null)
        ? null
        : share(
            sum(trial.ok, (record) => record.output_tokens ?? 0),
            trial.spanS,
          ),
  },
  {
    key: 'offered_rps',
    label: 'Offered load',
    unit: '1/s',
    better: null,
    formula:
      'requests planned per second: of an open load (requests − 1) / (last due − first due), of a closed one requests / duration_s',
    nullWhen: 'no request was ok',
    band: false,
    percentile: null,
    compute: (trial) => trial.dueRps ?? share(trial.planned.length, trial.spanS),
  },
  {
    key: 'duration_s',
    label: 'Duration',
    unit: 's',
    better: null,
    formula: 'last token of the last ok request − first send, measured phase',
    nullWhen: 'no request was ok',
    band: false,
    percentile: null,
    compute: (trial) => trial.spanS,
  },
] as const satisfies readonly Measure[];

export type MeasureKey = (typeof MEASURES)[number]['key'];

export type MeasureValues = Readonly<Record<MeasureKey, number | null>>;

/** Values are rounded to this many decimals, so that a number reads the same wherever it is printed or read back. */
const DECIMALS = 6;

/** Every measure of one trial. */
export function computeMeasures(trial: TrialFacts<FactRecord>): MeasureValues {
  return Object.fromEntries(
    MEASURES.map((measure) => [measure.key, rounded(measure.compute(trial))]),
  ) as MeasureValues;
}

export function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(DECIMALS));
}

function latency<const K extends string>(
  key: K,
  label: string,
  p: number,
  band: boolean,
  times: 'ttft' | 'tpot' | 'e2e',
): Measure & { readonly key: K } {
  const nearestRank = `nearest rank, sorted[ceil(${p}·n) − 1]`;
  return {
    key,
    label,
    unit: 'ms',
    better: 'lower',
    formula: `${times}_ms of the ok requests, ${nearestRank}`,
    nullWhen: times === 'tpot' ? 'no ok request reported 2 output tokens or more' : 'no request was ok',
    band,
    percentile: p,
    compute: (trial) => percentile(trial[times], p),
  };
}

function share(part: number, whole: number | null): number | null {
  return whole === null || whole === 0 ? null : part / whole;
}

function sum<T>(items: readonly T[], value: (item: T) => number): number {
  let total = 0;
  for (const item of items) total += value(item);
  return total;
}
