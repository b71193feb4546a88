import type { ModelClock } from './clock/virtual-clock.js';
import type { ClusterObserver } from './cluster.js';

/** What a server can say of an answered request. Times in ms. */
export interface RequestOutcome {
  /** Where the prompt was computed. */
  readonly worker: number;
  /** Where the tokens were generated; null when that was the same worker. */
  readonly decodeWorker: number | null;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** In the worker's queue. */
  readonly waitMs: number;
  readonly prefillMs: number;
  /** Time the KV took from the prefill to the decode worker; null when it stayed. */
  readonly transferMs: number | null;
  readonly ttftMs: number;
  readonly totalMs: number;
  /** Share of the prompt the router expected to be cached; null when it had no expectation. */
  readonly expectedHitRate: number | null;
}

/** Follows one request through the cluster. */
export interface RequestTrace extends Required<Omit<ClusterObserver, 'refused' | 'token'>> {
  /** Notes an output token, and gives how many came before it. */
  token(): number;
  /** What became of the request, read at its last token. */
  outcome(): RequestOutcome;
}

/** A trace of a request of `promptTokens` that arrived at `sentMs`. */
export function createRequestTrace(
  clock: ModelClock,
  sentMs: number,
  promptTokens: number,
  blockSize: number,
): RequestTrace {
  let worker = 0;
  let decodeWorker: number | null = null;
  let transferMs: number | null = null;
  let expectedHitRate: number | null = null;
  let cachedTokens = 0;
  let outputTokens = 0;
  let routedMs = sentMs;
  let scheduledMs = sentMs;
  let computedMs: number | null = null;
  let firstMs = sentMs;
  return {
    routed(chosen, overlapBlocks) {
      worker = chosen;
      expectedHitRate = overlapBlocks === null ? null : (overlapBlocks * blockSize) / promptTokens;
      routedMs = clock.now();
    },
    scheduled(cached) {
      cachedTokens = cached;
      scheduledMs = clock.now();
    },
    handedOver(chosen, movedMs) {
      decodeWorker = chosen;
      transferMs = movedMs;
      computedMs = clock.now();
    },
    token() {
      if (outputTokens === 0) firstMs = clock.now();
      return outputTokens++;
    },
    outcome: () => ({
      worker,
      decodeWorker,
      promptTokens,
      cachedTokens,
      outputTokens,
      waitMs: scheduledMs - routedMs,
      prefillMs: (computedMs ?? firstMs) - scheduledMs,
      transferMs,
      ttftMs: firstMs - sentMs,
      totalMs: clock.now() - sentMs,
      expectedHitRate,
    }),
  };
}

/** The id a simulated worker goes by. */
export function workerName(worker: number): string {
  return `w${worker}`;
}
