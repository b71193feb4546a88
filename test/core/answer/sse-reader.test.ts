import { describe, expect, it } from 'vitest';
import { createStreamReader, MAX_EVENT_BYTES } from '../../../src/core/answer/sse-reader.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

function read(chunks: readonly (string | Uint8Array)[], ends = true) {
  const events: string[] = [];
  const reader = createStreamReader({
    data: (bytes, start, end) => events.push(decoder.decode(bytes.subarray(start, end))),
    error: (text) => events.push(`error: ${text}`),
  });
  const pushed = chunks.map((chunk) => {
    // A copy that is wiped, as the socket's buffer may be.
    const bytes = typeof chunk === 'string' ? encoder.encode(chunk) : chunk.slice();
    const goesOn = reader.push(bytes);
    bytes.fill(0);
    return goesOn;
  });
  if (ends) reader.end();
  return { events, pushed };
}

describe('the stream reader', () => {
  it.each([
    ['LF', 'data: a\n\ndata: b\n\n'],
    ['CRLF', 'data: a\r\n\r\ndata: b\r\n\r\n'],
    ['CR', 'data: a\r\rdata: b\r\r'],
    ['all three', 'data: a\r\n\ndata: b\n\r'],
    ['no space', 'data:a\n\ndata:b\n\n'],
    ['a byte order mark', '\ufeffdata: a\n\ndata: b\n\n'],
    ['comments', ':\n\n: hi\ndata: a\n: more\n\n:x\n\ndata: b\n\n'],
    ['other fields', 'event: x\nid: 1\nretry: 5\nnonsense\ndata: a\n\ndataset: 4\ndat: 5\ndata: b\n\n'],
    ['no blank line at the end', 'data: a\n\ndata: b\n'],
    ['no line end at the end', 'data: a\n\ndata: b'],
    ['blank lines', '\n\n\r\ndata: a\n\n\n\ndata: b\n\n\n'],
  ])('gives the same events with %s, whole and byte by byte', (_name, text) => {
    expect(read([text]).events).toEqual(['a', 'b']);
    expect(read(Array.from(encoder.encode(text), (byte) => Uint8Array.of(byte))).events).toEqual(['a', 'b']);
    expect(read([text, '', text.slice(0, 0)]).events).toEqual(['a', 'b']);
  });

  it('joins data lines with a line end, and takes one space off each', () => {
    const text = 'data: a\ndata:  b\ndata\ndata:\n\ndata:c\n\n';
    expect(read([text]).events).toEqual(['a\n b\n\n', 'c']);
    expect(read([...text]).events).toEqual(['a\n b\n\n', 'c']);
  });

  it('delivers an empty event only when there was a data line', () => {
    expect(read(['event: x\n\ndata\n\nid: 1\n\n']).events).toEqual(['']);
  });

  it('keeps characters whole that reads cut', () => {
    const bytes = encoder.encode('data: é€😀\n\n');
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(read([bytes.slice(0, cut), bytes.slice(cut)]).events).toEqual(['é€😀']);
    }
  });

  it('takes no byte order mark off any later line', () => {
    expect(read(['\ndata: a\n\n\ufeffdata: b\n\n']).events).toEqual(['a']);
  });

  it('delivers nothing of an event before its blank line', () => {
    expect(read(['data: a\n\ndata: b\n'], false).events).toEqual(['a']);
  });

  it.each([
    ['its data', 'event: error\ndata: gone\n: comment\n\n', 'error: gone'],
    ['its comments', 'event: error\n: gone\n:for good\n\n', 'error: gone for good'],
    ['a comment before', ': gone\nevent:error\n\n', 'error: gone'],
    ['nothing', 'event: error\n\n', 'error: '],
  ])('gives the text of an error event: %s', (_name, text, expected) => {
    expect(read([text]).events).toEqual([expected]);
    expect(read([...text]).events).toEqual([expected]);
  });

  it('forgets an event name and comments with the event', () => {
    expect(
      read(['event: error\ndata: a\n\ndata: b\n\nevent: error\nevent: message\ndata: c\n\n']).events,
    ).toEqual(['error: a', 'b', 'c']);
  });
});

describe('hostile streams', () => {
  const big = 'x'.repeat(MAX_EVENT_BYTES - 6);

  it('may have a line of a megabyte, in one read or in many', () => {
    const text = `data: ${big}\n\ndata: b\n\n`;
    const parts = Array.from({ length: 17 }, (_, i) => text.slice(i * 65_536, (i + 1) * 65_536));
    expect(read([text]).events.map((event) => event.length)).toEqual([big.length, 1]);
    expect(read(parts).events.map((event) => event.length)).toEqual([big.length, 1]);
  });

  it.each([
    ['a longer line', ['data: a\n\n', `data: ${big}x`, '\n\ndata: b\n\n']],
    ['a longer line in parts', ['data: a\n\n', `data: ${big}`, 'x', '\n\ndata: b\n\n']],
    ['a longer line of another field', ['data: a\n\n', `: ${big}xxxxxxx\n`, '\ndata: b\n\n']],
    ['more data lines', ['data: a\n\n', `data: ${big}\n`, `data: ${big}\n`, '\ndata: b\n\n']],
  ])('are given up at %s, and nothing after it is read', (_name, chunks) => {
    const { events, pushed } = read(chunks);
    expect(events).toEqual(['a']);
    expect([pushed[0], pushed.at(-1)]).toEqual([true, false]);
  });
});
