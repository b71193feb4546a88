/** Cancelled timers are swept out when they outnumber the live ones, and there are at least this many. */
const SWEEP_AT = 1024;

/** Something to be called at a time. */
export interface Timer {
  readonly atMs: number;
  /** Order of scheduling. */
  readonly order: number;
  readonly fire: () => void;
  /** Nothing waits for promises after it. */
  readonly quiet: boolean;
  cancelled: boolean;
}

/** Timers in order of time, ties in order of scheduling. */
export interface TimerHeap {
  push(atMs: number, fire: () => void, quiet: boolean): () => void;
  /** The earliest live timer, taken out; null when there is none. */
  pop(): Timer | null;
  /** When the earliest live timer is due; null when there is none. */
  nextAtMs(): number | null;
}

/** An empty binary heap by (time, order). Cancelling only marks: a timer leaves when it comes up, or in a sweep. */
export function createTimerHeap(): TimerHeap {
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
    nextAtMs() {
      while (timers[0]?.cancelled === true) {
        takeFirst();
        cancelled--;
      }
      return timers[0]?.atMs ?? null;
    },
  };
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
