import type { FactRecord, RequestRecord } from '../answer/request-record.js';
import { type Sorted, sortedOf } from '../base/statistics.js';
import type { TrialPlan } from '../workload/plan.js';
import { type CacheCounts, type CacheRules, firstSent, readCacheCounts } from './cache-counts.js';
import type { Family } from './families.js';

/** What measures are computed from: the records of one trial, sorted out once. */
export interface TrialFacts<R extends FactRecord = RequestRecord> {
  /** Every measured request, in plan order, each once. */
  readonly planned: readonly R[];
  /** The requests that primed each prefix, of a primed trial. */
  readonly primers: readonly R[];
  readonly ok: readonly R[];
  /** Of `ok`, those whose cached tokens are known and possible; empty where they are withheld. */
  readonly reported: readonly CacheFact<R>[];
  /** Distinct workers of each prefix that any `ok` request of it was served by. */
  readonly workersOfPrefix: ReadonlyMap<number, ReadonlySet<string>>;
  readonly workers: ReadonlySet<string>;
  /** Families of measures that a finding leaves without a value. */
  readonly withheld: readonly Family[];
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
  /** What an unlimited cache would have given. */
  readonly possibleTokens: number;
}

/** The facts of one row, with what its token counts are worth. */
export interface RowFacts<R extends FactRecord = RequestRecord> extends TrialFacts<R> {
  readonly counts: CacheCounts;
  /** Prefixes that were sent. */
  readonly prefixes: number;
}

/**
 * Sorts out the records of one trial for every measure and finding. Records of other phases are left out.
 */
export function factsOfTrial<R extends FactRecord>(
  records: readonly R[],
  trial: TrialPlan,
  rules: CacheRules,
): RowFacts<R> {
  const planned = distinct(records.filter((record) => record.phase === 'measure'));
  const counts = readCacheCounts(planned, rules);
  const ok = planned.filter((record) => record.outcome === 'ok');
  const workersOfPrefix = groupWorkers(ok);
  return {
    planned,
    primers: distinct(records.filter((record) => record.phase === 'prime')),
    ok,
    reported: cacheFacts(planned, ok, counts, rules),
    workersOfPrefix,
    workers: new Set([...workersOfPrefix.values()].flatMap((workers) => [...workers])),
    withheld: [],
    ...timesOf(planned, ok, trial),
    counts,
    prefixes: new Set(planned.map((record) => record.prefix)).size,
  };
}

/** The facts without those that some families of measures are made from: no formula gives them a value. */
export function withholdFacts<R extends FactRecord>(
  facts: TrialFacts<R>,
  families: readonly Family[],
): TrialFacts<R> {
  if (families.length === 0) return facts;
  const none = sortedOf([]);
  const isWithheld = (family: Family) => families.includes(family);
  return {
    ...facts,
    withheld: [...new Set([...facts.withheld, ...families])],
    // Without the ratio the hit rate may stand: both are of the same answers, and the ratio is then withheld by its name.
    reported: isWithheld('hit-rate') ? [] : facts.reported,
    ttft: isWithheld('ttft') ? none : facts.ttft,
    tpot: isWithheld('tpot') ? none : facts.tpot,
    e2e: isWithheld('e2e') ? none : facts.e2e,
  };
}

/** The facts of several groups of one trial as one: prefix 3 of one group is not prefix 3 of another. */
export function combineGroupFacts<R extends FactRecord>(
  groups: readonly TrialFacts<R>[],
  trial: TrialPlan,
): TrialFacts<R> {
  const planned = groups.flatMap((group) => group.planned).sort((a, b) => a.seq - b.seq);
  const ok = groups.flatMap((group) => group.ok).sort((a, b) => a.seq - b.seq);
  const { prefixes } = trial.cell;
  return {
    planned,
    primers: groups.flatMap((group) => group.primers),
    ok,
    reported: groups.flatMap((group) => group.reported).sort((a, b) => a.record.seq - b.record.seq),
    workersOfPrefix: new Map(
      groups.flatMap((group, index) =>
        [...group.workersOfPrefix].map(([prefix, workers]) => [index * prefixes + prefix, workers] as const),
      ),
    ),
    workers: new Set(groups.flatMap((group) => [...group.workers])),
    withheld: [],
    ...timesOf(planned, ok, trial),
  };
}

/** In plan order, each request once: the first record that was written of it. */
function distinct<R extends FactRecord>(records: readonly R[]): R[] {
  // No map by seq: of a million records it takes more memory than all that is kept of them.
  const sorted = [...records].sort((a, b) => a.seq - b.seq);
  return sorted.filter((record, i) => record.seq !== sorted[i - 1]?.seq);
}

function cacheFacts<R extends FactRecord>(
  planned: readonly R[],
  ok: readonly R[],
  counts: CacheCounts,
  rules: CacheRules,
): CacheFact<R>[] {
  const firsts = rules.start === 'cold' ? new Set(firstSent(planned).values()) : new Set<R>();
  const wholeBlocks =
    Math.floor((rules.prefixTokens + counts.templateTokens) / rules.blockSize) * rules.blockSize;
  return ok.flatMap((record) => {
    const cachedTokens = counts.cachedOf(record);
    if (cachedTokens === null) return [];
    const promptTokens = counts.promptOf(record);
    return {
      record,
      cachedTokens,
      promptTokens,
      hit: cachedTokens > counts.templateHit,
      possibleTokens: firsts.has(record) ? 0 : Math.min(wholeBlocks, promptTokens),
    };
  });
}

function timesOf(planned: readonly FactRecord[], ok: readonly FactRecord[], trial: TrialPlan) {
  return {
    ttft: sortedOf(ok.map((record) => record.ttft_ms)),
    tpot: sortedOf(ok.map((record) => record.tpot_ms)),
    e2e: sortedOf(ok.map((record) => record.e2e_ms)),
    spanS: spanS(planned, ok),
    dueRps: dueRps(trial.dueMs),
  };
}

function groupWorkers(ok: readonly FactRecord[]): Map<number, Set<string>> {
  const groups = new Map<number, Set<string>>();
  for (const { prefix, worker } of ok) {
    if (prefix === null || worker === null) continue;
    const workers = groups.get(prefix) ?? new Set();
    groups.set(prefix, workers.add(worker));
  }
  return groups;
}

function spanS(planned: readonly FactRecord[], ok: readonly FactRecord[]): number | null {
  let first = Number.POSITIVE_INFINITY;
  for (const record of planned) if (record.sent_ms !== null) first = Math.min(first, record.sent_ms);
  let last = Number.NEGATIVE_INFINITY;
  for (const record of ok) last = Math.max(last, (record.sent_ms ?? 0) + (record.e2e_ms ?? 0));
  return last > first ? (last - first) / 1000 : null;
}

function dueRps(dueMs: Float64Array | null): number | null {
  if (dueMs === null || dueMs.length < 2) return null;
  const span = (dueMs[dueMs.length - 1] as number) - (dueMs[0] as number);
  return span > 0 ? ((dueMs.length - 1) * 1000) / span : null;
}
