import { createTimeHistogram } from '../core/time-histogram.js';
import type { ClientMonitor, Clock } from '../engine/ports.js';

/** What a transport tells of its reads; each call belongs to the read announced last. */
export interface ReadWatch {
  /** A socket turned readable: gives the stamp of what can be read, on the clock. */
  readable(): number;
  /** Reading an answer's bytes begins: gives what {@link ReadWatch.readingEnded} wants. Some reads are timed. */
  readingBegun(): number;
  readingEnded(begun: number): void;
}

/** The monitor of the thread it is made in. */
export interface HttpClientMonitor extends ClientMonitor, ReadWatch {}

/** The loop is asked this often whether it is late. */
const TICK_MS = 5;
/** One in so many reads is timed: two looks at the clock cost as much as reading a short event. */
const TIMED_READS = 16;
/** A loop that slept less than this may have found its data waiting. */
const SLEPT_MS = 0.02;

/**
 * Watches this thread's event loop and the CPU of the process. It looks at every moment at which something may have waited
 * for the loop:
 *
 * - stamp lag: data that a read finds was not there when the poll before looked (it would have been read then), and the
 *   loop does not sleep while data waits. So it waited no longer than since the last sleep, or since that poll where the
 *   loop has not slept. Where in its poll's batch a read comes is part of it.
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
  /** The turn of the loop in hand: since when its data may have been waiting. Null between turns. */
  let waitingSinceMs: number | null = null;
  /** The turn before: when its poll had returned, when it was over, and how long the loop had slept by then. */
  let polledMs = 0;
  let turnOverMs = 0;
  let sleptMs = 0;
  let nextPolledMs = 0;

  /** First of a turn; the check phase, right after the poll phase, ends it. */
  function beginTurn(nowMs: number): void {
    const slept = performance.nodeTiming.idleTime - sleptMs;
    waitingSinceMs = slept > SLEPT_MS ? Math.min(nowMs, turnOverMs + slept) : polledMs;
    nextPolledMs = nowMs;
    setImmediate(endTurn);
  }

  function endTurn(): void {
    waitingSinceMs = null;
    polledMs = nextPolledMs;
    turnOverMs = clock.now();
    sleptMs = performance.nodeTiming.idleTime;
  }

  /** Also ends a turn, so that the short turns of a quiet loop do not add up to a long one. */
  function tick(): void {
    const nowMs = clock.now();
    for (; dueMs <= nowMs; dueMs += TICK_MS) loopDelays.add(nowMs - dueMs);
    if (waitingSinceMs === null) {
      nextPolledMs = nowMs;
      setImmediate(endTurn);
    }
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
      polledMs = startedMs;
      nextPolledMs = startedMs;
      endTurn();
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
        if (waitingSinceMs === null) beginTurn(nowMs);
        lagMs = nowMs - (waitingSinceMs ?? nowMs);
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
