import type { Due } from '../core/workload/requests.js';
import type { Clock, StopSignal } from './ports.js';

export interface DispatchOptions<R> {
  readonly requests: { readonly count: number; at(seq: number): R };
  /**
   * Claims the next position, from 0. Threads that send one sequence together claim from one counter, so that requests
   * leave in its order.
   */
  readonly take: () => number;
  /** Most requests in flight; null for no limit, where every request is due at a time. */
  readonly slots: number | null;
  /** Start of the phase on the clock: due times count from here. */
  readonly originMs: number;
  readonly clock: Clock;
  readonly stop: StopSignal;
  /** Starts a request that was due at `dueMs` on the clock; calls `done` exactly once, never synchronously. */
  readonly start: (request: R, dueMs: number, done: () => void) => void;
}

/**
 * Starts every request when it is due, in order, and resolves with the number started when all of them have ended.
 *
 * A request that waits for a slot is due the moment its slot got free, the longest free first; answers that have arrived
 * are read before it is filled again. One with a time is started then, or at once when its time has passed: its send lag
 * shows it, and no lateness adds up. Nothing is started after a stop.
 */
export function dispatch<R extends { readonly due: Due }>(options: DispatchOptions<R>): Promise<number> {
  const { requests, take, slots, originMs, clock, stop, start } = options;
  return new Promise((resolve) => {
    /** Since when each free slot is free, the longest first. */
    const freeSinceMs = slots === null ? null : new Array<number>(slots).fill(clock.now());
    const pace = createPace(clock);
    const startSoon = createOnceSoon(clock, startDue);
    let claimed: R | null = null;
    let started = 0;
    let inFlight = 0;
    let isOver = false;

    function startDue(): void {
      pace.begin();
      const wait = startUntilWait();
      pace.end();
      if (inFlight === 0 && (isOver || stop.stopping)) resolve(started);
      else wait?.();
    }

    /** Gives how to wait for the next; null where the end of a request goes on. */
    function startUntilWait(): (() => void) | null {
      while (!isOver && !stop.stopping && freeSinceMs?.length !== 0) {
        if (!pace.mayStart()) return startSoon;
        claimed ??= claim();
        if (claimed === null) break;
        const request = claimed;
        const dueMs =
          request.due.kind === 'at' ? originMs + request.due.ms : (freeSinceMs?.[0] ?? clock.now());
        if (dueMs > clock.now()) return () => clock.at(dueMs, startDue);
        claimed = null;
        freeSinceMs?.shift();
        started++;
        inFlight++;
        start(request, dueMs, ended);
      }
      return null;
    }

    function claim(): R | null {
      const seq = take();
      isOver = seq >= requests.count;
      return isOver ? null : requests.at(seq);
    }

    function ended(): void {
      inFlight--;
      freeSinceMs?.push(clock.now());
      if (freeSinceMs !== null || ((isOver || stop.stopping) && inFlight === 0)) startSoon();
    }

    startDue();
  });
}

/**
 * Requests started in one go. Making and writing one takes a tenth of a millisecond or so, in which nothing that arrives is
 * stamped: a thousand at once would make the first answers look slow.
 */
const STARTS_AT_ONCE = 8;
/** A loop that is busy reading starts more, or slots would stay empty: for half the time since the last go, but no longer than this. */
const STARTING_SHARE = 0.5;
const STARTING_MS = 4;

/** Tells when enough was started in one go, from `begin` to `end`. On a clock that does not move in between, never. */
function createPace(clock: Clock) {
  let endedMs = clock.now();
  let untilMs = 0;
  let left = 0;
  return {
    begin(): void {
      const nowMs = clock.now();
      untilMs = nowMs + Math.min(STARTING_MS, STARTING_SHARE * (nowMs - endedMs));
      left = STARTS_AT_ONCE;
    },
    mayStart: (): boolean => clock.soon === undefined || left-- > 0 || clock.now() < untilMs,
    end(): void {
      endedMs = clock.now();
    },
  };
}

/** Runs `work` soon, however often it is asked for before that. */
function createOnceSoon(clock: Clock, work: () => void): () => void {
  const { soon } = clock;
  if (soon === undefined) return work;
  let isComing = false;
  const run = () => {
    isComing = false;
    work();
  };
  return () => {
    if (isComing) return;
    isComing = true;
    soon(run);
  };
}
