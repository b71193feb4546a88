import type { ServerCounts, TrialServers } from './server-counts.js';

/** The servers' cached tokens of one trial beside the client's. */
export interface CacheWitness {
  /** Who counted: engines, or a router where no engine's page was read. */
  readonly by: 'engine' | 'router';
  readonly cachedTokens: number;
  /** Null where they do not count prompts. */
  readonly promptTokens: number | null;
  /** Null where they do not count requests. */
  readonly requests: number | null;
}

/**
 * What all servers of a trial counted together: its engines, when each of them counts cached tokens; else its routers.
 * Null when neither does, when one started anew, or when a page could not be read: a part is no witness of the whole.
 */
export function witnessOf(trial: TrialServers): CacheWitness | null {
  if (trial.unread.length > 0) return null;
  for (const by of ['engine', 'router'] as const) {
    const servers = trial.servers.filter(({ role }) => role === by);
    const cachedTokens = sumOf(servers, 'cached_tokens');
    if (cachedTokens === null) continue;
    return {
      ...{ by, cachedTokens },
      promptTokens: sumOf(servers, 'prompt_tokens'),
      requests: sumOf(servers, 'requests'),
    };
  }
  return null;
}

/** One server's part of a trial. */
export interface ServerShare {
  readonly server: string;
  readonly worker: string | null;
  readonly requests: number | null;
  /** Of all servers' requests, 0 to 1. */
  readonly requestShare: number | null;
  readonly cachedTokens: number | null;
  /** Cached tokens / prompt tokens of this server. */
  readonly hitRatio: number | null;
}

/** Exact shares of a trial by server: of its engines, or of the workers that a router counts where no engine was read. */
export function sharesOf({ servers }: TrialServers): readonly ServerShare[] {
  const engines = servers.filter(({ role, requests }) => role === 'engine' && requests !== null);
  if (engines.length > 0) {
    const all = sumOf(engines, 'requests');
    return engines.map(({ server, worker, requests, cached_tokens, prompt_tokens }) => ({
      ...{ server, worker, requests, cachedTokens: cached_tokens },
      requestShare: ratio(requests, all),
      hitRatio: ratio(cached_tokens, prompt_tokens),
    }));
  }
  const counted = Object.entries(servers.find((server) => server.worker_requests)?.worker_requests ?? {});
  const all = counted.reduce((sum, [, requests]) => sum + requests, 0);
  return counted.map(([server, requests]) => ({
    ...{ server, worker: null, requests, cachedTokens: null, hitRatio: null },
    requestShare: ratio(requests, all),
  }));
}

/** Sent and missed requests of one prefix. */
export interface PrefixCounts {
  readonly requests: number;
  /** Of them, those with no cached tokens; null where answers do not say. */
  readonly misses: number | null;
}

/**
 * Between which numbers the mean of workers per prefix lies when only each worker's requests are known; null for none.
 * A worker that took r requests served at least so many prefixes as hold r requests, largest first; at most r, or all.
 * A prefix was on no more workers than it had requests, or, in caches that began cold, misses.
 */
export function boundWorkersPerPrefix(
  workers: readonly number[],
  prefixes: readonly PrefixCounts[],
): { readonly least: number; readonly most: number } | null {
  const sent = prefixes.filter(({ requests }) => requests > 0);
  const busy = workers.filter((requests) => requests > 0);
  const total = sum(sent.map(({ requests }) => requests));
  if (sent.length === 0 || busy.length === 0 || sum(busy) !== total) return null;
  const largest = sent.map(({ requests }) => requests).sort((a, b) => b - a);
  const atLeast = sum(busy.map((requests) => fewestFor(requests, largest)));
  const byWorker = sum(busy.map((requests) => Math.min(requests, sent.length)));
  const byPrefix = sum(
    sent.map(({ requests, misses }) => Math.min(requests, busy.length, Math.max(1, misses ?? requests))),
  );
  const most = Math.min(byWorker, byPrefix);
  const least = Math.max(atLeast, sent.length);
  return least > most ? null : { least: least / sent.length, most: most / sent.length };
}

/** How many of the largest it takes to hold `requests`. */
function fewestFor(requests: number, largest: readonly number[]): number {
  let [held, count] = [0, 0];
  while (held < requests && count < largest.length) held += largest[count++] ?? 0;
  return count;
}

function sum(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0);
}

function sumOf(
  servers: readonly ServerCounts[],
  key: 'requests' | 'cached_tokens' | 'prompt_tokens',
): number | null {
  const values = servers.map((server) => server[key]);
  const known = values.filter((value) => value !== null);
  return known.length === 0 || known.length < values.length ? null : sum(known);
}

function ratio(part: number | null, whole: number | null): number | null {
  return part === null || whole === null || whole === 0 ? null : part / whole;
}
