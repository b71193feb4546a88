import type { ChunkFacts } from './answer-chunk.js';
import { NO_WORKERS, type ReadExtras, type Workers } from './dialect.js';
import type { RequestRecord, ServerTimes } from './request-record.js';

/** What a whole answer said of itself, its chunks taken together. */
export interface AnswerFacts {
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
  readonly workers: Workers;
  readonly finishReason: string | null;
  readonly requestId: string | null;
  readonly server: ServerTimes | null;
  /** The dialect that named workers or times. */
  readonly dialect: string | null;
  /** As {@link Extras.workerSource}. */
  readonly workerSource: string | null;
}

/** An answer that said nothing yet. */
export const EMPTY_ANSWER: AnswerFacts = {
  promptTokens: null,
  cachedTokens: null,
  outputTokens: null,
  workers: NO_WORKERS,
  finishReason: null,
  requestId: null,
  server: null,
  dialect: null,
  workerSource: null,
};

/**
 * Adds what one more chunk says. The first id, finish reason and workers stand (the prefix was looked up where the
 * request went first); counts and server times are the last said, for some servers report them as they grow.
 */
export function addChunkFacts(facts: AnswerFacts, chunk: ChunkFacts): AnswerFacts {
  // Key for key: spreading one object into another costs more than all of it.
  return {
    promptTokens: chunk.usage?.promptTokens ?? facts.promptTokens,
    cachedTokens: chunk.usage?.cachedTokens ?? facts.cachedTokens,
    outputTokens: chunk.usage?.outputTokens ?? facts.outputTokens,
    finishReason: facts.finishReason ?? chunk.finishReason,
    requestId: facts.requestId ?? chunk.id,
    server: chunk.server ?? facts.server,
    workers: mergeWorkers(facts.workers, chunk.workers),
    workerSource: facts.workerSource ?? chunk.workerSource,
    dialect: facts.dialect ?? chunk.dialect,
  };
}

/** Adds only what a chunk says of workers: it is no part of the answer. */
export function addWorkers(facts: AnswerFacts, chunk: ReadExtras): AnswerFacts {
  return {
    ...facts,
    workers: mergeWorkers(facts.workers, chunk.workers),
    workerSource: facts.workerSource ?? chunk.workerSource,
    dialect: facts.dialect ?? chunk.dialect,
  };
}

/** The record's worker keys. `worker` is where the prefix's KV lives: prefill, else decode, with a rank other than 0. */
export function workerKeys(
  workers: Workers,
): Pick<RequestRecord, 'prefill_worker' | 'decode_worker' | 'worker'> {
  const prefill = workerOf(workers.prefillId, workers.prefillRank);
  return {
    prefill_worker: workers.prefillId,
    decode_worker: workers.decodeId,
    worker: prefill ?? workerOf(workers.decodeId, workers.decodeRank),
  };
}

function mergeWorkers(first: Workers, then: Workers | null): Workers {
  if (then === null || (first.prefillId !== null && first.decodeId !== null)) return first;
  return {
    prefillId: first.prefillId ?? then.prefillId,
    prefillRank: first.prefillId === null ? then.prefillRank : first.prefillRank,
    decodeId: first.decodeId ?? then.decodeId,
    decodeRank: first.decodeId === null ? then.decodeRank : first.decodeRank,
  };
}

function workerOf(id: string | null, rank: string | null): string | null {
  if (id === null || rank === null || rank === '0') return id;
  return `${id}:${rank}`;
}
