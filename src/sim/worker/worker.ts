import type { ModelClock } from '../clock/virtual-clock.js';
import type { SimParams } from '../params/sim-params.js';
import type { Device } from './device.js';
import type { KvCache, Lease, ResidencyChange, Segment } from './kv-cache.js';
import { type StepTiming, stepWorkMs } from './timing.js';

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

export type WorkerSettings = StepTiming &
  Pick<SimParams, 'blockSize' | 'maxNumSeqs' | 'maxNumBatchedTokens' | 'asyncScheduling'>;

export interface WorkerStats {
  readonly running: number;
  readonly waiting: number;
  readonly kvUsage: number;
  readonly preemptions: number;
  /** Prompt tokens looked up in the cache, each request once. */
  readonly queriedTokens: number;
  /** Those of them that were found. */
  readonly hitTokens: number;
  /** Prompt tokens of requests that got their first token, cached ones included. */
  readonly promptTokens: number;
  readonly outputTokens: number;
}

/** One engine: a prefix cache and a continuous batch. */
export interface Worker {
  /** Queues a request. Refused (false) when it could never fit. The answer's `cancel` frees its slot and blocks. */
  add(request: WorkerRequest): { readonly cancel: () => void } | null;
  stats(): WorkerStats;
  /** Forgets the cache; false, and nothing done, while requests hold blocks. */
  resetCache(): boolean;
}

