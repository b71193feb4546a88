import { describe, expect, it } from 'vitest';
import { readWorkerHeaders } from '../../../src/core/answer/worker-headers.js';

const read = (headers: Readonly<Record<string, string>>) =>
  readWorkerHeaders((name) => headers[name] ?? null);

describe('worker headers', () => {
  it.each([
    [{ 'target-pod': '10.0.0.1:8000' }, null, '10.0.0.1:8000'],
    [{ 'prefill-target-pod': 'p', 'target-pod': 'd' }, 'p', 'd'],
    [{ 'x-inference-pod': 'sim-0' }, null, 'sim-0'],
    [{ 'x-worker-id': '7' }, null, '7'],
    [{ 'target-pod': '', 'x-worker-id': '7' }, null, '7'],
    [{}, null, null],
  ])('%o', (headers, prefillWorker, decodeWorker) => {
    expect(read(headers)).toEqual({ prefillWorker, decodeWorker });
  });
});
