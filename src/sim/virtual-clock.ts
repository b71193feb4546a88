import type { Clock } from '../engine/ports.js';

/** The part of a clock that a model needs. */
export type ModelClock = Pick<Clock, 'now' | 'at'>;

/** A clock that costs no time: events fire one after another, and time jumps from each to the next. */
export interface VirtualClock extends Clock {
  readonly name: 'virtual';
  /**
   * The same clock for events that settle no promise: nothing waits for promises after them, which makes a model of many
   * small events several times faster.
   */
  readonly quiet: ModelClock;
}

/**
 * Awaits after an event, so that promises it settled get their say before time moves on. A caller may await this many
 * times in a row between an event and the timer it sets in answer; a longer chain would see time pass. Draining
 * everything takes a turn of the host loop, which costs ten times as much.
 */
const MICROTASK_TURNS = 16;
/** Events between two turns of the host loop: some milliseconds of work, so that Ctrl-C and progress stay alive. */
const EVENTS_PER_HOST_TURN = 4096;
/** Cancelled timers are swept out when they outnumber the live ones, and there are at least this many. */
const SWEEP_AT = 1024;

/**
 * A virtual clock at 0 ms. It pumps itself: once something is scheduled, events fire in order of time, ties in order of
 * scheduling, until nothing is left; a time in the past counts as now. `yieldToHost` resolves after one turn of the
 * host loop (`setImmediate`). A callback that throws stops the clock for good and surfaces as an unhandled rejection.
 */
export function createVirtualClock(yieldToHost: () => Promise<void>): VirtualClock {
  const heap = createTimerHeap();
  let now = 0;
  let pumping = false;

  async function pump(): Promise<void> {
    await yieldToHost();
    let sinceHostTurn = 0;
    for (let timer = heap.pop(); timer !== null; timer = heap.pop()) {
      now = timer.atMs;
      timer.fire();
      if (++sinceHostTurn >= EVENTS_PER_HOST_TURN) {
        sinceHostTurn = 0;
        await yieldToHost();
      } else if (!timer.quiet) {
        for (let turn = 0; turn < MICROTASK_TURNS; turn++) await null;
      }
    }
    pumping = false;
  }

  function schedule(atMs: number, fire: () => void, quiet: boolean): () => void {
    const cancel = heap.push(Math.max(atMs, now), fire, quiet);
    if (!pumping) {
      pumping = true;
      void pump();
    }
    return cancel;
  }

  return {
    name: 'virtual',
    now: () => now,
    at: (atMs, fire) => schedule(atMs, fire, false),
    quiet: { now: () => now, at: (atMs, fire) => schedule(atMs, fire, true) },
  };
}

interface Timer {
  readonly atMs: number;
  /** Order of scheduling. */
  readonly order: number;
  readonly fire: () => void;
  /** Nothing waits for promises after it. */
  readonly quiet: boolean;
  cancelled: boolean;
}

interface TimerHeap {
  push(atMs: number, fire: () => void, quiet: boolean): () => void;
  /** The earliest live timer, taken out; null when there is none. */
  pop(): Timer | null;
}

/** A binary heap by (time, order). Cancelling only marks: a timer leaves when it comes up, or in a sweep. */
function createTimerHeap(): TimerHeap {
  let timers: Timer[] = [];
  let pushed = 0;
  let cancelled = 0;

  function rise(timer: Timer): void {
    let at = timers.length;
    timers.push(timer);
    while (at > 0) {
      const up = (at - 1) >> 1;
      const parent = timers[up] as Timer;
      if (!isBefore(timer, parent)) break;
      timers[at] = parent;
      at = up;
    }
    timers[at] = timer;
  }

  function takeFirst(): Timer {
    const first = timers[0] as Timer;
    const last = timers.pop() as Timer;
    const size = timers.length;
    if (size === 0) return first;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && isBefore(timers[child + 1] as Timer, timers[child] as Timer)) child++;
      if (!isBefore(timers[child] as Timer, last)) break;
      timers[at] = timers[child] as Timer;
      at = child;
    }
    timers[at] = last;
    return first;
  }

  function sweep(): void {
    const live = timers.filter((timer) => !timer.cancelled);
    timers = [];
    cancelled = 0;
    for (const timer of live) rise(timer);
  }

  return {
    push(atMs, fire, quiet) {
      const timer: Timer = { atMs, order: pushed++, fire, quiet, cancelled: false };
      rise(timer);
      return () => {
        if (timer.cancelled) return;
        timer.cancelled = true;
        cancelled++;
        if (cancelled >= SWEEP_AT && cancelled * 2 > timers.length) sweep();
      };
    },
    pop() {
      while (timers.length > 0) {
        const timer = takeFirst();
        if (!timer.cancelled) {
          // A late cancel of a fired timer must not be counted.
          timer.cancelled = true;
          return timer;
        }
        cancelled--;
      }
      return null;
    },
  };
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
