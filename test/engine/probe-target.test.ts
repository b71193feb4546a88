import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/core/answer/dialect.js';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import type { PartialScenario } from '../../src/core/scenario/settings.js';
import { createProbePrompt } from '../../src/core/workload/prompts.js';
import { type ProbeResult, probeTarget } from '../../src/engine/probe-target.js';
import { createFakeTransport, type FakeAnswer, NEVER, testClock } from '../support/fake-transport.js';

/** Probes a target that answers by the body's fields and the number of the request, from 0. */
async function probe(
  respond: (body: JsonObject, index: number) => FakeAnswer,
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

const VLLM_FIELDS = { ignore_eos: true, stream_options: { include_usage: true } };
const silent = { prefillWorker: null, decodeWorker: null };
const cached = (cachedTokens: number | null): FakeAnswer => ({ ms: 1, answer: { ...silent, cachedTokens } });

describe('probeTarget', () => {
  it('calls a target that answers nvext with workers a Dynamo', async () => {
    const { result, sent } = await probe(() => ({ ms: 1, dialect: 'dynamo' }));
    expect(result).toMatchObject({
      dialect: 'dynamo',
      fields: { nvext: { extra_fields: ['worker_id', 'timing'] }, ignore_eos: true },
      probe: [
        'dynamo: accepted',
        'workers or times are named in the way of NVIDIA Dynamo',
        'one prompt 2 times, cached_tokens: 0, 0',
      ],
      cached_tokens: 'reported',
    });
    expect(sent).toBe(2);
  });

  it('does not go on sending nvext to a target that ignores it, though a proxy names workers', async () => {
    for (const dialect of [undefined, 'litellm']) {
      const { result } = await probe(() => ({ ...cached(0), ...(dialect === undefined ? {} : { dialect }) }));
      expect(result).toMatchObject({ dialect: 'vllm', fields: VLLM_FIELDS });
      expect((result as ProbeResult).fields).not.toHaveProperty('nvext');
    }
  });

  it.each([400, 422, 500, 501])('asks for less where fields are refused with %i', async (status) => {
    const refusing =
      (...fields: string[]) =>
      async () =>
        (await probe((body) => (fields.some((field) => field in body) ? { ms: 1, status } : cached(0))))
          .result as ProbeResult;
    const plain = await refusing('nvext', 'ignore_eos')();
    expect(plain).toMatchObject({
      dialect: 'openai',
      fields: { temperature: 0, stream: true, stream_options: { include_usage: true } },
    });
    const bare = await refusing('nvext', 'ignore_eos', 'stream_options')();
    expect(bare.fields).toEqual({ stream: true });
    expect(bare.probe.slice(3)).toEqual([
      'bare: accepted',
      'not asked: ignore_eos; answers may end before --output-tokens',
      'not asked: stream_options; token counts and cached tokens only if sent unasked',
      'not asked: temperature; answers to one prompt may differ',
      'one prompt 2 times, cached_tokens: 0, 0',
    ]);
  });

  it('uses the dialect it is told, and no other', async () => {
    expect((await probe(() => cached(0), { dialect: 'openai' })).result).toMatchObject({ dialect: 'openai' });
    const refused = await probe(() => ({ ms: 1, status: 422 }), { dialect: 'vllm' });
    expect(refused.result).toMatch(/^3 http:\/\/h does not answer a small request \(HTTP 422/);
    expect(refused.sent).toBe(1);
  });

  it('does not blame the extensions for a missing model or key', async () => {
    for (const status of [401, 403, 404, 503]) expect((await probe(() => ({ ms: 1, status }))).sent).toBe(1);
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
