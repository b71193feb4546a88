import type { ComparisonMethod, NoVerdict } from '../../core/compare/comparison.js';
import { MEASURES, type MeasureKey } from '../../core/measure/measures.js';
import { loadSize } from '../../core/workload/load.js';
import type { RowLoad } from '../../core/workload/plan-rows.js';
import { formatPercent } from '../format.js';
import { COMPARISON_ADVICE, FINDING_ADVICE, REASON_ADVICE } from './en-advice.js';
import { changeUnit, EN_ANSWER } from './en-answer.js';
import { EN_EVIDENCE } from './en-evidence.js';
import { EN_RECORD } from './en-record.js';
import type { WorkloadWords } from './word-values.js';

const EN_LOADS = {
  closed: (slots: number) => `${slots} in flight`,
  open: (rate: number) => `${rate} req/s`,
};

/** Every text of a report in English. */
export const EN = {
  notMeasured: 'not measured',
  notReported: 'not reported',
  withheld: (code: string) => `withheld: ${code}`,
  prefixes: (count: number) => (count === 1 ? '1 prefix' : `${count} prefixes`),
  load: (load: RowLoad) =>
    `${load.group === undefined ? '' : `${load.group}, `}${EN_LOADS[load.kind](Number(loadSize(load).toFixed(3)))}`,
  axis: {
    prefixes: 'prefix groups',
    prefix: 'prefix group',
    worker: 'worker',
    hitRate: 'requests, %',
    cachedRatio: 'prompt tokens, %',
    ttft: 'TTFT, ms',
    share: 'requests, %',
    concurrency: 'requests in flight',
    rate: 'offered load, req/s',
    throughput: 'completed, req/s',
    order: 'requests of the trial, in sending order, %',
    lost: 'expected cached tokens, %',
  },
  ceiling: 'ceiling',
  capacity: 'capacity ceiling',
  cached: 'cached',
  offered: 'offered',
  /** What became of the cached tokens that were expected. */
  parts: {
    cached: 'cached',
    firstTouch: 'first touch',
    eviction: 'eviction',
    inFlight: 'in flight',
    placement: 'placement',
    notFirstTouch: 'lost, cause not known',
  },
  figures: {
    cachedTokens: {
      title: 'Cached prompt tokens over prefix groups',
      caption:
        'Median over the kept trials; the shaded band spans the lowest to the highest trial. The ceiling is what a perfect, unlimited cache would give the same requests.',
    },
    hitRate: {
      title: 'Request hit rate over prefix groups',
      caption:
        'Requests with any cached prefix token. Median over the kept trials; the shaded band spans the lowest to the highest trial. The ceiling: every request hits except the first of its prefix.',
    },
    ttft: {
      title: 'Distribution of TTFT',
      caption:
        'Share of requests that got their first token within a given time, over all kept trials, drawn at every whole percentile. Further left is faster.',
    },
    timeline: {
      title: 'TTFT over the course of each trial',
      caption:
        'One line for each kept trial: mean TTFT of consecutive tenths of its requests. A high start is the cold cache; diverging lines are drift between trials.',
    },
    lostHits: {
      title: 'Where the expected cached tokens went',
      caption:
        'Expected is a whole-block hit of the prefix on every request. First touch is unavoidable, eviction is capacity, in flight is concurrency, placement is the router.',
    },
    throughput: {
      title: 'Completed load',
      caption:
        'Ok requests per second. Median over the kept trials; the shaded band spans the lowest to the highest.',
    },
    workers: {
      title: 'Which worker served which prefix group',
      caption: (where: string) =>
        `Requests of the first kept trial at ${where}, the cell where the variants differ most in cached tokens. A single square in a column means the prefix stayed on one worker. Workers are numbered by id, separately for each variant.`,
    },
  },
  measures: Object.fromEntries(MEASURES.map(({ key, label }) => [key, label])) as Readonly<
    Record<MeasureKey, string>
  >,
  unit: (unit: string) => unit,
  changeUnit,
  sections: {
    title: (variants: readonly string[]) => `KV-cache routing: ${variants.join(', ')}`,
    answer: 'The answer',
    findings: 'What to know first',
    results: 'Results',
    changes: 'Changes and verdicts',
    why: 'Why the gain is not larger',
    whyNone: (candidates: string, baseline: string) => `Why ${candidates} is not better than ${baseline}`,
    figures: 'Figures',
    method: 'Method',
    provenance: 'Provenance',
    record: 'Experiment record',
  },
  tables: {
    load: 'load',
    cell: 'cell',
    prefixes: 'prefixes',
    variant: 'variant',
    expected: 'expected, tokens',
    noneKept: 'none kept',
    withheld: 'withheld',
    losses: 'Lost cached tokens by cause',
    noLosses: 'Not known: no target reported cached tokens.',
    workers: 'Load over the workers',
    workerPrefix: (where: string) => `Requests by worker and prefix: ${where}`,
    noWorkers: 'Not known: no target reported which worker served a request.',
    capacity: 'Request hit rate against its capacity ceiling, %',
    ofCeiling: (actual: string, ceiling: string) => `${actual} of ${ceiling}`,
    bandNote: 'Median over the kept trials (lowest–highest).',
    medianNote: 'Median over the kept trials.',
    capacityNote:
      'The ceiling is min(1, workers seen × prefixes one worker holds / prefixes): what the caches could hold if no prefix were held by two workers.',
    lossNote:
      'Shares of the expected cached tokens (a whole-block hit of the prefix on every request), all kept trials together; each row adds up to 100 %. First touch is unavoidable, eviction is capacity, in flight is concurrency, placement is the router.',
    workersNote:
      'Coefficient of variation of requests per worker (what chance alone would give), share of the busiest worker.',
    marks: {
      '*': 'too few requests in a trial for this percentile: little more than the maximum',
      '†': 'not every trial was kept: see the findings',
      '‡': 'over the requests that reported cached tokens; not all did',
    },
  },
  changes: {
    heading: (candidate: string, baseline: string) => `${candidate} against ${baseline}`,
    note: '▲ better, ▼ worse, ≈ not distinguishable; in brackets the 95 % interval of the change. Rates change in percentage points, times and throughput in percent.',
    noValue: 'no change to show',
    noVerdict: {
      'no-value': 'one of the two has no value',
      'zero-value': 'one of the two is 0: no percentage can be computed',
      'no-requests': 'no verdict: grid.csv alone holds no requests',
      'not-paired': 'no verdict: the runs did not send the same requests in the same order',
      'no-common-repeat': 'no verdict: no repeat was kept by both',
      'one-repeat': 'no verdict: a single repeat does not show how much repeats differ',
      'percentile-unsupported': 'no verdict: too few requests for this percentile',
      'client-limited': 'no verdict: the client may have been late by as much as the time itself',
      withheld: 'no verdict: a finding says that the figure cannot be right',
    } as const satisfies Readonly<Record<NoVerdict, string>>,
  },
  findings: {
    none: 'No findings: nothing casts doubt on these figures.',
    seen: ([where, ...others]: readonly string[], count: number, first: string) => {
      const rest = count - 1 - others.length;
      const also = `${others.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
      return `${where}: ${first}${also === '' ? '' : ` (also ${also})`}`;
    },
    repeated: (count: number, unit: 'trials' | 'cells', first: string, seen: string) =>
      `in ${count} ${unit}, e.g. ${first}: ${seen}`,
    codes: titled({ ...FINDING_ADVICE, ...COMPARISON_ADVICE }),
  },
  reasons: titled(REASON_ADVICE),
  evidence: EN_EVIDENCE,
  method: {
    workload: (of: WorkloadWords) =>
      `Each request is a prefix of ${of.prefixTokens} tokens, shared by its group, and a unique tail of ${of.tailTokens} tokens; ${of.outputTokens} output tokens are requested. ${of.cells} cells, ${of.repeats} trials each, ${of.requests} requests in a trial.`,
    order: (seed: string, start: string, warmup: number) =>
      `Prompts and orders follow from seed ${seed}, the cell and the repeat alone: every variant got the same prompts in the same order. Trials start ${start}${warmup > 0 ? ` after ${warmup} warm-up requests` : ''}; they run repeat by repeat over the whole grid, cells in drawn order.`,
    times:
      'TTFT runs from handing the request to an open socket until the read that carried its first token; connecting and waiting inside the client are not included. Percentiles are nearest-rank over the ok requests of a trial; failures do not count.',
    cells:
      "A cell's figure is the median over its kept trials (two kept: their mean). Contaminated, interrupted and entirely failed trials are dropped.",
    cached:
      'Cached tokens are what the server reported for each request. The ceiling assumes a perfect, unlimited cache: only the first request of each prefix misses, and only whole cache blocks count.',
    verdicts: (method: ComparisonMethod) =>
      `Changes pair the repeats of both runs, which sent the same requests. The ${formatPercent(method.confidence, 0)} interval of each change comes from how much it differs between repeats (a moderated t; the cells share what they show of the spread, weighed by a paired bootstrap over requests of ${method.draws} draws). A verdict also holds against the number of comparisons: at most ${formatPercent(method.falseDiscoveryRate, 0)} of the calls for a candidate are expected to be false (Benjamini–Hochberg).`,
    family: (comparisons: number) =>
      `Verdicts look at all ${comparisons} comparisons together; intervals are unadjusted. docs/statistics.md has the method and how it was checked.`,
    unpaired: 'No intervals and no verdicts: nothing could be paired.',
    files: 'trials.csv and grid.csv beside this report were rebuilt from run.json and requests.jsonl.',
  },
  provenance: {
    source: 'run',
    target: 'target',
    model: 'model',
    dialect: 'dialect',
    cachedTokens: 'cached tokens',
    workload: 'workload, SHA-256',
    salt: 'salt, SHA-256',
    noSalt: 'none',
    time: 'time',
    status: 'status',
    kvbench: 'kvbench',
    machine: 'client machine',
    clock: 'clock',
    git: 'git',
    command: 'command',
    unknown: 'not known',
  },
  record: EN_RECORD,
  answer: EN_ANSWER,
} as const;

/** English titles are the codes themselves. */
function titled<K extends string>(
  advice: Readonly<Record<K, string>>,
): Readonly<Record<K, { readonly title: string; readonly advice: string }>> {
  const entries = Object.entries<string>(advice).map(([code, text]) => [
    code,
    { title: code.replaceAll('-', ' '), advice: text },
  ]);
  return Object.fromEntries(entries) as Readonly<Record<K, { title: string; advice: string }>>;
}

/** What a dictionary holds: as {@link EN}, every key, so that a missing one does not compile. */
export type Messages = Widened<typeof EN>;

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { readonly [K in keyof T]: Widened<T[K]> };
