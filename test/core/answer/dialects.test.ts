import { describe, expect, it } from 'vitest';
import {
  DIALECTS,
  howToReport,
  KNOWN_NAMES_ONLY,
  readEventExtras,
  readHeaderExtras,
  workerNamesOf,
} from '../../../src/core/answer/dialects.js';
import { SETTINGS } from '../../../src/core/scenario/settings.js';

const read = (headers: Readonly<Record<string, string>>) => {
  const { workers, server, dialect } = readHeaderExtras((name) => headers[name] ?? null, KNOWN_NAMES_ONLY);
  return [dialect, workers?.prefillId ?? null, workers?.decodeId ?? null, server?.overhead_ms ?? null];
};

describe('the table of dialects', () => {
  it('has unique names, and those that say how to ask are the choices of --dialect', () => {
    const names = DIALECTS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    const asked = DIALECTS.filter(({ requestFields }) => requestFields !== null).map(({ name }) => name);
    expect([...asked].sort()).toEqual(['bare', 'dynamo', 'openai', 'vllm']);
    for (const name of asked) expect(SETTINGS.dialect.help).toContain(name);
  });

  it('asks for less and less', () => {
    const fields = DIALECTS.flatMap(({ requestFields }) =>
      requestFields === null ? [] : [Object.keys(requestFields)],
    );
    for (const [i, more] of fields.slice(0, -1).entries()) {
      expect(more).toEqual(expect.arrayContaining(fields[i + 1] as string[]));
    }
  });

  it('says how each engine is made to report cached tokens', () => {
    expect(howToReport('cachedTokens')).toBe(
      'vLLM: --enable-prompt-tokens-details; SGLang: --enable-cache-report',
    );
  });
});

describe('headers of a response', () => {
  it.each([
    [{ 'target-pod': '10.0.0.1:8000' }, 'aibrix', null, '10.0.0.1:8000', null],
    [{ 'prefill-target-pod': 'p', 'target-pod': 'd' }, 'aibrix', 'p', 'd', null],
    [{ 'x-inference-pod': 'sim-0' }, 'llm-d', null, 'sim-0', null],
    [{ 'x-conformance-test-served-endpoint': '10.0.0.1:80' }, 'llm-d', null, '10.0.0.1:80', null],
    [{ 'x-session-token': btoa('llm/pod-0') }, 'llm-d', null, 'llm/pod-0', null],
    [{ 'x-session-token': 'not of llm-d' }, null, null, null, null],
    [{ 'x-smg-routed-worker-id': 'w1' }, 'smg', null, 'w1', null],
    [{ 'x-smg-worker-id': 'w1' }, 'smg', null, 'w1', null],
    [{ 'x-gateway-destination-endpoint-served': 'e' }, 'gateway-api', null, 'e', null],
    [{ 'x-litellm-model-id': 'hash' }, 'litellm', null, 'hash', null],
    [
      {
        'x-litellm-model-id': 'hash',
        'x-litellm-model-api-base': 'http://w:1/v1',
        'x-litellm-overhead-duration-ms': '2.5',
      },
      ...['litellm', null, 'http://w:1/v1', 2.5],
    ],
    [{ 'x-backend-server': 'b' }, 'proxy', null, 'b', null],
    [{ 'x-worker-id': '7' }, 'proxy', null, '7', null],
    [{ 'target-pod': '', 'x-worker-id': '7' }, 'proxy', null, '7', null],
    [{}, null, null, null, null],
  ])('%o', (headers, ...expected) => {
    expect(read(headers)).toEqual(expected);
  });
});

describe('a worker that the user says where to find', () => {
  const names = workerNamesOf({ workerHeader: ['X-Mine', 'x-other'], workerJson: 'meta.pods.0' });
  const headers = (given: Readonly<Record<string, string>>) => {
    const { workers, workerSource, server } = readHeaderExtras((name) => given[name] ?? null, names);
    return [workers?.decodeId, workerSource, server?.overhead_ms];
  };
  const event = (text: string) => {
    const { workers, workerSource } = readEventExtras(JSON.parse(text), text, names);
    return [workers?.decodeId, workerSource];
  };

  it('is read from its headers before those that are known', () => {
    expect(headers({ 'x-mine': 'a', 'x-worker-id': 'b' })).toEqual(['a', 'header x-mine', undefined]);
    expect(headers({ 'x-other': 'c', 'x-worker-id': 'b' })).toEqual(['c', 'header x-other', undefined]);
    expect(headers({ 'x-worker-id': 'b' })).toEqual(['b', 'header x-worker-id', undefined]);
    const litellm = { 'x-mine': 'a', 'x-litellm-model-id': 'l', 'x-litellm-overhead-duration-ms': '2' };
    expect(headers(litellm)).toEqual(['a', 'header x-mine', 2]);
  });

  it('is cut from the body exactly, after what a dialect names', () => {
    expect(event('{"meta":{"pods":[18068143163136127841]}}')).toEqual([
      '18068143163136127841',
      'body meta.pods.0',
    ]);
    expect(event('{"meta":{"pods":["pod \\"0\\""]},"nvext":{"timing":{}}}')).toEqual([
      'pod "0"',
      'body meta.pods.0',
    ]);
    expect(event('{"meta":{"pods":["a"]},"nvext":{"worker_id":{"decode_worker_id":7}}}')).toEqual([
      '7',
      'body nvext.worker_id',
    ]);
    for (const nothing of ['null', '""', '{}', 'true']) {
      expect(event(`{"meta":{"pods":[${nothing}]}}`)).toEqual([undefined, null]);
    }
  });
});
