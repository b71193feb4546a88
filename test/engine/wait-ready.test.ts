import { describe, expect, it } from 'vitest';
import type { ModelList } from '../../src/engine/ports.js';
import { waitReady } from '../../src/engine/wait-ready.js';
import { NEVER, testClock } from '../support/fake-transport.js';

/** Waits against answers in turn, the last one for ever; gives what came of it and the virtual time it took. */
async function wait(model: string | null, answers: readonly ModelList[], timeoutMs = 60_000) {
  const clock = testClock();
  let asked = 0;
  const control = { listModels: async () => answers[Math.min(asked++, answers.length - 1)] as ModelList };
  const ready = await waitReady({ url: 'http://h', model, timeoutMs }, control, clock, NEVER).catch(
    (error: { message: string; exitCode: number }) => `${error.exitCode} ${error.message}`,
  );
  return { ready, tookMs: clock.now() };
}

const listed = (...ids: string[]): ModelList => ({ kind: 'listed', ids });
const DOWN: ModelList = { kind: 'unreachable', message: 'connection refused' };

describe('waitReady', () => {
  it('takes the listed model at once', async () => {
    expect(await wait(null, [listed('m')])).toEqual({ ready: { model: 'm', models: ['m'] }, tookMs: 0 });
  });

  it('polls twice a second through a server that starts and a list that fills', async () => {
    expect(await wait(null, [DOWN, listed(), listed(), listed('m')])).toEqual({
      ready: { model: 'm', models: ['m'] },
      tookMs: 1500,
    });
  });

  it('waits for the asked model though others are listed', async () => {
    expect(await wait('b', [listed('a'), listed('a', 'b')])).toEqual({
      ready: { model: 'b', models: ['a', 'b'] },
      tookMs: 500,
    });
  });

  it('gives up when the time is over, not later', async () => {
    const { ready, tookMs } = await wait(null, [DOWN], 2000);
    expect(ready).toBe('3 http://h cannot be reached after 2 s (--ready-timeout): connection refused');
    expect(tookMs).toBe(2000);
  });

  it('does not choose between several models', async () => {
    expect((await wait(null, [listed('a', 'b')])).ready).toBe('2 the target lists 2 models: a, b');
  });
});
