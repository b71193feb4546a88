import { createTimeHistogram } from '../core/base/time-histogram.js';
import type { ClientMonitor, Clock } from '../engine/ports.js';

/** What a transport reports about its reads; each call refers to the read announced last. */
export interface ReadWatch {
  /** A socket turned readable: gives the stamp of what can be read, on the clock. */
  readable(): number;
  /** Reading an answer's bytes begins: gives what {@link ReadWatch.readingEnded} wants. Some reads are timed. */
  readingBegun(): number;
  readingEnded(begun: number): void;
}

/** The monitor of the thread it is made in. */
export interface HttpClientMonitor extends ClientMonitor, ReadWatch {}

/** How often the loop is checked for lateness. */
const TICK_MS = 5;
/** One read in this many is timed: two looks at the clock cost as much as reading a short event. */
const TIMED_READS = 16;
/** A loop that slept less than this may have found its data waiting. */
const SLEPT_MS = 0.02;

/**
 * Watches this thread's event loop and the CPU time of the process, at every moment when something may have waited for the
 * loop:
 *
 * - stamp lag: data that a read finds was not there when the poll before looked (it would have been read then), and the
 *   loop does not sleep while data waits. So it waited no longer than the loop was busy since it was looked at last or,
 *   where the loop has not slept since, than since that poll. Where in its poll's batch a read comes is part of it.
 * - loop delay: a timer due every 5 ms, and how late it was; one that could not fire at all because the loop was blocked is
 *   late by what was left of the block, so that every moment of the trial counts the same.
 */
export function createClientMonitor(clock: Clock): HttpClientMonitor {
  let stampLags = createTimeHistogram();
  let loopDelays = createTimeHistogram();
  let isRunning = false;
  let timer: NodeJS.Timeout | null = null;
  let dueMs = 0;
  let startedMs = 0;
  let cpu = process.cpuUsage();
  let readerMs = 0;
  let reads = 0;
  /** The lag of the read announced last. */
  let lagMs = 0;
  /** Since when data that is read now may have waited. */
  let waitingSinceMs = 0;
  /** When the loop was looked at last, and how long it had slept by then. */
  let lookedMs = 0;
  let sleptMs = 0;
  /** A loop that does not sleep: no later than the return of its last poll, and whether the turn's end is awaited. */
  let polledMs = 0;
  let awaitsEnd = false;

  /** Whether the loop has slept since it was looked at last; then nothing waited longer than it was busy since. */
  function look(nowMs: number): boolean {
    const slept = performance.nodeTiming.idleTime - sleptMs;
    const hasSlept = slept > SLEPT_MS;
    if (hasSlept) {
      waitingSinceMs = Math.min(nowMs, lookedMs + slept);
      polledMs = waitingSinceMs;
    }
    sleptMs += slept;
    lookedMs = nowMs;
    return hasSlept;
  }

  /** The check phase comes right after the poll phase, and right before the next poll where the loop does not sleep. */
  function endTurn(): void {
    awaitsEnd = false;
    waitingSinceMs = polledMs;
    polledMs = clock.now();
  }

  function tick(): void {
    const nowMs = clock.now();
    for (; dueMs <= nowMs; dueMs += TICK_MS) loopDelays.add(nowMs - dueMs);
    look(nowMs);
    arm(nowMs);
  }

  function arm(nowMs: number): void {
    timer = setTimeout(tick, dueMs - nowMs);
    timer.unref();
  }

  return {
    start() {
      stampLags = createTimeHistogram();
      loopDelays = createTimeHistogram();
      readerMs = 0;
      reads = 0;
      isRunning = true;
      cpu = process.cpuUsage();
      startedMs = clock.now();
      dueMs = startedMs + TICK_MS;
      waitingSinceMs = startedMs;
      polledMs = startedMs;
      lookedMs = startedMs;
      sleptMs = performance.nodeTiming.idleTime;
      arm(startedMs);
    },
    firstToken() {
      if (isRunning) stampLags.add(lagMs);
    },
    stop() {
      const spanMs = clock.now() - startedMs;
      const used = process.cpuUsage(cpu);
      isRunning = false;
      if (timer !== null) clearTimeout(timer);
      return {
        stampLag: stampLags.counts(),
        loopDelay: loopDelays.counts(),
        readerMs,
        cpuMs: (used.user + used.system) / 1000,
        spanMs,
      };
    },
    readable() {
      const nowMs = clock.now();
      if (isRunning) {
        if (!look(nowMs) && !awaitsEnd) {
          awaitsEnd = true;
          setImmediate(endTurn);
        }
        lagMs = nowMs - waitingSinceMs;
      }
      return nowMs;
    },
    readingBegun: () => (isRunning && reads++ % TIMED_READS === 0 ? clock.now() : 0),
    readingEnded(begun) {
      if (begun !== 0) readerMs += (clock.now() - begun) * TIMED_READS;
    },
  };
}

/** A virtual clock stands still while the client works: there is nothing to watch. */
export function createNoMonitor(): ClientMonitor {
  return { start: () => {}, firstToken: () => {}, stop: () => null };
}
