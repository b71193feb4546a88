import type { StreamEnd } from '../../src/core/answer/exchange.js';
import { createRecorder, type Recorder, type RequestMeta } from '../../src/core/answer/recorder.js';
import { createBodyEncoder } from '../../src/core/answer/request-body.js';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import type { Prompt } from '../../src/core/workload/prompts.js';
import type { Transport } from '../../src/engine/ports.js';
import { createHttpTransport, type HttpTransportOptions } from '../../src/io/http/transport.js';
import { createRealClock } from '../../src/io/real-clock.js';

/** Real time, for transports over real sockets. */
export const realClock = createRealClock();

export const META: RequestMeta = {
  trial: 'p1-c1-r1',
  variant: 'test',
  prefixes: 1,
  concurrency: 1,
  rate: null,
  repeat: 1,
  seq: 0,
  prefix: 0,
  phase: 'measure',
};

/** A prompt of two words. */
export const PROMPT: Prompt = {
  shared: [{ id: 'prefix', tokens: 1, bytes: () => new TextEncoder().encode('some') }],
  tail: { id: 'tail', tokens: 1, bytes: () => new TextEncoder().encode(' words') },
};

/** A transport to `baseUrl` with the plain OpenAI dialect. */
export function httpTransport(baseUrl: string, options: Partial<HttpTransportOptions> = {}): Transport {
  const fields = { temperature: 0, stream: true, stream_options: { include_usage: true } };
  return createHttpTransport({
    baseUrl,
    headers: {},
    connections: 'reuse',
    endpoint: 'chat',
    encode: createBodyEncoder({ model: 'm', endpoint: 'chat', fields }),
    clock: realClock,
    ...options,
  });
}

/** A request under way. */
export interface Exchange {
  readonly record: Promise<RequestRecord>;
  abort(end: StreamEnd): void;
}

/** Sends one request and gives its record. */
export function exchange(
  transport: Transport,
  watch: (recorder: Recorder) => Recorder = (own) => own,
): Exchange {
  const dueMs = realClock.now();
  const recorder = watch(asPlainObject(createRecorder(META, { originMs: dueMs, dueMs })));
  let abort: (end: StreamEnd) => void = () => {};
  const record = new Promise<RequestRecord>((resolve) => {
    abort = transport.send({ prompt: PROMPT, outputTokens: 3 }, recorder, (end) =>
      resolve(recorder.finish(end)),
    );
  });
  return { record, abort };
}

/** The same recorder, of which a test can replace a part by spreading it. */
function asPlainObject(own: Recorder): Recorder {
  return {
    connected: (ms) => own.connected(ms),
    sent: (atMs) => own.sent(atMs),
    response: (status, info, atMs) => own.response(status, info, atMs),
    bytes: (chunk, atMs, start, end) => own.bytes(chunk, atMs, start, end),
    token: (atMs) => own.token(atMs),
    answer: (answer) => own.answer(answer),
    sentAtMs: () => own.sentAtMs(),
    lastTokenAtMs: () => own.lastTokenAtMs(),
    firstTokenWaitMs: () => own.firstTokenWaitMs(),
    dialect: () => own.dialect(),
    workerSource: () => own.workerSource(),
    finish: (end) => own.finish(end),
  };
}

/** The record of one request over a transport of its own. */
export async function recordOf(
  baseUrl: string,
  options: Partial<HttpTransportOptions> = {},
): Promise<RequestRecord> {
  const transport = httpTransport(baseUrl, options);
  try {
    return await exchange(transport).record;
  } finally {
    await transport.close();
  }
}
