import type { FactRecord } from '../answer/request-record.js';
import { percentile } from '../base/statistics.js';
import { type ClientError, emptySlots, lateGaps, lateStamp, type ValueError } from './client-error.js';
import { FAMILIES, type Family } from './families.js';
import type { TrialFacts } from './trial-facts.js';
import { sum, sumTrial, type TrialSums } from './trial-sums.js';

/**
 * Where a measure is shown unless others are asked for: the tables of `grid`, the result tables of `report`, the changes
 * of `diff` and `report`, and the report's answer in sentences. CSV files hold all of them.
 */
export type Place = 'grid' | 'report' | 'changes' | 'answer';

/** On which scale a change is measured and its error is even: points for rates, the logarithm of the ratio for the rest. */
export type ChangeScale = 'points' | 'log-ratio';

interface Declared {
  readonly key: string;
  /** Heading in tables. */
  readonly label: string;
  readonly unit: '' | 'ratio' | 'ms' | '1/s' | 'tokens/s' | 's' | 'workers';
  readonly formula: string;
  /** When the value is null (an empty cell). */
  readonly nullWhen: string;
  /** Whether grid.csv has `_min` and `_max` of the kept trials beside it. */
  readonly band: boolean;
  /** The percentile that it is (p in 0–1), which too few requests cannot support; null for any other measure. */
  readonly percentile: number | null;
  /** Measures of one family share a table. */
  readonly family: Family;
  readonly shown: readonly Place[];
  /** The measure that it is shown as a part of (`0.42 of 0.78`). */
  readonly outOf?: string;
}

/** A measure that is compared: more or less of it is better. */
export interface ComparedMeasure extends Declared {
  readonly better: 'higher' | 'lower';
  readonly scale: ChangeScale;
  /** Of the trial, and of each bootstrap draw from it. */
  of(sums: TrialSums): number | null;
  /** What a late client may have done to a value of it; left out where it can do nothing. */
  readonly lateness?: (error: ClientError, sums: TrialSums, value: number) => ValueError;
}

/** A measure that is shown and never judged. */
export interface DescriptiveMeasure extends Declared {
  readonly better: null;
  readonly scale: null;
  of(trial: TrialFacts<FactRecord>): number | null;
}

/** One measure, declared once: columns, tables, comparisons and docs/metrics.md follow from it. */
export type Measure = ComparedMeasure | DescriptiveMeasure;

/** In the order of the CSV columns. */
export const MEASURES = [
  {
    key: 'request_hit_rate',
    label: 'Request hit rate',
    unit: 'ratio',
    better: 'higher',
    scale: 'points',
    formula:
      'ok requests with cached_tokens > 0 (beyond the blocks of a chat template that every prompt shares, if it fills one) / ok requests that reported cached_tokens',
    nullWhen: 'no request reported cached_tokens',
    band: true,
    percentile: null,
    family: 'hit-rate',
    shown: ['grid', 'report', 'changes', 'answer'],
    of: (sums) => share(sums.hits, sums.reported),
  },
  {
    key: 'cached_token_ratio',
    label: 'Cached-token ratio',
    unit: 'ratio',
    better: 'higher',
    scale: 'points',
    formula: 'Σ cached_tokens / Σ prompt_tokens, over the ok requests that reported cached_tokens',
    nullWhen: 'no request reported cached_tokens',
    band: true,
    percentile: null,
    family: 'cached-ratio',
    shown: ['grid', 'report', 'changes'],
    outOf: 'cached_token_ceiling',
    of: (sums) => share(sums.cachedTokens, sums.promptTokens),
  },
  {
    key: 'cached_token_ceiling',
    label: 'Cached-token ceiling',
    unit: 'ratio',
    better: null,
    scale: null,
    formula:
      'the cached_token_ratio that a perfect, unlimited cache would give the same requests: the first-sent request of each prefix misses (none does in a primed trial), every other hits the whole blocks of its prefix',
    nullWhen: 'no request reported cached_tokens',
    band: false,
    percentile: null,
    family: 'cached-ratio',
    shown: [],
    of: (trial) =>
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
    scale: null,
    formula: 'distinct workers that served an ok request',
    nullWhen: 'the target reports no workers',
    band: false,
    percentile: null,
    family: 'workers',
    shown: [],
    of: (trial) => (trial.workers.size === 0 ? null : trial.workers.size),
  },
  {
    key: 'workers_per_prefix',
    label: 'Workers per prefix',
    unit: 'workers',
    better: null,
    scale: null,
    formula: 'mean over the prefixes of the number of distinct workers that served one',
    nullWhen: 'the target reports no workers',
    band: false,
    percentile: null,
    family: 'workers',
    shown: ['grid', 'report'],
    outOf: 'workers_seen',
    of: (trial) =>
      share(
        sum(trial.workersOfPrefix.values(), (workers) => workers.size),
        trial.workersOfPrefix.size,
      ),
  },
  {
    key: 'ttft_mean_ms',
    label: 'TTFT mean',
    unit: 'ms',
    better: 'lower',
    scale: 'log-ratio',
    formula: 'arithmetic mean of the ttft_ms of the ok requests',
    nullWhen: 'no request was ok',
    band: false,
    percentile: null,
    family: 'ttft',
    shown: ['grid', 'report', 'changes', 'answer'],
    of: (sums) => sums.ttft.mean(),
    lateness: lateStamp(null),
  },
  latency('ttft_p50_ms', 'TTFT p50', 0.5, { band: true, shown: ['grid', 'report', 'changes', 'answer'] }),
  {
    // Not compared: every compared measure costs the others certainty, and the mean and p99 stand for the tail.
    key: 'ttft_p90_ms',
    label: 'TTFT p90',
    unit: 'ms',
    better: null,
    scale: null,
    formula: `ttft_ms of the ok requests, ${nearestRank(0.9)}`,
    nullWhen: 'no request was ok',
    band: false,
    percentile: 0.9,
    family: 'ttft',
    shown: [],
    of: (trial) => percentile(trial.ttft, 0.9),
  },
  latency('ttft_p99_ms', 'TTFT p99', 0.99, { band: true, shown: ['grid', 'report', 'changes', 'answer'] }),
  latency('tpot_p50_ms', 'TPOT p50', 0.5, {}),
  latency('e2e_p50_ms', 'E2E p50', 0.5, { shown: ['grid'] }),
  latency('e2e_p99_ms', 'E2E p99', 0.99, { shown: ['grid'] }),
  {
    key: 'throughput_rps',
    label: 'Throughput',
    unit: '1/s',
    better: 'higher',
    scale: 'log-ratio',
    formula: 'ok requests / duration_s (completed load)',
    nullWhen: 'no request was ok',
    band: true,
    percentile: null,
    family: 'throughput',
    shown: ['grid', 'report', 'changes', 'answer'],
    of: (sums) => share(sums.ok, sums.spanS),
    lateness: emptySlots,
  },
  {
    key: 'output_tokens_per_s',
    label: 'Output tokens',
    unit: 'tokens/s',
    better: 'higher',
    scale: 'log-ratio',
    formula: 'Σ output tokens of the ok requests / duration_s, output tokens from usage',
    nullWhen: 'no request was ok, or one did not report usage',
    band: false,
    percentile: null,
    family: 'output',
    shown: [],
    of: (sums) => share(sums.outputTokens, sums.spanS),
    lateness: emptySlots,
  },
  {
    key: 'offered_rps',
    label: 'Offered load',
    unit: '1/s',
    better: null,
    scale: null,
    formula:
      'requests planned per second: of an open load (requests − 1) / (last due − first due), of a closed one requests / duration_s',
    nullWhen: 'no request was ok',
    band: false,
    percentile: null,
    family: 'load',
    shown: [],
    of: (trial) => trial.dueRps ?? share(trial.planned.length, trial.spanS),
  },
  {
    key: 'duration_s',
    label: 'Duration',
    unit: 's',
    better: null,
    scale: null,
    formula: 'last token of the last ok request − first send, measured phase',
    nullWhen: 'no request was ok',
    band: false,
    percentile: null,
    family: 'load',
    shown: [],
    of: (trial) => trial.spanS,
  },
] as const satisfies readonly Measure[];

