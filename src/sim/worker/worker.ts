import type { ModelClock } from '../clock/virtual-clock.js';
import type { SimParams } from '../params/sim-params.js';
import {
  type Batch,
  cancel,
  createBatch,
  enqueue,
  release,
  type Sequence,
  schedule,
  tokensOf,
  type WorkerRequest,
} from './batch.js';
import type { Device } from './device.js';
import type { KvCache, ResidencyChange } from './kv-cache.js';
import { type StepTiming, stepWorkMs } from './timing.js';

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
  const batch = createBatch(cache, settings);
  let stepping = false;
  let promptTokens = 0;
  let outputTokens = 0;

  function wake(): void {
    if (stepping) return;
    stepping = true;
    // Not at once: requests that arrive in the same instant share the first step.
    clock.at(clock.now(), () => step(false));
  }

  function step(rightAfterAnother: boolean): void {
    schedule(batch);
    if (batch.scheduled.length === 0) {
      stepping = false;
      return;
    }
    let prefillTokens = 0;
    let decodeRequests = 0;
    for (const sequence of batch.scheduled) {
      if (sequence.stepTokens === 1 && sequence.produced > 0) decodeRequests++;
      else prefillTokens += sequence.stepTokens;
    }
    if (settings.asyncScheduling && rightAfterAnother) announce();
    device.run(stepWorkMs(settings, prefillTokens, decodeRequests, cache.usage()), finishStep);
  }

  function finishStep(): void {
    let finished = false;
    for (const sequence of batch.scheduled) {
      if (sequence.cancelled) continue;
      sequence.computed += sequence.stepTokens;
      sequence.stepTokens = 0;
      if (sequence.computed < tokensOf(sequence)) continue;
      if (sequence.produced === 0) promptTokens += sequence.request.promptTokens;
      sequence.produced++;
      outputTokens++;
      const last = isFinished(sequence);
      if (last) {
        finished = true;
        release(batch, sequence);
      }
      sequence.request.on.token(last);
    }
    if (finished) batch.running = batch.running.filter((sequence) => !isFinished(sequence));
    announce();
    step(true);
  }

  function announce(): void {
    const changes = cache.takeChanges();
    if (changes.length > 0) changed(changes);
  }

  return {
    add(request) {
      const blocks = Math.ceil((request.promptTokens + request.outputTokens) / settings.blockSize);
      if (blocks > cache.capacityBlocks) return null;
      const sequence = enqueue(batch, request);
      wake();
      return { cancel: () => cancel(batch, sequence) };
    },
    stats: () => statsOf(batch, promptTokens, outputTokens),
    resetCache() {
      if (!cache.reset()) return false;
      changed(cache.takeChanges());
      return true;
    },
  };
}

function statsOf(batch: Batch, promptTokens: number, outputTokens: number): WorkerStats {
  return {
    running: batch.running.length,
    waiting: batch.waiting.length,
    kvUsage: batch.cache.usage(),
    preemptions: batch.preemptions,
    queriedTokens: batch.queriedTokens,
    hitTokens: batch.hitTokens,
    promptTokens,
    outputTokens,
  };
}

function isFinished(sequence: Sequence): boolean {
  return sequence.produced >= sequence.request.outputTokens;
}
