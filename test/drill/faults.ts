import type { Fault } from './good-answers.js';
import { ANSWER_TOKENS, DONE, type Wire } from './wire.js';

type Act = Fault['act'];

const httpError = (name: string, weight: number, act: Act): Fault => ({
  name,
  weight,
  outcome: 'http_error',
  code: /^http_\d+$/,
  act,
});
const streamError = (name: string, weight: number, code: RegExp, act: Act, leaves?: true): Fault => ({
  name,
  weight,
  outcome: 'stream_error',
  code,
  act,
  ...(leaves === undefined ? {} : { leaves }),
});
const timeout = (name: string, act: Act): Fault => ({
  name,
  weight: 2,
  outcome: 'timeout',
  code: /timeout/,
  leaves: true,
  act,
});

/**
 * A connection that breaks. A reset is told apart from an end only where no bytes came with it: libuv says end of file when
 * both are there at once.
 */
export const BROKEN = /^(closed|ECONNRESET|EPIPE)$/;

/** The head and some of the tokens. */
async function begin(wire: Wire): Promise<void> {
  wire.head(200);
  await wire.tokens(wire.rng.int(ANSWER_TOKENS), wire.rng.int(3));
}

/** An answer in full, with bytes of the caller's in place of its framing. */
function endWith(wire: Wire, text: string): void {
  wire.body(`${text}${wire.finishText()}${wire.usageText()}${DONE}`);
  wire.last();
}

function refuse(
  wire: Wire,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  wire.head(
    status,
    { 'content-type': 'application/json', 'content-length': `${Buffer.byteLength(body)}`, ...headers },
    'given',
  );
  wire.raw(body);
}

/** A refusal, for bursts of them. */
export function refusal(status: number): Fault {
  const body =
    status === 502 ? '<html><h1>Bad Gateway</h1></html>' : '{"error":{"message":"try later","type":"busy"}}';
  return httpError(`burst of ${status}`, 0, (wire) =>
    refuse(wire, status, body, status === 429 ? { 'retry-after': '1' } : {}),
  );
}

const HTTP_ERRORS: readonly Fault[] = [
  httpError('500 in chunks', 10, (wire) => {
    wire.head(500);
    wire.body('{"detail":"no"}');
    wire.last();
  }),
  httpError('401', 5, (wire) => refuse(wire, 401, '{"message":"no key"}')),
  httpError('redirect', 5, (wire) => refuse(wire, 302, '', { location: 'http://127.0.0.1:1/' })),
  {
    ...httpError('500 cut short', 5, (wire) => {
      wire.head(500, { 'content-length': '900' }, 'given');
      wire.raw('{"error":');
      wire.close();
    }),
    leaves: true,
  },
  {
    ...httpError('503 that never ends', 1, (wire) => {
      wire.head(503);
      wire.body('{"error":');
      return wire.closed();
    }),
    leaves: true,
  },
];

const BROKEN_CONNECTIONS: readonly Fault[] = [
  streamError('reset before the head', 15, BROKEN, (wire) => wire.reset(), true),
  streamError('closed before the head', 15, /^closed$/, (wire) => wire.close(), true),
  streamError(
    'reset within the head',
    8,
    BROKEN,
    async (wire) => {
      wire.raw('HTTP/1.1 200 OK\r\ncontent-ty');
      await wire.wait(2);
      wire.reset();
    },
    true,
  ),
  streamError(
    'reset after the head',
    8,
    BROKEN,
    async (wire) => {
      wire.head(200);
      await wire.wait(2);
      wire.reset();
    },
    true,
  ),
  streamError(
    'reset mid-stream',
    15,
    BROKEN,
    async (wire) => {
      await begin(wire);
      wire.reset();
    },
    true,
  ),
  streamError(
    'closed mid-stream',
    15,
    /^closed$/,
    async (wire) => {
      await begin(wire);
      wire.close();
    },
    true,
  ),
  streamError(
    'closed within a chunk',
    10,
    /^closed$/,
    async (wire) => {
      await begin(wire);
      wire.raw('40\r\ndata: {"id":');
      wire.close();
    },
    true,
  ),
  streamError(
    'cut after the usage',
    5,
    /^closed$/,
    async (wire) => {
      await begin(wire);
      wire.body(wire.usageText());
      wire.close();
    },
    true,
  ),
  streamError(
    'ends with the connection, early',
    8,
    /^ended_early$/,
    async (wire) => {
      wire.head(200, {}, 'given');
      await wire.tokens(1 + wire.rng.int(ANSWER_TOKENS - 1));
      wire.close();
    },
    true,
  ),
];

