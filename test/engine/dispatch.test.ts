import { describe, expect, it } from 'vitest';
import type { Due } from '../../src/core/workload/requests.js';
import { type DispatchOptions, dispatch } from '../../src/engine/dispatch.js';
import type { Clock } from '../../src/engine/ports.js';
import { NEVER, testClock } from '../support/fake-transport.js';

interface Planned {
  readonly seq: number;
  readonly due: Due;
}

type Start = (seq: number, dueMs: number, done: () => void) => void;
type Rest = Pick<DispatchOptions<Planned>, 'clock' | 'stop'> & { readonly start: Start };

function takeAll(): () => number {
  let next = 0;
  return () => next++;
}

function dispatchClosed({ count, slots, start, ...rest }: Rest & { count: number; slots: number }) {
  return dispatch<Planned>({
    ...rest,
    requests: { count, at: (seq) => ({ seq, due: { kind: 'slot' } }) },
    ...{ take: takeAll(), slots, originMs: 0 },
    start: ({ seq }, dueMs, done) => start(seq, dueMs, done),
  });
}

function dispatchOpen({ dueMs, originMs, start, ...rest }: Rest & { dueMs: Float64Array; originMs: number }) {
  return dispatch<Planned>({
    ...rest,
    requests: { count: dueMs.length, at: (seq) => ({ seq, due: { kind: 'at', ms: dueMs[seq] ?? 0 } }) },
    ...{ take: takeAll(), slots: null, originMs },
    start: ({ seq }, due, done) => start(seq, due, done),
  });
}

describe('dispatch into slots', () => {
  it('keeps exactly the asked number in flight, in plan order', async () => {
    const clock = testClock();
    const order: number[] = [];
    const inFlightAtStart: number[] = [];
    let inFlight = 0;
    const start: Start = (seq, _dueMs, done) => {
      order.push(seq);
      inFlightAtStart.push(++inFlight);
      // Later requests take less time, so that they end out of order.
      clock.at(clock.now() + 100 - seq, () => {
        inFlight--;
        done();
      });
    };
    const started = await dispatchClosed({
      count: 20,
      slots: 4,
      clock,
      stop: NEVER,
      start,
    });
    expect(started).toBe(20);
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
    expect(inFlightAtStart).toEqual([1, 2, 3, ...new Array<number>(17).fill(4)]);
  });

  it('makes each request due the moment its slot is free', async () => {
    const clock = testClock();
    const due: number[] = [];
    const start: Start = (_seq, dueMs, done) => {
      due.push(dueMs);
      clock.at(clock.now() + 10, done);
    };
    await dispatchClosed({ count: 5, slots: 2, clock, stop: NEVER, start });
    expect(due).toEqual([0, 0, 10, 10, 20]);
  });

  it('starts no more than there are, and nothing of nothing', async () => {
    const clock = testClock();
    const start: Start = (_seq, _dueMs, done) => clock.at(clock.now() + 1, done);
    expect(await dispatchClosed({ count: 3, slots: 16, clock, stop: NEVER, start })).toBe(3);
    expect(await dispatchClosed({ count: 0, slots: 16, clock, stop: NEVER, start })).toBe(0);
  });

  it('starts nothing after a stop and waits for what is in flight', async () => {
    const clock = testClock();
    const stop = { stopping: false, onAbort: () => () => {} };
    const ended: number[] = [];
    const start: Start = (seq, _dueMs, done) => {
      clock.at(clock.now() + 10 * (seq + 1), () => {
        ended.push(seq);
        if (seq === 0) stop.stopping = true;
        done();
      });
    };
    expect(await dispatchClosed({ count: 100, slots: 3, clock, stop, start })).toBe(3);
    expect(ended).toEqual([0, 1, 2]);
  });
});

