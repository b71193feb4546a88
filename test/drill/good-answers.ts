import { ANSWER_TOKENS, DONE, type Wire } from './wire.js';

/** What a target does to a request, and what must come of it. */
export interface Fault {
  readonly name: string;
  /** How often, against the others. */
  readonly weight: number;
  readonly outcome: 'ok' | 'http_error' | 'stream_error' | 'timeout' | 'empty';
  /** Error code that the record must give. */
  readonly code?: RegExp;
  /** The connection is of no use afterwards: a request on it is a difference. */
  readonly leaves?: true;
  act(wire: Wire): Promise<void> | void;
}

/** Data of a named event, and of no protocol at all. */
const PING = 'event: ping\ndata: {"type": "ping"}\n\ndata: : 12 waiting\n\n';

/** Everything after the tokens. */
function ending(wire: Wire): string {
  return `${wire.finishText()}${wire.usageText()}${DONE}`;
}

function whole(wire: Wire): string {
  return `${wire.tokenText(ANSWER_TOKENS)}${ending(wire)}`;
}

/** Chunked bytes of one body, for a target that cuts them where it likes. */
function framed(body: string): string {
  const size = Buffer.byteLength(body).toString(16);
  return `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${size}\r\n${body}\r\n0\r\n\r\n`;
}

async function plain(wire: Wire, gapMs: number): Promise<void> {
  wire.head(200);
  await wire.tokens(ANSWER_TOKENS, gapMs);
  wire.body(ending(wire));
  wire.last();
}

/** Answers that are good, however odd the way they come. */
export const GOOD_ANSWERS: readonly Fault[] = [
  { name: 'tokens one by one', weight: 200, outcome: 'ok', act: (wire) => plain(wire, 1 + wire.rng.int(4)) },
  { name: 'all tokens at once', weight: 200, outcome: 'ok', act: (wire) => plain(wire, 0) },
  {
    name: 'late first token',
    weight: 40,
    outcome: 'ok',
    async act(wire) {
      await wire.wait(50 + wire.rng.int(250));
      await plain(wire, 0);
    },
  },
  {
    name: 'head at once, tokens late',
    weight: 20,
    outcome: 'ok',
    async act(wire) {
      wire.head(200);
      await wire.wait(100);
      wire.body(whole(wire));
      wire.last();
    },
  },
  {
    name: 'cut anywhere',
    weight: 60,
    outcome: 'ok',
    async act(wire) {
      wire.entry.status = 200;
      const text = framed(whole(wire));
      let at = 0;
      while (at < text.length) {
        const to = at + 1 + wire.rng.int(200);
        wire.raw(text.slice(at, to));
        at = to;
        await wire.wait(1);
      }
    },
  },
  {
    name: 'byte by byte',
    weight: 4,
    outcome: 'ok',
    async act(wire) {
      wire.entry.status = 200;
      for (const byte of framed(whole(wire))) {
        wire.raw(byte);
        if (wire.rng.next() < 0.05) await wire.wait(1);
      }
    },
  },
  {
    name: '[DONE] without finish',
    weight: 20,
    outcome: 'ok',
    act(wire) {
      wire.head(200);
      wire.body(`${wire.tokenText(ANSWER_TOKENS)}${wire.usageText()}${DONE}`);
      wire.last();
    },
  },
  {
    name: 'finish without [DONE]',
    weight: 20,
    outcome: 'ok',
    act(wire) {
      wire.head(200);
      wire.body(`${wire.tokenText(ANSWER_TOKENS)}${wire.finishText()}${wire.usageText()}`);
      wire.last();
    },
  },
  {
    name: 'whole JSON',
    weight: 20,
    outcome: 'ok',
    act(wire) {
      wire.tokenText(1);
      wire.usageText();
      wire.finishText('stop');
      const { promptTokens, outputTokens, cachedTokens } = wire.entry;
      const usage = {
        prompt_tokens: promptTokens,
        completion_tokens: outputTokens,
        prompt_tokens_details: { cached_tokens: cachedTokens },
      };
      const choice = {
        index: 0,
        message: { role: 'assistant', content: 'eight words' },
        finish_reason: 'stop',
      };
      const json = JSON.stringify({ id: 'c1', choices: [choice], usage });
      wire.head(200, { 'content-type': 'application/json', 'content-length': `${json.length}` }, 'given');
      wire.raw(json);
    },
  },
  {
    name: 'ends with the connection',
    weight: 20,
    outcome: 'ok',
    leaves: true,
    act(wire) {
      wire.head(200, { connection: 'close' }, 'given');
      wire.body(whole(wire));
      wire.close();
    },
  },
  {
    name: 'of a given length',
    weight: 20,
    outcome: 'ok',
    act(wire) {
      const text = whole(wire);
      wire.head(200, { 'content-length': `${Buffer.byteLength(text)}` }, 'given');
      wire.body(text);
    },
  },
  {
    name: 'comments, CRLF and odd events between',
    weight: 20,
    outcome: 'ok',
    async act(wire) {
      wire.head(200);
      wire.body(': ping\r\n\r\n');
      for (let i = 0; i < ANSWER_TOKENS; i++) {
        wire.body(`${wire.tokenText(1).replaceAll('\n', '\r\n')}: keep-alive\n\nid: 7\nretry: 10\n\n${PING}`);
      }
      wire.body(ending(wire));
      wire.last();
    },
  },
  {
    name: 'an interim response first',
    weight: 10,
    outcome: 'ok',
    async act(wire) {
      wire.raw('HTTP/1.1 103 Early Hints\r\nlink: </>\r\n\r\n');
      await plain(wire, 0);
    },
  },
  {
    name: 'reset behind [DONE]',
    weight: 10,
    outcome: 'ok',
    leaves: true,
    async act(wire) {
      wire.head(200);
      wire.body(whole(wire));
      await wire.wait(2);
      wire.reset();
    },
  },
  {
    name: 'closed behind [DONE]',
    weight: 10,
    outcome: 'ok',
    leaves: true,
    act(wire) {
      wire.head(200);
      wire.body(whole(wire));
      wire.close();
    },
  },
  {
    name: 'bytes behind the answer',
    weight: 10,
    outcome: 'ok',
    leaves: true,
    act(wire) {
      wire.entry.status = 200;
      wire.raw(`${framed(whole(wire))}HTTP/1.1 200 OK\r\n\r\n`);
    },
  },
  {
    name: 'keep-alive ends right behind the answer',
    weight: 30,
    outcome: 'ok',
    async act(wire) {
      await plain(wire, 0);
      wire.close();
    },
  },
  {
    name: 'keep-alive ends a moment later',
    weight: 20,
    outcome: 'ok',
    async act(wire) {
      await plain(wire, 0);
      wire.closeIdle(wire.rng.int(4));
    },
  },
  {
    name: 'reset right behind the answer',
    weight: 10,
    outcome: 'ok',
    async act(wire) {
      await plain(wire, 0);
      wire.reset();
    },
  },
];