const BROKEN_FRAMES: readonly Fault[] = [
  streamError(
    'garbage for a head',
    8,
    /^bad_response$/,
    (wire) => wire.raw(Uint8Array.from({ length: 300 }, () => wire.rng.int(256) | 0x80)),
    true,
  ),
  streamError(
    'a size that is none',
    8,
    /^bad_response$/,
    async (wire) => {
      await begin(wire);
      wire.raw('zz\r\n');
    },
    true,
  ),
  streamError(
    'a chunk longer than its size',
    8,
    /^bad_response$/,
    async (wire) => {
      await begin(wire);
      wire.raw('2\r\n: comment\r\n');
    },
    true,
  ),
  streamError(
    'two lengths',
    4,
    /^bad_response$/,
    (wire) => wire.raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\ncontent-length: 5\r\n\r\nabcd'),
    true,
  ),
  streamError(
    'a length beside chunks',
    4,
    /^bad_response$/,
    (wire) => wire.raw('HTTP/1.1 200 OK\r\ncontent-length: 4\r\ntransfer-encoding: chunked\r\n\r\n'),
    true,
  ),
  streamError(
    'an endless head',
    1,
    /^bad_response$/,
    async (wire) => {
      wire.raw('HTTP/1.1 200 OK\r\n');
      for (let i = 0; i < 12; i++) {
        wire.raw(`x-filler-${i}: ${'f'.repeat(8000)}\r\n`);
        await wire.wait(1);
      }
    },
    true,
  ),
  streamError(
    'a change of protocol',
    4,
    /^bad_response$/,
    (wire) => wire.raw('HTTP/1.1 101 Switching\r\nupgrade: h2c\r\n\r\n'),
    true,
  ),
  streamError(
    'a length too long',
    8,
    /^closed$/,
    async (wire) => {
      const text = wire.tokenText(3);
      wire.head(200, { 'content-length': `${text.length + 100}` }, 'given');
      wire.raw(text);
      wire.close();
    },
    true,
  ),
  streamError(
    'a length too short',
    8,
    /^malformed_event$/,
    (wire) => {
      const text = wire.tokenText(3);
      wire.head(200, { 'content-length': `${text.length + 12}` }, 'given');
      wire.raw(`${text}data: {"id":"c1","choices":[]}\n\n${DONE}`);
    },
    true,
  ),
];

const BAD_STREAMS: readonly Fault[] = [
  streamError('an error with its key', 12, /^server_error$/, async (wire) => {
    await begin(wire);
    wire.event('{"error":{"message":"out of memory","code":500}}');
    wire.last();
  }),
  streamError('an error, then [DONE]', 8, /^server_error$/, async (wire) => {
    await begin(wire);
    wire.body(`data: {"object":"error","message":"no","code":500}\n\n${DONE}`);
    wire.last();
  }),
  streamError('an error without its key', 8, /^server_error$/, async (wire) => {
    await begin(wire);
    wire.body(`data: {"code":500,"message":"engine died","type":"InternalServerError"}\n\n${DONE}`);
    wire.last();
  }),
  streamError('an error event with a comment', 8, /^server_error$/, async (wire) => {
    await begin(wire);
    wire.body('event: error\n: engine died\n\n');
    wire.last();
  }),
  streamError('an event that is not JSON', 8, /^malformed_event$/, async (wire) => {
    await begin(wire);
    wire.event('\u0001garbage {');
    wire.last();
  }),
  streamError('no events', 6, /^no_answer$/, (wire) => {
    wire.head(200, { 'content-type': 'text/plain' });
    wire.body('It works!\n');
    wire.last();
  }),
  streamError('204', 4, /^no_answer$/, (wire) => wire.head(204, {}, 'given')),
  streamError('broken JSON', 6, /^malformed_body$/, (wire) => {
    wire.head(200, { 'content-type': 'application/json' });
    wire.body('{"id":"c1","choices":[{"message":{"content":"a"');
    wire.last();
  }),
  streamError('given up', 6, /^given_up$/, async (wire) => {
    await begin(wire);
    wire.body(wire.finishText('abort'));
    wire.last();
  }),
  streamError('compressed', 4, /^content_encoding$/, (wire) => {
    wire.head(200, { 'content-encoding': 'gzip' });
    wire.body('\u001f\u008b');
    wire.last();
  }),
  streamError('an event without end', 1, /^event_too_large$/, (wire) => {
    wire.head(200);
    for (let i = 0; i < 18; i++) wire.body(`${i === 0 ? 'data: ' : ''}${'x'.repeat(1 << 16)}`);
    wire.last();
  }),
  {
    name: 'no token',
    weight: 8,
    outcome: 'empty',
    code: /^no_token$/,
    act: (wire) => {
      wire.head(200);
      endWith(wire, '');
    },
  },
];

const TIMEOUTS: readonly Fault[] = [
  timeout('headers that never come', (wire) => wire.closed()),
  timeout('half a head', (wire) => {
    wire.raw('HTTP/1.1 200 OK\r\ncontent-type: te');
    return wire.closed();
  }),
  timeout('a head and no more', (wire) => {
    wire.head(200);
    return wire.closed();
  }),
  timeout('a stall mid-stream', async (wire) => {
    await begin(wire);
    return wire.closed();
  }),
  timeout('a head of a byte a second', async (wire) => {
    for (const byte of 'HTTP/1.1 200 OK\r\n') {
      wire.raw(byte);
      await wire.wait(1000);
    }
  }),
  timeout('a body of a byte a second', async (wire) => {
    wire.head(200);
    for (const byte of ': a slow comment') {
      wire.body(byte);
      await wire.wait(1000);
    }
  }),
];

export const FAULTS: readonly Fault[] = [
  ...HTTP_ERRORS,
  ...BROKEN_CONNECTIONS,
  ...BROKEN_FRAMES,
  ...BAD_STREAMS,
  ...TIMEOUTS,
];
