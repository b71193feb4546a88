import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import {
  createResponseReader,
  MAX_HEAD_BYTES,
  type ResponseState,
} from '../../../src/io/http/response-parser.js';

const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

/** What a reader makes of `text`, cut where `cuts` says: heads, the body, and how it ended. */
function read(text: string, cuts: readonly number[] = [], closes = false) {
  const heads: string[] = [];
  let body = '';
  const reader = createResponseReader({
    head: ({ status, header }) => heads.push(`${status} ${header('x-id')}`),
    body(bytes, start, end) {
      body += String.fromCharCode(...bytes.subarray(start, end));
    },
  });
  const bytes = bytesOf(text);
  let state: ResponseState = { kind: 'more' };
  const ends = [...cuts, bytes.length];
  for (const [i, end] of ends.entries()) {
    state = reader.push(bytes.slice(i === 0 ? 0 : ends[i - 1], end));
    if (state.kind === 'broken') break;
  }
  if (closes && state.kind === 'more') state = reader.close();
  return { heads, body, state };
}

const DONE = { kind: 'done', isKept: true };
const CLOSING = { kind: 'done', isKept: false };
const head = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`;
const CHUNKED = head('HTTP/1.1 200 OK', 'X-Id: a', 'Transfer-Encoding: chunked');

describe('a response', () => {
  it.each([
    ['by its length', `${head('HTTP/1.1 200 OK', 'content-length: 5', 'x-id:a')}abcde`, 'abcde', DONE],
    ['in chunks', `${CHUNKED}3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n`, 'abcde', DONE],
    ['in chunks with trailers', `${CHUNKED}A\r\n0123456789\r\n0\r\nx-sum: 1\r\n\r\n`, '0123456789', DONE],
    [
      'that says it closes',
      head('HTTP/1.1 200', 'x-id: a', 'Connection: Close', 'content-length: 0'),
      '',
      CLOSING,
    ],
    ['of HTTP/1.0', `${head('HTTP/1.0 200 OK', 'x-id: a', 'content-length: 1')}a`, 'a', CLOSING],
    [
      'of HTTP/1.0 that stays',
      `${head('HTTP/1.0 200 OK', 'x-id: a', 'connection: keep-alive', 'content-length: 1')}a`,
      'a',
      DONE,
    ],
    ['without a body', head('HTTP/1.1 204 No Content', 'x-id: a'), '', DONE],
    ['after interim ones', `${head('HTTP/1.1 103 Early Hints', 'x-id: no')}${CHUNKED}0\r\n\r\n`, '', DONE],
    ['with more behind it', `${head('HTTP/1.1 200 OK', 'x-id: a', 'content-length: 1')}ab`, 'a', CLOSING],
  ])('%s is read to its end, wherever it is cut', (_name, text, body, state) => {
    const status = text.includes(' 204 ') ? 204 : 200;
    const whole = { heads: [`${status} a`], body, state };
    expect(read(text)).toEqual(whole);
    for (let cut = 1; cut < text.length; cut++) expect(read(text, [cut])).toEqual(whole);
    expect(read(text, [...text].map((_, i) => i).slice(1))).toEqual(whole);
    const rng = createRng(text);
    const three = Array.from({ length: 3 }, () => rng.int(text.length)).sort((a, b) => a - b);
    expect(read(text, three)).toEqual(whole);
  });

  it('without a length ends with the connection, and not before', () => {
    const text = `${head('HTTP/1.1 200 OK')}abc`;
    expect(read(text).state).toEqual({ kind: 'more' });
    expect(read(text, [], true)).toMatchObject({ body: 'abc', state: CLOSING });
  });

  it.each([
    ['before the head is complete', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['before its length', `${head('HTTP/1.1 200 OK', 'content-length: 9')}abc`],
    ['between chunks', `${CHUNKED}3\r\nabc\r\n`],
    ['in the trailers', `${CHUNKED}0\r\nx-sum: 1\r\n`],
  ])('is cut when the connection ends %s', (_name, text) => {
    expect(read(text, [], true).state).toEqual({ kind: 'cut' });
  });

  it.each([
    ['no HTTP', '\u0000\u0001 no http\r\n\r\n', 'no status line of HTTP/1'],
    ['no HTTP, without a line end', 'SSH-2.0', 'no head of HTTP/1'],
    ['HTTP/2', 'HTTP/2 200\r\n\r\n', 'no status line of HTTP/1'],
    ['bare line feeds', 'HTTP/1.1 200 OK\ncontent-length: 0\n\n', 'no head of HTTP/1'],
    ['a header without a name', head('HTTP/1.1 200 OK', ': x'), 'a header line without a name'],
    ['a folded header', head('HTTP/1.1 200 OK', 'a: b', ' c'), 'a header line without a name'],
    [
      'a control character in a header',
      head('HTTP/1.1 200 OK', 'a: b\u001b[2Jc'),
      'a control character within a header',
    ],
    ['a line feed in a header', head('HTTP/1.1 200 OK', 'a: b\nc: d'), 'a control character within a header'],
    ['a space before the colon', head('HTTP/1.1 200 OK', 'a : b'), 'a header line without a name'],
    [
      'two lengths',
      head('HTTP/1.1 200 OK', 'content-length: 1', 'Content-Length: 2'),
      'two lengths that differ',
    ],
    [
      'a length beside chunks',
      head('HTTP/1.1 200 OK', 'content-length: 1', 'transfer-encoding: chunked'),
      'a length beside a transfer coding',
    ],
    ['a negative length', head('HTTP/1.1 200 OK', 'content-length: -1'), 'a length that is no number'],
    ['100 Continue', head('HTTP/1.1 100 Continue'), 'status 100, which nobody asked for'],
    ['another protocol', head('HTTP/1.1 101 Switching Protocols'), 'status 101, which nobody asked for'],
    ['a chunk without a size', `${CHUNKED}\r\nabc`, 'a chunk without a size'],
    ['a chunk of no number', `${CHUNKED}3x\r\nabc\r\n`, 'a chunk without a size'],
    ['a chunk of too many digits', `${CHUNKED}fffffffffff\r\n`, 'a chunk without a size'],
    ['a chunk longer than said', `${CHUNKED}1\r\nabc\r\n`, 'a chunk longer than its size'],
    ['a size that ends with a line feed', `${CHUNKED}3\nabc\r\n`, 'a line end without a carriage return'],
    [
      'an endless head',
      `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(MAX_HEAD_BYTES)}`,
      `a head longer than ${MAX_HEAD_BYTES} bytes`,
    ],
    [
      'endless trailers',
      `${CHUNKED}0\r\n${'x: y\r\n'.repeat(MAX_HEAD_BYTES / 3)}`,
      `trailers longer than ${MAX_HEAD_BYTES} bytes`,
    ],
  ])('that is %s is broken', (_name, text, reason) => {
    expect(read(text).state).toEqual({ kind: 'broken', reason });
  });

  it('is followed by another on the same connection', () => {
    const statuses: number[] = [];
    const reader = createResponseReader({ head: ({ status }) => statuses.push(status), body: () => {} });
    expect(reader.push(bytesOf(`${CHUNKED}0\r\n\r\n`))).toEqual(DONE);
    reader.reset();
    expect(reader.push(bytesOf(head('HTTP/1.1 503 No', 'content-length: 2')))).toEqual({ kind: 'more' });
    expect(reader.push(bytesOf('no'))).toEqual(DONE);
    expect(statuses).toEqual([200, 503]);
  });
});
