import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseReader, type ResponseState } from '../../src/io/http/response-parser.js';
import { bytesOf, check, cutsOf, nearBytes, partsOf, places } from './arbitraries.js';

/** What a reader makes of `parts` and the end of the connection. */
function read(parts: readonly Uint8Array[]) {
  const heads: string[] = [];
  const body: number[] = [];
  const reader = createResponseReader({
    head: ({ status, header }) => heads.push(`${status} ${header('x-id')}`),
    body: (bytes, start, end) => body.push(...bytes.subarray(start, end)),
  });
  let state: ResponseState = { kind: 'more' };
  for (const part of parts) {
    state = reader.push(part);
    part.fill(0x58);
  }
  if (state.kind === 'more') state = reader.close();
  return { heads, body, state };
}

interface Response {
  readonly bytes: Uint8Array;
  readonly body: readonly number[];
  readonly isKept: boolean;
}

const bodies = fc.uint8Array({ maxLength: 300 });

const ofLength: fc.Arbitrary<Response> = bodies.map((body) => ({
  bytes: joined(head(`Content-Length: ${body.length}`), body),
  body: [...body],
  isKept: true,
}));

const untilClose: fc.Arbitrary<Response> = bodies.map((body) => ({
  bytes: joined(head(), body),
  body: [...body],
  isKept: false,
}));

const inChunks: fc.Arbitrary<Response> = fc
  .tuple(
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 60 }), { maxLength: 8 }),
    fc.constantFrom('', ';name=value', '  ;a', ' '),
    fc.constantFrom('', 'x-sum: 1\r\n'),
    fc.boolean(),
  )
  .map(([chunks, extension, trailers, isUpper]) => ({
    bytes: joined(
      head('transfer-encoding: chunked'),
      ...chunks.flatMap((chunk) => {
        const size = chunk.length.toString(16);
        return [
          bytesOf(`${isUpper ? size.toUpperCase() : `0${size}`}${extension}\r\n`),
          chunk,
          bytesOf('\r\n'),
        ];
      }),
      bytesOf(`0\r\n${trailers}\r\n`),
    ),
    body: chunks.flatMap((chunk) => [...chunk]),
    isKept: true,
  }));

function head(...lines: string[]): Uint8Array {
  return bytesOf(['HTTP/1.1 200 OK', 'X-Id: a', ...lines, '', ''].join('\r\n'));
}

function joined(...parts: Uint8Array[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

describe('the response reader', () => {
  it('gives a body back byte for byte, however it is framed and cut', () =>
    check(
      fc.property(fc.oneof(ofLength, untilClose, inChunks), places, ({ bytes, body, isKept }, at) => {
        const state = { kind: 'done', isKept };
        const expected = { heads: ['200 a'], body, state };
        expect(read(partsOf(bytes, cutsOf(at, bytes.length)))).toEqual(expected);
        expect(read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(expected);
      }),
    ));

  it('calls every response cut short of its length, or of its last chunk, cut', () =>
    check(
      fc.property(
        fc.oneof(ofLength, inChunks),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (response, share) => {
          const length = Math.min(Math.floor(share * response.bytes.length), response.bytes.length - 1);
          const { body, state } = read([response.bytes.slice(0, length)]);
          expect(state).toEqual({ kind: 'cut' });
          expect(body).toEqual(response.body.slice(0, body.length));
        },
      ),
    ));

  const words = [
    ...[
      'HTTP/1.1 200 OK\r\n',
      'HTTP/1.1 200 OK\r\n\r\n',
      'HTTP/1.1 103 X\r\n\r\n',
      'HTTP/1.0 ',
      '\r\n',
      '\n',
      '\r',
    ],
    ...[
      'transfer-encoding: chunked\r\n',
      'content-length: 4\r\n',
      'x-id: b\r\n',
      'connection: close\r\n',
      '0',
      '3',
    ],
    ...[
      'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n',
      '5\r\nabcde\r\n',
      '0\r\n\r\n',
      'FFFFFFFFFFF\r\n',
    ],
  ];
  const near = fc.oneof(
    nearBytes(words),
    nearBytes(words).map((bytes) => joined(head('transfer-encoding: chunked'), bytes)),
    fc.uint8Array({ maxLength: 600 }),
  );

  it('comes to the same end over arbitrary bytes, however they are cut', () =>
    check(
      fc.property(near, places, (bytes, at) => {
        const cut = read(partsOf(bytes, cutsOf(at, bytes.length)));
        const whole = read([bytes.slice()]);
        // A head that cannot become one is given up before all of it is read, with a reason that says less.
        expect({ ...cut, state: cut.state.kind }).toEqual({ ...whole, state: whole.state.kind });
      }),
      1000,
    ));
});