describe('on a clock on which answers arrive while requests are made', () => {
  /** How many were started in each go. A start takes 0.2 ms, reading what has arrived `readingMs`. */
  async function goesOf(
    readingMs: number,
    run: (clock: Clock, start: Start) => Promise<number>,
  ): Promise<(readonly [number, number])[]> {
    const base = testClock();
    let workedMs = 0;
    const clock: Clock = {
      ...base,
      now: () => base.now() + workedMs,
      soon: (fire) =>
        base.at(base.now() + readingMs, () => {
          workedMs = 0;
          fire();
        }),
    };
    const started = new Map<number, number>();
    await run(clock, (_seq, _dueMs, done) => {
      started.set(base.now(), (started.get(base.now()) ?? 0) + 1);
      workedMs += 0.2;
      base.at(base.now() + 100, () => {
        workedMs = 0;
        done();
      });
    });
    return [...started];
  }

  it('a closed load starts eight at once, due from the start, and reads in between', async () => {
    const due: number[] = [];
    const goes = await goesOf(1, (clock, start) =>
      dispatchClosed({
        ...{ count: 24, slots: 20, clock, stop: NEVER },
        start: (seq, dueMs, done) => {
          due.push(dueMs);
          start(seq, dueMs, done);
        },
      }),
    );
    expect(goes).toEqual([
      [0, 8],
      [1, 8],
      [2, 4],
      [101, 4],
    ]);
    expect(due).toEqual([...new Array<number>(20).fill(0), 100, 100, 100, 100]);
  });

  it('a closed load starts more where reading takes long, so that slots do not stay empty', async () => {
    const load = { count: 40, slots: 40, stop: NEVER };
    const goes = await goesOf(6, (clock, start) => dispatchClosed({ ...load, clock, start }));
    // 4.4 ms after the end of the last go: half of that is 11 starts.
    expect(goes.slice(0, 2)).toEqual([
      [0, 8],
      [6, 11],
    ]);
  });

  it('an open load does, too, when many are due', async () => {
    const dueMs = new Float64Array(10);
    const goes = await goesOf(1, (clock, start) =>
      dispatchOpen({ dueMs, originMs: 0, clock, stop: NEVER, start }),
    );
    expect(goes).toEqual([
      [0, 8],
      [1, 2],
    ]);
  });

  it('a stop ends a load whose slots were about to be filled', async () => {
    const stop = { stopping: false, onAbort: () => () => {} };
    const goes = await goesOf(1, (clock, start) => {
      clock.at(100, () => {
        stop.stopping = true;
      });
      return dispatchClosed({ count: 100, slots: 4, clock, stop, start });
    });
    expect(goes).toEqual([[0, 4]]);
  });
});

describe('dispatch at times', () => {
  it('sends when due, whatever is in flight', async () => {
    const clock = testClock();
    const startedAt: number[] = [];
    const start: Start = (_seq, _dueMs, done) => {
      startedAt.push(clock.now());
      clock.at(clock.now() + 1000, done);
    };
    const dueMs = Float64Array.from([0, 3.5, 3.5, 20]);
    expect(await dispatchOpen({ dueMs, originMs: 0, clock, stop: NEVER, start })).toBe(4);
    expect(startedAt).toEqual([0, 3.5, 3.5, 20]);
  });

  it('tells a late request when it was due', async () => {
    const clock = testClock();
    const due: number[] = [];
    const start: Start = (_seq, dueMs, done) => {
      due.push(dueMs);
      clock.at(clock.now() + 1, done);
    };
    await new Promise<void>((resolve) => clock.at(50, resolve));
    await dispatchOpen({
      dueMs: Float64Array.from([0, 10]),
      originMs: 20,
      clock,
      stop: NEVER,
      start,
    });
    expect(due).toEqual([20, 30]);
  });

  it('ends early when stopped', async () => {
    const clock = testClock();
    const stop = { stopping: false, onAbort: () => () => {} };
    clock.at(15, () => {
      stop.stopping = true;
    });
    const start: Start = (_seq, _dueMs, done) => clock.at(clock.now() + 1, done);
    expect(
      await dispatchOpen({
        dueMs: Float64Array.from([0, 10, 20, 30]),
        originMs: 0,
        clock,
        stop,
        start,
      }),
    ).toBe(2);
  });

  it('waits after a stop for what is in flight', async () => {
    const clock = testClock();
    const stop = { stopping: false, onAbort: () => () => {} };
    clock.at(5, () => {
      stop.stopping = true;
    });
    let endedAt = 0;
    const start: Start = (_seq, _dueMs, done) =>
      clock.at(clock.now() + 100, () => {
        endedAt = clock.now();
        done();
      });
    const dueMs = Float64Array.from([0, 10, 20]);
    expect(await dispatchOpen({ dueMs, originMs: 0, clock, stop, start })).toBe(1);
    expect(endedAt).toBe(100);
  });
});
