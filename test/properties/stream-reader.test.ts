import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAnswerReader } from '../../src/core/answer/answer-reader.js';
import { createStreamReader } from '../../src/core/answer/sse-reader.js';
import { bytesOf, check, cutsOf, nearBytes, partsOf, places } from './arbitraries.js';

const LINES = [
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  '\r\n\r\n',
  '\ufeff',
  ':',
  ': comment',
  'event: error',
  'id: 1',
  'data',
];
const DATA = [
  ...['data:', 'data: ', 'data: {}', 'data: [DONE]', 'data: {"error":{"message":"no"}}', '{"choices":[]}'],
  'data: {"id":"c","choices":[{"index":0,"delta":{"content":"é€😀"},"finish_reason":null}]}',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  'data: {"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3}}}',
];
const streams = nearBytes([...LINES, ...DATA, ...DATA.map((line) => `${line}\n\n`)]);

/** The events that a stream reader finds in `parts`. */
function eventsOf(parts: readonly Uint8Array[]): string[] {
  const events: string[] = [];
  const reader = createStreamReader({
    data: (bytes, start, end) =>
      events.push(`data ${Buffer.from(bytes.subarray(start, end)).toString('latin1')}`),
    error: (text) => events.push(`error ${text}`),
  });
  for (const part of parts) {
    expect(reader.push(part)).toBe(true);
    part.fill(0x58);
  }
  reader.end();
  return events;
}

/** All that an answer reader says of `parts`. */
function answerOf(parts: readonly Uint8Array[]) {
  let tokens = 0;
  const reader = createAnswerReader(() => tokens++);
  for (const part of parts) {
    reader.push(part);
    part.fill(0x58);
  }
  reader.end();
  return {
    tokens,
    facts: reader.facts(),
    failure: reader.failure(),
    isDone: reader.isDone(),
    sawData: reader.sawData(),
    isWhole: reader.isWhole(),
  };
}

describe('the stream reader', () => {
  it('finds the same events however the bytes are cut, and keeps nothing of a part it was given', () =>
    check(
      fc.property(streams, places, (bytes, at) => {
        const whole = eventsOf([bytes.slice()]);
        expect(eventsOf(partsOf(bytes, cutsOf(at, bytes.length)))).toEqual(whole);
        expect(eventsOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole);
      }),
    ));

  it('gives back every text sent as data, line by line', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    return check(
      fc.property(
        fc.array(text, { maxLength: 8 }),
        fc.constantFrom('\n', '\r', '\r\n'),
        places,
        (texts, end, at) => {
          const sent = texts.map((said) => said.split(/\r\n|\r|\n/));
          const bytes = bytesOf(
            sent.map((lines) => `${lines.map((line) => `data: ${line}${end}`).join('')}${end}`).join(''),
          );
          const expected = sent.map(
            (lines) => `data ${Buffer.from(bytesOf(lines.join('\n'))).toString('latin1')}`,
          );
          expect(eventsOf(partsOf(bytes, cutsOf(at, bytes.length)))).toEqual(expected);
        },
      ),
    );
  });
});

describe('the answer reader', () => {
  it('says the same of an answer however the bytes are cut', () =>
    check(
      fc.property(streams, places, (bytes, at) => {
        expect(answerOf(partsOf(bytes, cutsOf(at, bytes.length)))).toEqual(answerOf([bytes.slice()]));
      }),
      600,
    ));

  it('reads arbitrary bytes to an end', () =>
    check(
      fc.property(fc.uint8Array({ maxLength: 2000 }), places, (bytes, at) => {
        expect(answerOf(partsOf(bytes, cutsOf(at, bytes.length)))).toEqual(answerOf([bytes.slice()]));
      }),
    ));
});
