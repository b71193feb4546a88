import { describe, expect, it } from 'vitest';
import type { Dialect } from '../../src/core/answer/request-body.js';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import type { PartialScenario } from '../../src/core/scenario/settings.js';
import { createProbePrompt } from '../../src/core/workload/prompts.js';
import { type ProbeResult, probeTarget } from '../../src/engine/probe-target.js';
import { createFakeTransport, type FakeAnswer, NEVER, testClock } from '../support/fake-transport.js';

/** Probes a target that answers by the body's fields and the number of the request, from 0. */
async function probe(
  respond: (body: Dialect, index: number) => FakeAnswer,
  given: PartialScenario = {},
): Promise<{ readonly result: ProbeResult | string; readonly sent: number }> {
  const clock = testClock();
  let sent = 0;
  const scenario = resolveScenario({ url: 'http://h', ...given }, () => 'kv');
  const result = await probeTarget(scenario, {
    clock,
    stop: NEVER,
    connect: (body) => createFakeTransport(clock, () => respond(body, sent++)),
    prompt: createProbePrompt('test'),
  }).catch((error: { message: string; exitCode: number }) => `${error.exitCode} ${error.message}`);
  return { result, sent };
}

const silent = { prefillWorker: null, decodeWorker: null };
const cached = (cachedTokens: number | null): FakeAnswer => ({ ms: 1, answer: { ...silent, cachedTokens } });

describe('probeTarget', () => {
  it('calls a target that answers nvext with workers a Dynamo', async () => {
    const { result, sent } = await probe(() => ({ ms: 1 }));
    expect(result).toMatchObject({
      dialect: 'dynamo',
      body: { nvext: true, ignoreEos: true },
      cached_tokens: 'reported',
    });
    expect(sent).toBe(2);
  });

  it('does not go on sending nvext to a target that ignores it', async () => {
    expect((await probe(() => cached(0))).result).toMatchObject({
      dialect: 'vllm',
      body: { nvext: false, ignoreEos: true },
    });
  });

  it('falls back to the plain API where extensions are refused', async () => {
    const strict = (body: Dialect): FakeAnswer =>
      body.nvext || body.ignoreEos ? { ms: 1, status: 400 } : cached(0);
    expect((await probe(strict)).result).toMatchObject({
      dialect: 'openai',
      body: { nvext: false, ignoreEos: false },
    });
  });

  it('uses the dialect it is told, and no other', async () => {
    expect((await probe(() => cached(0), { dialect: 'openai' })).result).toMatchObject({ dialect: 'openai' });
    const refused = await probe(() => ({ ms: 1, status: 422 }), { dialect: 'vllm' });
    expect(refused.result).toMatch(/^3 http:\/\/h does not answer a small request \(HTTP 422/);
    expect(refused.sent).toBe(1);
  });

  it('does not blame the extensions for a missing model or a broken server', async () => {
    for (const status of [401, 404, 500, 503]) expect((await probe(() => ({ ms: 1, status }))).sent).toBe(1);
  });

  it('recognizes a target that leaves zeros out: first absent, later a hit', async () => {
    const { result, sent } = await probe((_, index) => cached(index < 6 ? null : 288));
    expect(result).toMatchObject({ cached_tokens: 'omits-zero' });
    expect(sent).toBe(7);
  });

  it('takes a zero at the first send for a report', async () => {
    expect((await probe((_, index) => cached(index === 0 ? 0 : 288))).result).toMatchObject({
      cached_tokens: 'reported',
    });
  });

  it('gives up on a target that never says, after sixteen sends', async () => {
    const { result, sent } = await probe(() => cached(null));
    expect(result).toMatchObject({ cached_tokens: 'not-reported' });
    expect(sent).toBe(16);
  });
});