type Declaration = (typeof MEASURES)[number];

export type MeasureKey = Declaration['key'];

/** The keys of the measures that are compared. */
export type ComparedKey = Extract<Declaration, { readonly scale: ChangeScale }>['key'];

export type MeasureValues = Readonly<Record<MeasureKey, number | null>>;

/** The compared measures, in the order of the CSV columns. */
export const COMPARED: readonly (ComparedMeasure & { readonly key: ComparedKey })[] = MEASURES.filter(
  (measure) => measure.scale !== null,
);

/** The keys of {@link COMPARED}. */
export const COMPARED_KEYS: readonly ComparedKey[] = COMPARED.map(({ key }) => key);

/** The measures shown at a place, in the order in which they are printed; those of one family stand together. */
export function measuresShown(place: Place): MeasureKey[] {
  return FAMILIES.flatMap((family) =>
    MEASURES.filter((measure: Measure) => measure.family === family && measure.shown.includes(place)),
  ).map(({ key }) => key);
}

/** The declaration of a measure. */
export function measureOf<K extends MeasureKey>(key: K): K extends ComparedKey ? ComparedMeasure : Measure {
  return MEASURES.find((measure) => measure.key === key) as ReturnType<typeof measureOf<K>>;
}

/** Values are rounded to this many decimals, so that a number reads the same wherever it is printed or read back. */
const DECIMALS = 6;

/** Every measure of one trial; null where it is withheld. */
export function computeMeasures(trial: TrialFacts<FactRecord>): MeasureValues {
  const sums = sumTrial(trial);
  return Object.fromEntries(
    MEASURES.map((measure) => [
      measure.key,
      trial.withheld.includes(measure.family)
        ? null
        : rounded(measure.scale === null ? measure.of(trial) : measure.of(sums)),
    ]),
  ) as MeasureValues;
}

/** Rounded to six decimals; null stays null. */
export function rounded(value: number | null): number | null {
  return value === null ? null : Number(value.toFixed(DECIMALS));
}

type TimeName = 'ttft' | 'tpot' | 'e2e';

/** A percentile of one of a request's times. */
function latency<const K extends `${TimeName}_${string}`>(
  key: K,
  label: string,
  p: number,
  { band = false, shown = [] }: { readonly band?: boolean; readonly shown?: readonly Place[] },
): ComparedMeasure & { readonly key: K } {
  const times = key.slice(0, key.indexOf('_')) as TimeName;
  return {
    key,
    label,
    unit: 'ms',
    better: 'lower',
    scale: 'log-ratio',
    formula: `${times}_ms of the ok requests, ${nearestRank(p)}`,
    nullWhen: times === 'tpot' ? 'no ok request reported 2 output tokens or more' : 'no request was ok',
    band,
    percentile: p,
    family: times,
    shown,
    of: (sums) => sums[times].percentile(p),
    lateness: times === 'tpot' ? lateGaps : lateStamp(p),
  };
}

function nearestRank(p: number): string {
  return `nearest rank, sorted[ceil(${p}·n) − 1]`;
}

/** part / whole; null when the whole is 0, or one of them is null. */
function share(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}
