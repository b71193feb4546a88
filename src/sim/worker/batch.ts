import type { SimParams } from '../params/sim-params.js';
import type { KvCache, Lease, Segment } from './kv-cache.js';

/** A request as a worker gets it. */
export interface WorkerRequest {
  /** Full blocks of the prompt. */
  readonly segments: readonly Segment[];
  readonly promptTokens: number;
  /** Tokens to produce, at least 1. */
  readonly outputTokens: number;
  /** The prompt's KV came with it, computed elsewhere: blocks for all of it, work for its last token only. */
  readonly computedElsewhere?: boolean;
  readonly on: WorkerObserver;
}

/** What a worker says of one request, as it happens. */
export interface WorkerObserver {
  /** The prompt was first scheduled: `cachedTokens` of it were resident. */
  scheduled(cachedTokens: number): void;
  /** One output token; `last` when it is the last one. */
  token(last: boolean): void;
}

/** A request in a worker, and how far it has got. */
export interface Sequence {
  readonly request: WorkerRequest;
  lease: Lease;
  /** Tokens whose KV is computed, or will be at the end of the running step. */
  computed: number;
  produced: number;
  /** Tokens this step computes. */
  stepTokens: number;
  reported: boolean;
  cancelled: boolean;
}

/** The requests of one engine, and what the running step computes of them. */
export interface Batch {
  readonly cache: KvCache;
  readonly settings: Pick<SimParams, 'blockSize' | 'maxNumSeqs' | 'maxNumBatchedTokens'>;
  running: Sequence[];
  waiting: Sequence[];
  /** What the running step computes. */
  readonly scheduled: Sequence[];
  preemptions: number;
  /** Prompt tokens looked up in the cache, each request once. */
  queriedTokens: number;
  /** Those of them that were found. */
  hitTokens: number;
}

/** An empty batch over `cache`. */
export function createBatch(cache: KvCache, settings: Batch['settings']): Batch {
  return {
    cache,
    settings,
    running: [],
    waiting: [],
    scheduled: [],
    preemptions: 0,
    queriedTokens: 0,
    hitTokens: 0,
  };
}

/** Queues a request. */
export function enqueue(batch: Batch, request: WorkerRequest): Sequence {
  const sequence: Sequence = {
    request,
    lease: [],
    computed: 0,
    produced: 0,
    stepTokens: 0,
    reported: false,
    cancelled: false,
  };
  batch.waiting.push(sequence);
  return sequence;
}

/** Fills `scheduled` with what the next step computes, after vLLM V1's scheduler: see `createWorker`. */
export function schedule(batch: Batch): void {
  batch.scheduled.length = 0;
  const left = scheduleRunning(batch, batch.settings.maxNumBatchedTokens);
  if (left !== null && batch.waiting.length > 0) scheduleWaiting(batch, left);
}

/** Frees the blocks of a request. */
export function release({ cache, settings }: Batch, sequence: Sequence): void {
  // What the running step computes is published already: freed as unfilled it would leave the cache prefix first.
  const filledTokens = sequence.computed + sequence.stepTokens;
  cache.release(sequence.lease, Math.floor(filledTokens / settings.blockSize));
}

/** Takes a request out, wherever it is, and frees its blocks. */
export function cancel(batch: Batch, sequence: Sequence): void {
  if (sequence.cancelled) return;
  sequence.cancelled = true;
  batch.running = batch.running.filter((other) => other !== sequence);
  batch.waiting = batch.waiting.filter((other) => other !== sequence);
  release(batch, sequence);
}

/** Tokens of the prompt and of the answer so far. */
export function tokensOf(sequence: Sequence): number {
  return sequence.request.promptTokens + sequence.produced;
}

