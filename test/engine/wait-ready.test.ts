import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import type { ModelList } from '../../src/engine/ports.js';
import { waitReady } from '../../src/engine/wait-ready.js';
import { NEVER, testClock } from '../support/fake-transport.js';
import { recordOf } from '../support/records.js';

const listed = (...ids: string[]): ModelList => ({ kind: 'listed', ids });
const DOWN: ModelList = { kind: 'unreachable', message: 'connection refused' };
const NO_LIST: ModelList = { kind: 'no-list', status: 404, message: 'Not Found' };
const OK = recordOf({ outcome: 'ok' });

/** An answer with this status. */
const refused = (status: number, message = 'no'): RequestRecord =>
  recordOf({ outcome: 'http_error', status, error: { code: `http_${status}`, message } });

interface Target {
  /** Answers to the question for the list in turn, the last one for ever. */
  readonly lists: readonly ModelList[];
  /** How a request for a model is answered, at a time. */
  readonly answer?: (model: string, nowMs: number) => RequestRecord;
  readonly names?: readonly string[];
}

/** What came of waiting, and the virtual time it took. */
async function wait(model: string | null, target: Target, timeoutMs = 60_000) {
  const clock = testClock();
  const { lists, answer = () => OK, names = [] } = target;
  let looks = 0;
  const control = {
    listModels: async () => lists[Math.min(looks++, lists.length - 1)] as ModelList,
    nameModels: async () => names,
  };
  const ask = async (id: string) => answer(id, clock.now());
  const ready = await waitReady(
    { url: 'http://h', model, timeoutMs },
    { control, ask, clock, stop: NEVER },
  ).catch(
    ({ exitCode, message, hint }: { exitCode: number; message: string; hint: string }) =>
      `${exitCode} ${message}; ${hint}`,
  );
  return { ready, tookMs: clock.now() };
}

/** Serves these models, whatever it lists. */
const serves =
  (...ids: string[]) =>
  (model: string) =>
    ids.includes(model) ? OK : refused(404, `The model ${model} is not served`);

describe('waitReady', () => {
  it('takes the listed model at once', async () => {
    expect(await wait(null, { lists: [listed('m')] })).toEqual({
      ready: { model: 'm', models: ['m'] },
      tookMs: 0,
    });
  });

  it('polls twice a second through a server that starts and a list that fills', async () => {
    expect(await wait(null, { lists: [DOWN, listed(), listed(), listed('m')] })).toEqual({
      ready: { model: 'm', models: ['m'] },
      tookMs: 1500,
    });
  });

  it.each([429, 502, 503, 504])('waits out HTTP %i', async (status) => {
    const answer = (_: string, nowMs: number) => (nowMs < 3000 ? refused(status) : OK);
    expect((await wait(null, { lists: [listed('m')], answer })).tookMs).toBe(3000);
    const late = await wait(null, { lists: [listed('m')], answer: () => refused(status, 'no worker') }, 1000);
    expect(late.ready).toBe(
      `3 http://h answers no request after 1 s (--ready-timeout): HTTP ${status}: no worker; are its workers running? Look at its log; --ready-timeout waits longer`,
    );
  });

  it('does not wait where waiting cannot help', async () => {
    for (const status of [401, 403, 500]) {
      const { ready, tookMs } = await wait(null, { lists: [listed('m')], answer: () => refused(status) });
      expect([ready, tookMs]).toEqual([
        `3 http://h does not answer a small request (HTTP ${status}: no); check --model, --header and --api-key-env, and try the same request with curl`,
        0,
      ]);
    }
    const { ready, tookMs } = await wait(null, {
      lists: [{ kind: 'no-list', status: 401, message: 'no key' }],
    });
    expect([ready, tookMs]).toEqual([
      '3 http://h gives no model list: HTTP 401 no key; check --header and --api-key-env',
      0,
    ]);
  });

  it('waits for the asked model though others are listed', async () => {
    const answer = (model: string, nowMs: number) => serves('a', ...(nowMs >= 500 ? ['b'] : []))(model);
    expect(await wait('b', { lists: [listed('a'), listed('a', 'b')], answer })).toEqual({
      ready: { model: 'b', models: ['a', 'b'] },
      tookMs: 500,
    });
  });

  it('gives up when the time is over, not later', async () => {
    const { ready, tookMs } = await wait(null, { lists: [DOWN] }, 2000);
    expect(ready).toBe(
      '3 http://h cannot be reached after 2 s (--ready-timeout): connection refused; is the router running, and is the port right?',
    );
    expect(tookMs).toBe(2000);
  });

  it('says what it sees at once when it is not to wait', async () => {
    const { ready, tookMs } = await wait(null, { lists: [DOWN] }, 0);
    expect([ready, tookMs]).toEqual([
      '3 http://h cannot be reached: connection refused; is the router running, and is the port right?',
      0,
    ]);
  });

  it('does not choose between several models', async () => {
    expect((await wait(null, { lists: [listed('a', 'b')] })).ready).toBe(
      '2 the target lists 2 models: a, b; choose one with --model',
    );
  });
});

