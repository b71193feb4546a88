import type { FactRecord } from '../../answer/request-record.js';
import type { TrialFacts } from '../trial-facts.js';
import type { TrialServers } from './server-counts.js';
import {
  boundWorkersPerPrefix,
  type CacheWitness,
  type ServerShare,
  sharesOf,
  witnessOf,
} from './server-witness.js';

/** What the servers of a trial counted, beside what its answers say. */
export interface ServerSummary {
  /** Null when a part of the servers did not tell. */
  readonly witness: CacheWitness | null;
  /** By server; empty where no requests were counted. */
  readonly shares: readonly ServerShare[];
  /** Bounds of workers_per_prefix from the shares alone; null when they hold for other requests than the trial's. */
  readonly workersPerPrefix: { readonly least: number; readonly most: number } | null;
  /** Null where no server tells. */
  readonly preemptions: number | null;
  readonly waitingMax: number | null;
  /** Of the fullest cache, 0 to 1. */
  readonly kvUsageMax: number | null;
}

/** Folds what servers counted over one trial; `facts` are its records' (primers began nothing that bounds need). */
export function summarizeServers(
  trial: TrialServers,
  facts: TrialFacts<FactRecord>,
  start: 'cold' | 'primed',
): ServerSummary {
  const shares = sharesOf(trial);
  const most = (key: 'waiting_max' | 'kv_usage_max') => {
    const told = trial.servers.flatMap((server) => server[key] ?? []);
    return told.length === 0 ? null : Math.max(...told);
  };
  const preemptions = trial.servers.flatMap((server) => server.preemptions ?? []);
  return {
    witness: witnessOf(trial),
    shares,
    workersPerPrefix: boundWorkersPerPrefix(
      shares.map(({ requests }) => requests ?? 0),
      countPrefixes(facts, start),
    ),
    preemptions: preemptions.length === 0 ? null : preemptions.reduce((a, b) => a + b, 0),
    waitingMax: most('waiting_max'),
    kvUsageMax: most('kv_usage_max'),
  };
}

function countPrefixes(facts: TrialFacts<FactRecord>, start: 'cold' | 'primed') {
  const hits = new Map(facts.reported.map(({ record, hit }) => [record, hit]));
  const prefixes = new Map<number, { requests: number; misses: number | null }>();
  for (const record of facts.ok) {
    if (record.prefix === null) continue;
    // The primer was a miss of its own, on a worker that may not be among those that missed later.
    const one = prefixes.get(record.prefix) ?? { requests: 0, misses: start === 'primed' ? 1 : 0 };
    const hit = hits.get(record);
    prefixes.set(record.prefix, {
      requests: one.requests + 1,
      misses: hit === undefined || one.misses === null ? null : one.misses + (hit ? 0 : 1),
    });
  }
  return [...prefixes.values()];
}
