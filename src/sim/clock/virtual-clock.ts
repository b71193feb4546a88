import type { Clock } from '../../engine/ports.js';
import { createTimerHeap } from './timer-heap.js';

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
/** Awaiting one promise again and again takes as many turns as `await null`, and makes no new promise each time. */
const SETTLED = Promise.resolve();
/** Events between two turns of the host loop: some milliseconds of work, so that Ctrl-C and progress stay alive. */
const EVENTS_PER_HOST_TURN = 4096;

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
        for (let turn = 0; turn < MICROTASK_TURNS; turn++) await SETTLED;
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