describe('a router that lists what it does not serve', () => {
  it("is asked for the model that its workers' pages name", async () => {
    const target = { lists: [listed('unknown')], answer: serves('tiny'), names: ['unknown', 'old', 'tiny'] };
    expect((await wait(null, target)).ready).toEqual({ model: 'tiny', models: ['unknown'] });
    expect((await wait(null, { ...target, lists: [NO_LIST] })).ready).toEqual({
      model: 'tiny',
      models: null,
    });
  });

  it.each([
    'The model `m` does not exist. Valid aliases: tiny-qwen3',
    "model 'm' not found, available: ['other', 'tiny-qwen3']",
    'unknown model "m"; did you mean "tiny-qwen3"?',
  ])('is asked for the model that its refusal names: %s', async (message) => {
    const answer = (model: string) => (model === 'tiny-qwen3' ? OK : refused(404, message));
    expect((await wait(null, { lists: [listed('m')], answer })).ready).toEqual({
      model: 'tiny-qwen3',
      models: ['m'],
    });
  });

  it('is asked for its placeholder where that is all there is, and read what the refusal says', async () => {
    const refusal = refused(400, 'The model `unknown` does not exist. Valid aliases: tiny-qwen3');
    const target = {
      lists: [listed('unknown')],
      answer: (model: string) => (model === 'tiny-qwen3' ? OK : refusal),
      names: ['unknown'],
    };
    expect((await wait(null, target)).ready).toEqual({ model: 'tiny-qwen3', models: ['unknown'] });
    expect((await wait(null, { lists: [listed('unknown')] })).ready).toEqual({
      model: 'unknown',
      models: ['unknown'],
    });
  });

  it('is not taken for one where the refusal is of something else', async () => {
    const answer = () => refused(400, 'max_tokens: use max_completion_tokens');
    expect((await wait(null, { lists: [listed('m')], answer })).ready).toMatch(
      /^3 http:\/\/h does not answer a small request \(HTTP 400: max_tokens: use max_completion_tokens\); check/,
    );
  });

  it('is ready when the asked model is answered, listed or not, and without a list', async () => {
    for (const list of [listed('unknown'), listed('openai/*'), NO_LIST]) {
      const { ready, tookMs } = await wait('tiny', { lists: [list], answer: serves('tiny') });
      expect([ready, tookMs]).toEqual([
        { model: 'tiny', models: list.kind === 'listed' ? list.ids : null },
        0,
      ]);
    }
  });
});

describe('hints, followed', () => {
  /** Waits no longer, and gives the hint. */
  const hintOf = async (model: string | null, target: Target) => (await wait(model, target, 0)).ready;

  it('from a pattern to its model', async () => {
    const target = { lists: [listed('openai/*')], answer: serves('openai/m') };
    expect(await hintOf(null, target)).toBe(
      '2 the target lists patterns and no model: openai/*; give the full name of a model with --model',
    );
    expect(await hintOf('openai/m', target)).toEqual({ model: 'openai/m', models: ['openai/*'] });
  });

  it('from a slip to the listed model', async () => {
    const target = { lists: [listed('qwen3')], answer: serves('qwen3') };
    expect(await hintOf('qwen', target)).toMatch(/; did you mean --model qwen3\?$/);
    expect(await hintOf('other', target)).toMatch(/; use --model qwen3$/);
    expect(await hintOf('qwen3', target)).toEqual({ model: 'qwen3', models: ['qwen3'] });
  });

  it('never to a listed model that is refused too, and never back', async () => {
    const target = { lists: [listed('stale')], answer: serves('tiny') };
    expect(await hintOf(null, target)).toBe(
      '3 http://h lists stale and refuses it (HTTP 404: The model stale is not served); give the name that its workers serve with --model',
    );
    const hint = '; give the name that its workers serve; its log, or theirs, has it';
    expect(await hintOf('stale', target)).toBe(
      `3 http://h refuses "stale" (HTTP 404: The model stale is not served); it lists stale${hint}`,
    );
    expect(await hintOf('other', target)).toBe(
      `3 http://h does not list the model "other" (HTTP 404: The model other is not served); it lists stale${hint}`,
    );
    expect(await hintOf('tiny', target)).toEqual({ model: 'tiny', models: ['stale'] });
  });

  it('from no list, or an empty one, to a model that is named', async () => {
    expect(await hintOf(null, { lists: [NO_LIST] })).toMatch(
      /; is the base URL right\? A target without \/v1\/models needs --model ID$/,
    );
    expect(await hintOf(null, { lists: [listed()] })).toMatch(/, or give --model ID$/);
    expect(await hintOf('m', { lists: [NO_LIST] })).toEqual({ model: 'm', models: null });
    expect(await hintOf('m', { lists: [listed()] })).toEqual({ model: 'm', models: [] });
  });
});