/** Budget left for waiting requests; null when someone was preempted, since then none may enter. */
function scheduleRunning(batch: Batch, budget: number): number | null {
  const { cache, running, scheduled, settings } = batch;
  let left = budget;
  let preempted = false;
  for (let i = 0; i < running.length && left > 0; i++) {
    const sequence = running[i] as Sequence;
    const tokens = Math.min(tokensOf(sequence) - sequence.computed, left);
    const blocks = Math.ceil((sequence.computed + tokens) / settings.blockSize) - sequence.lease.length;
    while (cache.freeBlocks() < blocks && running.length > i) {
      preemptLast(batch);
      preempted = true;
    }
    if (running.length <= i) break;
    take(batch, sequence, tokens, blocks);
    scheduled.push(sequence);
    left -= tokens;
  }
  return preempted ? null : left;
}

function scheduleWaiting(batch: Batch, budget: number): void {
  const { running, waiting, settings } = batch;
  let left = budget;
  let admitted = 0;
  while (admitted < waiting.length && left > 0 && running.length < settings.maxNumSeqs) {
    const sequence = waiting[admitted] as Sequence;
    const arrived = sequence.request.computedElsewhere === true && sequence.produced === 0;
    const tokens = arrived ? admitComputed(batch, sequence) : admitPrompt(batch, sequence, left);
    if (tokens === null) break;
    left -= tokens;
    admitted++;
  }
  waiting.splice(0, admitted);
}

/** Admits a request whose KV came with it. Gives the tokens the step computes of it; null when it does not fit now. */
function admitComputed(batch: Batch, sequence: Sequence): number | null {
  const { cache, settings } = batch;
  const total = tokensOf(sequence);
  const blocks = Math.ceil(total / settings.blockSize);
  if (cache.freeBlocks() < blocks) return null;
  sequence.computed = total - 1;
  cache.allocate(sequence.lease, blocks);
  sequence.stepTokens = 1;
  admit(batch, sequence, 0);
  return 1;
}

/** The same for a request whose prompt is to be computed here, but for what is cached. */
function admitPrompt(batch: Batch, sequence: Sequence, left: number): number | null {
  const { cache, settings } = batch;
  const { blockSize } = settings;
  const { segments } = sequence.request;
  const total = tokensOf(sequence);
  // The last token must be computed to get the next one, so a whole-prompt hit is one block short.
  const hits = cache.match(segments, Math.floor((total - 1) / blockSize));
  const tokens = Math.min(total - hits * blockSize, left);
  const fresh = Math.ceil((hits * blockSize + tokens) / blockSize) - hits;
  // The whole prompt must fit, not only its first chunk: else half-done prompts would block one another.
  if (!cache.fits(segments, hits, Math.ceil(total / blockSize) - hits)) return null;
  sequence.lease = cache.hold(segments, hits);
  sequence.computed = hits * blockSize;
  take(batch, sequence, tokens, fresh);
  admit(batch, sequence, hits * blockSize);
  return tokens;
}

function admit(batch: Batch, sequence: Sequence, cachedTokens: number): void {
  batch.running.push(sequence);
  batch.scheduled.push(sequence);
  if (sequence.reported) return;
  sequence.reported = true;
  // Once for each request, as its answer says: what a preempted one looks up again is left out, as in vLLM.
  if (sequence.request.computedElsewhere !== true) {
    batch.queriedTokens += sequence.request.promptTokens;
    batch.hitTokens += cachedTokens;
  }
  sequence.request.on.scheduled(cachedTokens);
}

function take({ cache, settings }: Batch, sequence: Sequence, tokens: number, blocks: number): void {
  if (blocks > 0) cache.allocate(sequence.lease, blocks);
  const before = Math.floor(sequence.computed / settings.blockSize);
  const after = Math.floor((sequence.computed + tokens) / settings.blockSize);
  if (sequence.computed < sequence.request.promptTokens && after > before) {
    cache.publish(sequence.request.segments, sequence.lease, before, after);
  }
  sequence.stepTokens = tokens;
}

function preemptLast(batch: Batch): void {
  const last = batch.running.pop();
  if (last === undefined) return;
  release(batch, last);
  last.computed = 0;
  last.stepTokens = 0;
  batch.waiting.unshift(last);
  batch.preemptions++;
}
