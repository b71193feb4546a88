import type { FactRecord } from '../answer/request-record.js';
import { type CacheRules, readCacheCounts } from './cache-counts.js';

/** Why a request did not get the whole blocks of its prefix (DESIGN.md, section 3), in the order in which they are tried. */
export const LOSS_CAUSES = ['firstTouch', 'eviction', 'inFlight', 'placement', 'notFirstTouch'] as const;

export type LossCause = (typeof LOSS_CAUSES)[number];

/**
 * The cached tokens that one or more trials missed, split by cause. Whole numbers that add up exactly:
 * `missing` is the sum of the five causes, and `expected` = `cached` − `excess` + `missing`.
 */
export interface LostTokens extends Readonly<Record<LossCause, number>> {
  /** Ok requests whose cached tokens are known: the ones that are counted. */
  readonly requests: number;
  /** Ok requests that did not say how much was cached: left out of everything here. */
  readonly unknown: number;
  /** A whole-block hit of the prefix on every counted request. */
  readonly expected: number;
  /** Σ cached_tokens. */
  readonly cached: number;
  /** Cached beyond the prefix's whole blocks: more than the trial can explain; above 0 the cache was warm. */
  readonly excess: number;
  readonly missing: number;
}

export const NOTHING_LOST: LostTokens = {
  requests: 0,
  unknown: 0,
  expected: 0,
  cached: 0,
  excess: 0,
  missing: 0,
  firstTouch: 0,
  eviction: 0,
  inFlight: 0,
  placement: 0,
  notFirstTouch: 0,
};

/**
 * Splits the missing cached tokens of one trial. `records` are all its records, of every phase, in any order.
 *
 * How the awkward ones are read:
 * - Only ok requests whose cached tokens are known and possible are counted; absent counts as 0 only where a probe showed so.
 * - An earlier request is one that was sent earlier (a tie goes to the plan's order) and got a token, whatever became of
 *   it then: a request that broke before its first token is taken to have left nothing in any cache.
 * - Primers come before every measured request, so a primed trial has no first touch unless a primer failed.
 * - A chat template before the prefix makes the prefix's whole blocks longer; blocks of a template that every prompt
 *   shares are cached tokens like others, so a first touch loses only what is beyond them.
 * - Without the worker of the request, or of an earlier one that may have been on it, eviction, in flight and placement
 *   look the same: `notFirstTouch`.
 */
export function splitLostTokens(records: readonly FactRecord[], rules: CacheRules): LostTokens {
  const counts = readCacheCounts(
    records.filter((record) => record.phase === 'measure'),
    rules,
  );
  const wholeBlocks =
    Math.floor((rules.prefixTokens + counts.templateTokens) / rules.blockSize) * rules.blockSize;
  const histories = new Map<number, History>();
  const lost: { -readonly [K in keyof LostTokens]: number } = { ...NOTHING_LOST };

  for (const record of inSendingOrder(records)) {
    if (record.prefix === null) continue;
    const history = histories.get(record.prefix) ?? createHistory();
    histories.set(record.prefix, history);
    if (record.phase === 'measure' && record.outcome === 'ok') {
      const cached = counts.cachedOf(record);
      if (cached === null) lost.unknown += 1;
      else {
        const expected = Math.min(wholeBlocks, record.prompt_tokens ?? wholeBlocks);
        const missing = Math.max(0, expected - cached);
        lost.requests += 1;
        lost.expected += expected;
        lost.cached += cached;
        lost.excess += Math.max(0, cached - expected);
        lost.missing += missing;
        lost[causeOf(record, history)] += missing;
      }
    }
    remember(history, record);
  }
  return lost;
}

/** The split of several trials together. */
export function addLostTokens(trials: readonly LostTokens[]): LostTokens {
  const keys = Object.keys(NOTHING_LOST) as (keyof LostTokens)[];
  return Object.fromEntries(
    keys.map((key) => [key, trials.reduce((sum, trial) => sum + trial[key], 0)]),
  ) as unknown as LostTokens;
}

/** What was sent of one prefix so far. Times are whole µs from the trial's start, so that sums compare exactly. */
interface History {
  /** Earlier requests that got a token. */
  earlier: number;
  /** Earliest first token of any of them, and of those on each worker; null holds those whose worker is not known. */
  firstTokenUs: number;
  readonly firstTokenUsOn: Map<string | null, number>;
}

function createHistory(): History {
  return { earlier: 0, firstTokenUs: Number.POSITIVE_INFINITY, firstTokenUsOn: new Map() };
}

function causeOf(record: FactRecord, history: History): LossCause {
  if (history.earlier === 0) return 'firstTouch';
  if (record.worker === null) return 'notFirstTouch';
  const sentUs = toUs(record.sent_ms ?? 0);
  const onWorkerUs = history.firstTokenUsOn.get(record.worker);
  if (onWorkerUs !== undefined && onWorkerUs <= sentUs) return 'eviction';
  if (history.firstTokenUsOn.has(null)) return 'notFirstTouch';
  if (onWorkerUs !== undefined || history.firstTokenUs > sentUs) return 'inFlight';
  return 'placement';
}

function remember(history: History, record: FactRecord): void {
  if (record.sent_ms === null || record.ttft_ms === null) return;
  // Primers end before the trial starts, on a clock of their own.
  const atUs =
    record.phase === 'prime' ? Number.NEGATIVE_INFINITY : toUs(record.sent_ms) + toUs(record.ttft_ms);
  history.earlier += 1;
  history.firstTokenUs = Math.min(history.firstTokenUs, atUs);
  const known = history.firstTokenUsOn.get(record.worker) ?? Number.POSITIVE_INFINITY;
  history.firstTokenUsOn.set(record.worker, Math.min(known, atUs));
}

function inSendingOrder(records: readonly FactRecord[]): FactRecord[] {
  const primed = records.filter((record) => record.phase === 'prime');
  const measured = records
    .filter((record) => record.phase === 'measure' && record.sent_ms !== null)
    .sort((a, b) => (a.sent_ms ?? 0) - (b.sent_ms ?? 0) || a.seq - b.seq);
  return [...primed, ...measured];
}

function toUs(ms: number): number {
  return Math.round(ms * 1000);
}
