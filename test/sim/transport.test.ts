import { describe, expect, it } from 'vitest';
import type { StreamEnd } from '../../src/core/answer/exchange.js';
import type { Recorder } from '../../src/core/answer/recorder.js';
import type { Prompt } from '../../src/core/workload/prompts.js';
import { createVirtualClock } from '../../src/sim/clock/virtual-clock.js';
import { parseSimTarget } from '../../src/sim/params/sim-params.js';
import { createSimTransport } from '../../src/sim/transport.js';
import { runSimGrid, yieldToHost } from '../support/sim-trial.js';

const QUICKSTART = {
  seed: '1',
  prefixes: [2, 12],
  concurrency: [8],
  requests: 120,
  repeats: 2,
  prefixTokens: 2000,
  tailTokens: 300,
  outputTokens: 8,
};

function prompt(prefix: string, tail: string, prefixTokens = 64, tailTokens = 36): Prompt {
  const bytes = (): Uint8Array => {
    throw new Error('the simulated transport needs no text');
  };
  return {
    shared: [{ id: prefix, tokens: prefixTokens, bytes }],
    tail: { id: tail, tokens: tailTokens, bytes },
  };
}

/** A recorder that writes down every call. */
function createLog(): { log: string[]; recorder: Recorder } {
  const log: string[] = [];
  return {
    log,
    recorder: {
      connected: (ms) => log.push(`connected ${ms}`),
      sent: (atMs) => log.push(`sent ${atMs}`),
      response: (status) => log.push(`response ${status}`),
      bytes: () => log.push('bytes'),
      token: (atMs) => log.push(`token ${atMs}`),
      answer: (answer) =>
        log.push(
          `cached ${answer.cachedTokens}/${answer.promptTokens} out ${answer.outputTokens} on ${answer.prefillWorker}`,
        ),
      firstTokenWaitMs: () => null,
      dialect: () => null,
      sentAtMs: () => null,
      lastTokenAtMs: () => null,
      workerSource: () => null,
      finish: () => {
        throw new Error('the engine finishes a record, not the transport');
      },
    },
  };
}

// 100 tokens are 6 full blocks; a step is 10 ms + 1 ms per prompt token + 2 ms per running request.
const TARGET =
  'sim:round-robin?workers=1&capacity-requests=4&step-ms=10&prefill-ms-per-token=1&decode-ms-per-request=2&server-overhead-ms=4&router-overhead-ms=1';

describe('sim transport', () => {
  it('tells the recorder each token with the time of the step that made it', async () => {
    const clock = createVirtualClock(yieldToHost);
    const transport = createSimTransport(parseSimTarget(TARGET), clock);
    await transport.open(1);
    const first = createLog();
    const end = await new Promise<StreamEnd>((resolve) => {
      transport.send({ prompt: prompt('p', 'a'), outputTokens: 3 }, first.recorder, resolve);
      expect(first.log).toEqual(['sent 0']);
    });
    expect(end).toEqual({ kind: 'end' });
    // 5 ms of overhead, 110 ms of prefill, then two steps of 12 ms.
    expect(first.log).toEqual([
      'sent 0',
      'response 200',
      'token 115',
      'token 127',
      'token 139',
      'cached 0/100 out 3 on w0',
    ]);
    // The prefix is 4 full blocks, 64 tokens: 36 are left to compute.
    const second = createLog();
    await new Promise((resolve) => {
      transport.send({ prompt: prompt('p', 'b'), outputTokens: 1 }, second.recorder, resolve);
    });
    expect(second.log).toEqual(['sent 139', 'response 200', 'token 190', 'cached 64/100 out 1 on w0']);
  });

  it('ends an aborted request with the reason given, once, and frees what it held', async () => {
    const clock = createVirtualClock(yieldToHost);
    const transport = createSimTransport(parseSimTarget(`${TARGET}&max-num-seqs=1`), clock);
    const first = createLog();
    const ends: StreamEnd[] = [];
    const abort = transport.send({ prompt: prompt('p', 'a'), outputTokens: 200 }, first.recorder, (end) =>
      ends.push(end),
    );
    const second = createLog();
    const done = new Promise((resolve) => {
      transport.send({ prompt: prompt('q', 'b'), outputTokens: 1 }, second.recorder, resolve);
    });
    clock.at(120, () => {
      abort({ kind: 'timeout', code: 'timeout', message: 'too long' });
      abort({ kind: 'aborted', message: 'again' });
      expect(ends).toEqual([]);
    });
    await done;
    expect(ends).toEqual([{ kind: 'timeout', code: 'timeout', message: 'too long' }]);
    // The step that ran at 120 ends at 127; only then is there room for the second request.
    expect(second.log).toEqual(['sent 0', 'response 200', 'token 237', 'cached 0/100 out 1 on w0']);
  });

  it('answers 400 to a prompt that no cache could hold, and goes on', async () => {
    const clock = createVirtualClock(yieldToHost);
    const transport = createSimTransport(parseSimTarget(TARGET), clock);
    const small = createLog();
    const large = createLog();
    await new Promise((resolve) =>
      transport.send({ prompt: prompt('p', 'a'), outputTokens: 1 }, small.recorder, resolve),
    );
    await new Promise((resolve) =>
      transport.send({ prompt: prompt('p', 'b', 64, 9000), outputTokens: 1 }, large.recorder, resolve),
    );
    expect(large.log).toEqual(['sent 115', 'response 400', 'bytes']);
  });

  it('gives the same figures twice', async () => {
    const first = await runSimGrid('sim:kv?workers=6', QUICKSTART);
    const second = await runSimGrid('sim:kv?workers=6', QUICKSTART);
    expect([...second]).toEqual([...first]);
  });

  it('keeps caches over trials: a trial run twice is warm the second time', async () => {
    const cold = await runSimGrid('sim:round-robin?workers=2', { ...QUICKSTART, prefixes: [2], repeats: 1 });
    const records = cold.get('p2-c8')?.[0] ?? [];
    // Two prefixes on two workers: four first touches.
    expect(records.filter((record) => record.answer.cachedTokens === 0).length).toBe(4);
  });

  it('shows what KV routing is for', async () => {
    const share = async (policy: string): Promise<number> => {
      const grid = await runSimGrid(`sim:${policy}?workers=6`, { ...QUICKSTART, prefixes: [12], repeats: 1 });
      const records = grid.get('p12-c8')?.[0] ?? [];
      return records.filter((record) => (record.answer.cachedTokens ?? 0) > 0).length / records.length;
    };
    expect(await share('kv')).toBeGreaterThan(1.5 * (await share('round-robin')));
  });
});
