import type { Clock, StopSignal } from './ports.js';

/** Starts request `seq`, due at `dueMs` on the clock; calls `done` exactly once, never synchronously. */
export type StartRequest = (seq: number, dueMs: number, done: () => void) => void;

/** The part of a plan that falls to one thread, of several that send together. */
export interface PlanShare {
  /** Claims the next request of a closed load: each thread takes them from one counter, so that their order is the plan's. */
  readonly take: () => number;
  /** An open load has its order from its due times: this thread sends `first`, and every `step`-th after it. */
  readonly first: number;
  readonly step: number;
}

/** The whole of it, for one thread. */
export function createWholePlan(): PlanShare {
  let next = 0;
  return { take: () => next++, first: 0, step: 1 };
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

/**
 * A closed load: `concurrency` requests in flight while there are any left, never one more, started in plan order; each
 * is due the moment its slot is free. Answers that have arrived are read before it is filled again. Resolves with the
 * number started when all of them have ended.
 */
export function dispatchClosed(options: {
  readonly plan: PlanShare;
  /** Of the whole plan. */
  readonly count: number;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly stop: StopSignal;
  readonly start: StartRequest;
}): Promise<number> {
  const { plan, count, concurrency, clock, stop, start } = options;
  return new Promise((resolve) => {
    /** Since when each free slot is free, the longest first. */
    const freeSinceMs = new Array<number>(concurrency).fill(clock.now());
    let started = 0;
    let isOver = false;

    const pace = createPace(clock);

    function refill(): void {
      pace.begin();
      while (freeSinceMs.length > 0 && !isOver && !stop.stopping && pace.mayStart()) {
        const seq = plan.take();
        if (seq >= count) isOver = true;
        else {
          const dueMs = freeSinceMs.shift() ?? clock.now();
          started++;
          start(seq, dueMs, ended);
        }
      }
      pace.end();
      if (isOver || stop.stopping) {
        if (freeSinceMs.length === concurrency) resolve(started);
      } else if (freeSinceMs.length > 0) refillSoon();
    }

    const refillSoon = createOnceSoon(clock, refill);

    function ended(): void {
      freeSinceMs.push(clock.now());
      refillSoon();
    }

    refill();
  });
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

/**
 * An open load: each request is started when due, whatever is still in flight. Due times count from `originMs`, so no
 * lateness adds up; a request whose time has passed is started at once, and its send lag shows it. Resolves with the
 * number started when all of them have ended.
 */
export function dispatchOpen(options: {
  readonly plan: PlanShare;
  /** Ms from `originMs`, ascending. */
  readonly dueMs: Float64Array;
  readonly originMs: number;
  readonly clock: Clock;
  readonly stop: StopSignal;
  readonly start: StartRequest;
}): Promise<number> {
  const { plan, dueMs, originMs, clock, stop, start } = options;
  return new Promise((resolve) => {
    let next = plan.first;
    let started = 0;
    let inFlight = 0;
    let isOver = false;
    const ended = () => {
      inFlight--;
      if (isOver && inFlight === 0) resolve(started);
    };
    const pace = createPace(clock);
    const sendDue = () => {
      pace.begin();
      startDue();
      pace.end();
    };
    const startDue = () => {
      while (next < dueMs.length && !stop.stopping) {
        const due = originMs + (dueMs[next] as number);
        if (due > clock.now()) {
          clock.at(due, sendDue);
          return;
        }
        if (clock.soon !== undefined && !pace.mayStart()) {
          clock.soon(sendDue);
          return;
        }
        const seq = next;
        next += plan.step;
        inFlight++;
        started++;
        start(seq, due, ended);
      }
      isOver = true;
      if (inFlight === 0) resolve(started);
    };
    sendDue();
  });
}
