import { describe, expect, it } from 'vitest';
import {
  countServer,
  isSettled,
  type ServerCounts,
  seriesPoint,
} from '../../../../src/core/measure/servers/server-counts.js';
import type { ServerFigures, ServerReading } from '../../../../src/core/measure/servers/server-reading.js';
import {
  boundWorkersPerPrefix,
  sharesOf,
  witnessOf,
} from '../../../../src/core/measure/servers/server-witness.js';

function reading(
  server: string,
  figures: Partial<ServerFigures>,
  more: Partial<ServerReading> = {},
): ServerReading {
  return {
    ...{ server, kind: 'vllm', role: 'engine', worker: null, blockSize: null, blocks: null },
    figures: {
      ...{ requests: null, promptTokens: null, cachedTokens: null, outputTokens: null },
      ...{ preemptions: null, running: null, waiting: null, kvUsage: null },
      ...figures,
    },
    workerRequests: new Map(),
    ...more,
  };
}

function counts(server: string, of: Partial<ServerCounts>): ServerCounts {
  return { ...countServer(reading(server, {}), reading(server, {}), []), ...of };
}

const trial = (...servers: ServerCounts[]) => ({ servers, unread: [], settled: true });

describe('countServer', () => {
  it('subtracts counters and takes the most of the gauges', () => {
    const before = reading('a', { requests: 5, cachedTokens: 100, preemptions: 0 });
    const after = reading('a', { requests: 25, cachedTokens: 900, preemptions: 1 });
    const looks = [3, 7, 5].map((running, i) =>
      seriesPoint(i * 1000, before, reading('a', { running, requests: 6 })),
    );
    expect(looks[1]).toMatchObject({ at_ms: 1000, running: 7, requests: 1, cached_tokens: null });
    expect(countServer(before, after, looks)).toEqual({
      ...{ server: 'a', kind: 'vllm', role: 'engine', worker: null, restarted: false },
      ...{ requests: 20, prompt_tokens: null, cached_tokens: 800, output_tokens: null, preemptions: 1 },
      ...{ running_max: 7, waiting_max: null, kv_usage_max: null },
    });
  });

  it('subtracts nothing where a counter went backwards', () => {
    const end = countServer(
      reading('a', { requests: 25, cachedTokens: 100 }),
      reading('a', { requests: 3, cachedTokens: 900 }),
      [],
    );
    expect(end).toMatchObject({ restarted: true, requests: null, cached_tokens: null });
  });

  it('subtracts requests by worker, a new worker from none', () => {
    const at = (list: [string, number][]) => reading('r', {}, { workerRequests: new Map(list) });
    expect(
      countServer(
        at([['a', 2]]),
        at([
          ['a', 5],
          ['b', 4],
        ]),
        [],
      ).worker_requests,
    ).toEqual({ a: 3, b: 4 });
  });
});

describe('isSettled', () => {
  it('is so when no counter moved and nothing runs', () => {
    const idle = [reading('a', { requests: 5, running: 0 })];
    expect(isSettled(idle, idle)).toBe(true);
    expect(isSettled(idle, [reading('a', { requests: 6, running: 0 })])).toBe(false);
    expect(isSettled(idle, [reading('a', { requests: 5, running: 1 })])).toBe(false);
    expect(isSettled([], idle)).toBe(false);
  });
});

describe('witnessOf', () => {
  const router = counts('r', { role: 'router', cached_tokens: 70, prompt_tokens: 100, requests: 2 });

  it('sums the engines, and leaves the router that counts the same again', () => {
    const engines = [1, 2].map((n) => counts(`${n}`, { cached_tokens: n, prompt_tokens: 10, requests: 1 }));
    expect(witnessOf(trial(...engines, router))).toEqual({
      by: 'engine',
      cachedTokens: 3,
      promptTokens: 20,
      requests: 2,
    });
  });

  it('takes the router where an engine does not count', () => {
    expect(witnessOf(trial(counts('1', { cached_tokens: 5 }), counts('2', {}), router))).toMatchObject({
      by: 'router',
      cachedTokens: 70,
    });
  });

  it('is none where a page was not read', () => {
    expect(witnessOf({ ...trial(router), unread: [{ server: 'x', why: 'no answer' }] })).toBeNull();
  });
});

describe('sharesOf', () => {
  it('gives requests and hits by engine', () => {
    const shares = sharesOf(
      trial(
        counts('a', { requests: 30, cached_tokens: 50, prompt_tokens: 100 }),
        counts('b', { requests: 10, cached_tokens: 0, prompt_tokens: 0 }),
      ),
    );
    expect(shares.map(({ server, requestShare, hitRatio }) => [server, requestShare, hitRatio])).toEqual([
      ['a', 0.75, 0.5],
      ['b', 0.25, null],
    ]);
  });

  it("gives a router's requests by worker where no engine was read", () => {
    const shares = sharesOf(trial(counts('r', { role: 'router', worker_requests: { a: 1, b: 3 } })));
    expect(shares.map(({ server, requestShare }) => [server, requestShare])).toEqual([
      ['a', 0.25],
      ['b', 0.75],
    ]);
  });
});

describe('boundWorkersPerPrefix', () => {
  const prefixes = (...counts: [number, number | null][]) =>
    counts.map(([requests, misses]) => ({ requests, misses }));

  it('is exact where each prefix missed once', () => {
    expect(boundWorkersPerPrefix([10, 10], prefixes([10, 1], [10, 1]))).toEqual({ least: 1, most: 1 });
  });

  it('knows that a worker with all requests held all prefixes', () => {
    expect(boundWorkersPerPrefix([20, 0], prefixes([10, 5], [10, 5]))).toEqual({ least: 1, most: 1 });
  });

  it('knows that shares may not fit whole prefixes', () => {
    // 15 requests take two prefixes of 10; 5 take one: three of two.
    expect(boundWorkersPerPrefix([15, 5], prefixes([10, 4], [10, 4]))).toEqual({ least: 1.5, most: 2 });
  });

  it('has only the shares where answers do not say what hit', () => {
    expect(boundWorkersPerPrefix([10, 10], prefixes([10, null], [10, null]))).toEqual({ least: 1, most: 2 });
  });

  it('is unknown where the servers counted other requests than were sent', () => {
    expect(boundWorkersPerPrefix([11, 10], prefixes([10, 1], [10, 1]))).toBeNull();
  });
});
