import { Worker } from 'node:worker_threads';
import { createTimeHistogram } from '../core/base/time-histogram.js';
import type { Clock, EndedRequest, PhaseEnd, SendingThreads, StopSignal } from '../engine/ports.js';
import {
  type LoadThreadData,
  type LoadThreadReply,
  type LoadThreadTask,
  NEXT,
  STOPPING,
} from './load-thread-messages.js';
import { clockOrigin } from './real-clock.js';

export interface LoadThreadsOptions extends Omit<LoadThreadData, 'clockOriginMs' | 'shared'> {
  readonly threads: number;
  /** The module that a thread runs. */
  readonly entry: URL;
  readonly clock: Clock;
  readonly stop: StopSignal;
}

/** How soon threads hear that the run is being stopped. */
const STOP_CHECK_MS = 20;
const NO_END: PhaseEnd = { readings: [], gaps: { buckets: new Float64Array(0), maxUs: 0 } };

/**
 * Threads that send one load together, each with its own event loop and connections. The slots of a closed load are
 * divided among them, C in total. Every thread claims the next request from one counter, so requests leave in the order of
 * the plan. Records come in batches, their times on the clock of this thread.
 */
export function createLoadThreads(options: LoadThreadsOptions): SendingThreads {
  const { threads, entry, clock, stop, ...rest } = options;
  const shared = new Int32Array(new SharedArrayBuffer(8));
  const members = Array.from({ length: threads }, () =>
    createMember(entry, { ...rest, clockOriginMs: clockOrigin(), shared }),
  );

  /** Passes a stop on to the threads while `work` lasts. */
  async function heedingStop<T>(work: Promise<T>): Promise<T> {
    const heed = () => {
      if (stop.stopping) Atomics.store(shared, STOPPING, 1);
    };
    const timer = setInterval(heed, STOP_CHECK_MS);
    const removeAbort = stop.onAbort(() => {
      heed();
      for (const member of members) member.post({ kind: 'abort' });
    });
    try {
      return await work;
    } finally {
      clearInterval(timer);
      removeAbort();
    }
  }

  return {
    async open(connections) {
      await Promise.all(
        members.map((member, index) =>
          member.ask({ kind: 'open', connections: shareOf(connections, index, threads) }),
        ),
      );
    },
    async run(phase, onEnd) {
      Atomics.store(shared, NEXT, 0);
      const originMs = clock.now();
      const asked = members.map((member, index) => {
        const slots = phase.slots === null ? null : shareOf(phase.slots, index, threads);
        if (slots === 0) return NO_END;
        return member.ask({ kind: 'run', phase: { ...phase, slots }, originMs }, onEnd);
      });
      return mergeEnds(await heedingStop(Promise.all(asked)));
    },
    async close() {
      await Promise.all(members.map((member) => member.close()));
    },
  };
}

/** Member `index`'s share of `total`, as even as whole numbers allow. */
function shareOf(total: number, index: number, members: number): number {
  return Math.floor(total / members) + (index < total % members ? 1 : 0);
}

function mergeEnds(ends: readonly (PhaseEnd | null)[]): PhaseEnd {
  const gaps = createTimeHistogram();
  for (const end of ends) if (end !== null) gaps.merge(end.gaps);
  return { readings: ends.flatMap((end) => end?.readings ?? []), gaps: gaps.counts() };
}

/** One thread. An error in it fails what was asked of it. */
function createMember(entry: URL, workerData: LoadThreadData) {
  const worker = new Worker(entry, { workerData });
  let onEnd: (ended: EndedRequest) => void = () => {};
  let settle: { resolve(end: PhaseEnd | null): void; reject(error: Error): void } | null = null;
  let failure: Error | null = null;

  worker.on('message', (reply: LoadThreadReply) => {
    if (reply.kind === 'ended') for (const ended of reply.requests) onEnd(ended);
    else settle?.resolve(reply.end);
  });
  worker.on('error', (error) => {
    failure = error;
    settle?.reject(error);
  });

  const post = (task: LoadThreadTask) => worker.postMessage(task);
  return {
    post,
    ask(task: LoadThreadTask, listener: (ended: EndedRequest) => void = () => {}): Promise<PhaseEnd | null> {
      onEnd = listener;
      return new Promise((resolve, reject) => {
        settle = { resolve, reject };
        if (failure === null) post(task);
        else reject(failure);
      });
    },
    async close(): Promise<void> {
      if (failure === null) await this.ask({ kind: 'close' });
      await worker.terminate();
    },
  };
}