interface Sequence {
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

/**
 * An engine after vLLM V1 (vllm/v1/core/sched/scheduler.py): every step gives running requests their next token or
 * their next chunk of prompt, then admits waiting ones in order of arrival while the token budget, `maxNumSeqs` and the
 * free blocks last. A request that can't get a block makes the last admitted one start over (preemption). Blocks are
 * visible to others as soon as they are scheduled. `changed` gets what entered and left the cache when a step's output
 * is processed: its own, or with asynchronous scheduling the output of the step right before it, which is when it begins.
 */
export function createWorker(
  clock: ModelClock,
  device: Device,
  cache: KvCache,
  settings: WorkerSettings,
  changed: (changes: readonly ResidencyChange[]) => void,
): Worker {
  const { blockSize } = settings;
  let running: Sequence[] = [];
  let waiting: Sequence[] = [];
  /** What the running step computes. */
  const scheduled: Sequence[] = [];
  let stepping = false;
  let preemptions = 0;
  let queriedTokens = 0;
  let hitTokens = 0;
  let promptTokens = 0;
  let outputTokens = 0;

  function tokensOf(sequence: Sequence): number {
    return sequence.request.promptTokens + sequence.produced;
  }

  function wake(): void {
    if (stepping) return;
    stepping = true;
    // Not at once: requests that arrive in the same instant share the first step.
    clock.at(clock.now(), stepAfterIdle);
  }

  function stepAfterIdle(): void {
    step(false);
  }

  function step(rightAfterAnother: boolean): void {
    scheduled.length = 0;
    const left = scheduleRunning(settings.maxNumBatchedTokens);
    if (left !== null && waiting.length > 0) scheduleWaiting(left);
    if (scheduled.length === 0) {
      stepping = false;
      return;
    }
    let prefillTokens = 0;
    let decodeRequests = 0;
    for (const sequence of scheduled) {
      if (sequence.stepTokens === 1 && sequence.produced > 0) decodeRequests++;
      else prefillTokens += sequence.stepTokens;
    }
    if (settings.asyncScheduling && rightAfterAnother) announce();
    device.run(stepWorkMs(settings, prefillTokens, decodeRequests, cache.usage()), finishStep);
  }

  /** Budget left for waiting requests; null when someone was preempted, since then none may enter. */
  function scheduleRunning(budget: number): number | null {
    let left = budget;
    let preempted = false;
    for (let i = 0; i < running.length && left > 0; i++) {
      const sequence = running[i] as Sequence;
      const tokens = Math.min(tokensOf(sequence) - sequence.computed, left);
      const blocks = blocksFor(sequence, tokens);
      while (cache.freeBlocks() < blocks && running.length > i) {
        preempt();
        preempted = true;
      }
      if (running.length <= i) break;
      take(sequence, tokens, blocks);
      scheduled.push(sequence);
      left -= tokens;
    }
    return preempted ? null : left;
  }

  function scheduleWaiting(budget: number): void {
    let left = budget;
    let admitted = 0;
    while (admitted < waiting.length && left > 0 && running.length < settings.maxNumSeqs) {
      const sequence = waiting[admitted] as Sequence;
      const total = tokensOf(sequence);
      const { segments } = sequence.request;
      if (sequence.request.computedElsewhere === true && sequence.produced === 0) {
        const blocks = Math.ceil(total / blockSize);
        if (cache.freeBlocks() < blocks) break;
        sequence.computed = total - 1;
        cache.allocate(sequence.lease, blocks);
        admit(sequence, 1, 0);
        left--;
        admitted++;
        continue;
      }
      // The last token must be computed to get the next one, so a whole-prompt hit is one block short.
      const hits = cache.match(segments, Math.floor((total - 1) / blockSize));
      const tokens = Math.min(total - hits * blockSize, left);
      const fresh = Math.ceil((hits * blockSize + tokens) / blockSize) - hits;
      // The whole prompt must fit, not only its first chunk: else half-done prompts would block one another.
      if (!cache.fits(segments, hits, Math.ceil(total / blockSize) - hits)) break;
      sequence.lease = cache.hold(segments, hits);
      sequence.computed = hits * blockSize;
      take(sequence, tokens, fresh);
      admit(sequence, tokens, hits * blockSize);
      left -= tokens;
      admitted++;
    }
    waiting.splice(0, admitted);
  }

  function admit(sequence: Sequence, tokens: number, cachedTokens: number): void {
    sequence.stepTokens = tokens;
    running.push(sequence);
    scheduled.push(sequence);
    if (sequence.reported) return;
    sequence.reported = true;
    // Once for each request, as its answer says: what a preempted one looks up again is left out, as in vLLM.
    if (sequence.request.computedElsewhere !== true) {
      queriedTokens += sequence.request.promptTokens;
      hitTokens += cachedTokens;
    }
    sequence.request.on.scheduled(cachedTokens);
  }

  function blocksFor(sequence: Sequence, tokens: number): number {
    return Math.ceil((sequence.computed + tokens) / blockSize) - sequence.lease.length;
  }

  function take(sequence: Sequence, tokens: number, blocks: number): void {
    if (blocks > 0) cache.allocate(sequence.lease, blocks);
    const before = Math.floor(sequence.computed / blockSize);
    const after = Math.floor((sequence.computed + tokens) / blockSize);
    if (sequence.computed < sequence.request.promptTokens && after > before) {
      cache.publish(sequence.request.segments, sequence.lease, before, after);
    }
    sequence.stepTokens = tokens;
  }

  function release(sequence: Sequence): void {
    cache.release(sequence.lease, Math.floor(sequence.computed / blockSize));
  }

  function preempt(): void {
    const last = running.pop();
    if (last === undefined) return;
    release(last);
    last.computed = 0;
    last.stepTokens = 0;
    waiting.unshift(last);
    preemptions++;
  }

  function finishStep(): void {
    let finished = false;
    for (const sequence of scheduled) {
      if (sequence.cancelled) continue;
      sequence.computed += sequence.stepTokens;
      sequence.stepTokens = 0;
      if (sequence.computed < tokensOf(sequence)) continue;
      if (sequence.produced === 0) promptTokens += sequence.request.promptTokens;
      sequence.produced++;
      outputTokens++;
      const last = sequence.produced >= sequence.request.outputTokens;
      if (last) {
        finished = true;
        release(sequence);
      }
      sequence.request.on.token(last);
    }
    if (finished) running = running.filter(isUnfinished);
    announce();
    step(true);
  }

  function announce(): void {
    const changes = cache.takeChanges();
    if (changes.length > 0) changed(changes);
  }

  function cancel(sequence: Sequence): void {
    if (sequence.cancelled) return;
    sequence.cancelled = true;
    running = running.filter((other) => other !== sequence);
    waiting = waiting.filter((other) => other !== sequence);
    release(sequence);
  }

  return {
    add(request) {
      if (Math.ceil((request.promptTokens + request.outputTokens) / blockSize) > cache.capacityBlocks)
        return null;
      const sequence: Sequence = {
        request,
        lease: [],
        computed: 0,
        produced: 0,
        stepTokens: 0,
        reported: false,
        cancelled: false,
      };
      waiting.push(sequence);
      wake();
      return { cancel: () => cancel(sequence) };
    },
    stats: () => ({
      running: running.length,
      waiting: waiting.length,
      kvUsage: cache.usage(),
      preemptions,
      queriedTokens,
      hitTokens,
      promptTokens,
      outputTokens,
    }),
    resetCache() {
      if (!cache.reset()) return false;
      changed(cache.takeChanges());
      return true;
    },
  };
}

function isUnfinished(sequence: Sequence): boolean {
  return sequence.produced < sequence.request.outputTokens;
}
