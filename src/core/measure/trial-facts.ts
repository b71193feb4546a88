import type { FactRecord, RequestRecord } from '../answer/request-record.js';
import { rangeOf, type Sorted, sortedOf } from '../base/statistics.js';
import type { TrialPlan } from '../workload/plan.js';

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
  /** What an unlimited cache would have given. */
  readonly possibleTokens: number;
}

/** Sorts out the records of one trial for every measure and finding. Records of other phases are left out. */
export function factsOfTrial<R extends FactRecord>(
  records: readonly R[],
  trial: TrialPlan,
  rules: CacheRules,
): TrialFacts<R> {
  const planned = distinct(records.filter((record) => record.phase === 'measure'));
  const ok = planned.filter((record) => record.outcome === 'ok');
  const workersOfPrefix = groupWorkers(ok);
  return {
    planned,
    primers: distinct(records.filter((record) => record.phase === 'prime')),
    ok,
    reported: cacheFacts(planned, ok, rules),
    workersOfPrefix,
    workers: new Set([...workersOfPrefix.values()].flatMap((workers) => [...workers])),
    ...timesOf(planned, ok, trial),
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
    ...timesOf(planned, ok, trial),
  };
}

/** In plan order, each request once: the first record that was written of it. */
function distinct<R extends FactRecord>(records: readonly R[]): R[] {
  const bySeq = new Map<number, R>();
  for (const record of records) if (!bySeq.has(record.seq)) bySeq.set(record.seq, record);
  return [...bySeq.values()].sort((a, b) => a.seq - b.seq);
}

/** The first-sent request of each prefix. A tie goes to the plan's order. */
export function firstSent<R extends FactRecord>(planned: readonly R[]): Map<number, R> {
  const first = new Map<number, R>();
  for (const record of planned) {
    if (record.prefix === null || record.sent_ms === null) continue;
    const known = first.get(record.prefix);
    if (known === undefined || record.sent_ms < (known.sent_ms ?? 0)) first.set(record.prefix, record);
  }
  return first;
}

/** Cached tokens of a record, or null when they are unknown. Absent is 0 only where a probe of the target showed so. */
export function cachedTokensOf(record: FactRecord, rules: CacheRules): number | null {
  return record.cached_tokens ?? (rules.absentCachedIsZero && record.outcome === 'ok' ? 0 : null);
}

/** Tokens that the target adds to every prompt (chat template), the least seen; 0 when usage is missing. */
export function templateTokens(planned: readonly FactRecord[], rules: CacheRules): number {
  let least = Number.POSITIVE_INFINITY;
  for (const record of planned) {
    if (record.prompt_tokens !== null) {
      least = Math.min(least, record.prompt_tokens - rules.prefixTokens - rules.tailTokens);
    }
  }
  return Number.isFinite(least) ? Math.max(0, least) : 0;
}

/**
 * Cached tokens that say nothing of a prefix: whole blocks of a chat template (a long system text) that every prompt
 * shares. They show as the same small hit on the first request of every prefix after the trial's very first.
 */
export function templateHit(planned: readonly FactRecord[], rules: CacheRules): number {
  const template = templateTokens(planned, rules);
  if (template < rules.blockSize) return 0;
  const firsts = [...firstSent(planned).values()]
    .sort((a, b) => (a.sent_ms ?? 0) - (b.sent_ms ?? 0))
    .slice(1)
    .map((record) => cachedTokensOf(record, rules))
    .filter((cached) => cached !== null);
  const most = rangeOf([0, ...firsts]).most;
  return most <= template && most < rules.prefixTokens / 2 ? most : 0;
}

function cacheFacts<R extends FactRecord>(
  planned: readonly R[],
  ok: readonly R[],
  rules: CacheRules,
): CacheFact<R>[] {
  const firsts = rules.start === 'cold' ? new Set(firstSent(planned).values()) : new Set<R>();
  const template = templateTokens(planned, rules);
  const beyond = templateHit(planned, rules);
  const wholeBlocks = Math.floor((rules.prefixTokens + template) / rules.blockSize) * rules.blockSize;
  return ok.flatMap((record) => {
    const cachedTokens = cachedTokensOf(record, rules);
    if (cachedTokens === null) return [];
    const promptTokens = record.prompt_tokens ?? rules.prefixTokens + rules.tailTokens;
    return {
      record,
      cachedTokens,
      promptTokens,
      hit: cachedTokens > beyond,
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
