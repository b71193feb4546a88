import type { ModelClock } from '../clock/virtual-clock.js';

/** A GPU that one or more workers run on. */
export interface Device {
  /** Runs work that would take `workMs` on an idle device of speed 1; calls `done` when it is through. */
  run(workMs: number, done: () => void): void;
}

/** A device of relative speed `speed` that one worker has to itself: at most one step at a time. */
export function createOwnDevice(clock: ModelClock, speed: number): Device {
  return {
    run(workMs, done) {
      clock.at(clock.now() + workMs / speed, done);
    },
  };
}

interface Job {
  leftMs: number;
  readonly done: () => void;
}

/**
 * A device of relative speed `speed` that shares its time evenly among the steps running on it (time slicing between
 * processes): n steps at once each go at speed / n.
 */
export function createSharedDevice(clock: ModelClock, speed: number): Device {
  let jobs: Job[] = [];
  let sinceMs = 0;
  let cancelTimer: (() => void) | null = null;

  function advance(): void {
    const now = clock.now();
    const doneMs = ((now - sinceMs) * speed) / Math.max(1, jobs.length);
    sinceMs = now;
    for (const job of jobs) job.leftMs -= doneMs;
  }

  function arm(): void {
    cancelTimer?.();
    cancelTimer = null;
    let next: Job | null = null;
    for (const job of jobs) if (next === null || job.leftMs < next.leftMs) next = job;
    if (next === null) return;
    const first = next;
    const waitMs = Math.max(0, (first.leftMs * jobs.length) / speed);
    cancelTimer = clock.at(sinceMs + waitMs, () => {
      cancelTimer = null;
      advance();
      jobs = jobs.filter((job) => job !== first);
      arm();
      first.done();
    });
  }

  return {
    run(workMs, done) {
      advance();
      jobs.push({ leftMs: workMs, done });
      arm();
    },
  };
}
