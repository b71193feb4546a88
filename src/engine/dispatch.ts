import type { Clock, StopSignal } from './ports.js';

/** Starts request `seq`, due at `dueMs` on the clock; calls `done` exactly once, never synchronously. */
export type StartRequest = (seq: number, dueMs: number, done: () => void) => void;

/**
 * A closed load: exactly `concurrency` requests in flight while there are any left, never one more, started in plan
 * order; each is due the moment its slot is free. Resolves with the number started when all of them have ended.
 */
export function dispatchClosed(options: {
  readonly count: number;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly stop: StopSignal;
  readonly start: StartRequest;
}): Promise<number> {
  const { count, concurrency, clock, stop, start } = options;
  return new Promise((resolve) => {
    let started = 0;
    let inFlight = 0;
    const refill = () => {
      while (inFlight < concurrency && started < count && !stop.stopping) {
        inFlight++;
        start(started++, clock.now(), ended);
      }
      if (inFlight === 0) resolve(started);
    };
    const ended = () => {
      inFlight--;
      refill();
    };
    refill();
  });
}

/**
 * An open load: each request is started when due, whatever is still in flight. Due times count from `originMs`, so no
 * lateness adds up; a request whose time has passed is started at once, and its send lag shows it. Resolves with the
 * number started when all of them have ended.
 */
export function dispatchOpen(options: {
  /** Ms from `originMs`, ascending. */
  readonly dueMs: Float64Array;
  readonly originMs: number;
  readonly clock: Clock;
  readonly stop: StopSignal;
  readonly start: StartRequest;
}): Promise<number> {
  const { dueMs, originMs, clock, stop, start } = options;
  return new Promise((resolve) => {
    let started = 0;
    let inFlight = 0;
    let over = false;
    const ended = () => {
      inFlight--;
      if (over && inFlight === 0) resolve(started);
    };
    const sendDue = () => {
      while (started < dueMs.length && !stop.stopping) {
        const due = originMs + (dueMs[started] as number);
        if (due > clock.now()) {
          clock.at(due, sendDue);
          return;
        }
        inFlight++;
        start(started++, due, ended);
      }
      over = true;
      if (inFlight === 0) resolve(started);
    };
    sendDue();
  });
}
