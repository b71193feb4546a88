import { type ChunkFacts, parseChunk } from './answer-chunk.js';

/**
 * Recognizes token events by comparing bytes. The token events of one stream differ in one string: `learn` takes the
 * text of one that was parsed and keeps what stands before and after that string; an event with the same bytes there
 * can say nothing else, whatever its shape, so parsing it would give the same facts. Events that name workers are learned
 * too: Dynamo names them in each.
 */
export interface TokenScan {
  /** Where an event like those learned ends that begins at `start`, before `stop`; -1 when there is none: it must be parsed. */
  endOf(bytes: Uint8Array, start: number, stop: number): number;
  /** Whether the event found last has a token: its string is not empty. */
  hasToken(): boolean;
  /** Takes an event that {@link TokenScan.endOf} did not know, its bytes as text, and what parsing it gave. */
  learn(bytes: Uint8Array, start: number, end: number, text: string, facts: ChunkFacts): void;
}

/** An event around its string. */
interface Shape {
  /** The bytes of the event that was learned. */
  readonly view: DataView;
  /** Bytes before the string. */
  readonly head: number;
  /** Where what comes behind the string begins, with the quote that ends it. */
  readonly tail: number;
}

/** Kept at once: content and reasoning, or a few choices in turn. */
const SHAPES_KEPT = 4;
/** Shapes learned in a row that no event had: then every event differs elsewhere too, and learning is given up. */
const MISSES_ALLOWED = 8;

/** A scan that knows nothing yet; one per stream, for ids and times differ between streams. */
export function createTokenScan(): TokenScan {
  return new Scan();
}

/** A class for its place in memory, as the reader of the stream is. */
class Scan implements TokenScan {
  private readonly shapes: Shape[] = [];
  private misses = 0;
  private isToken = false;

  endOf(bytes: Uint8Array, start: number, stop: number): number {
    for (let i = 0; i < this.shapes.length; i++) {
      const shape = this.shapes[i] as Shape;
      const quote = stringEnd(shape, bytes, start, stop);
      if (quote === -1) continue;
      this.misses = 0;
      this.isToken = quote > start + shape.head;
      return quote + shape.view.byteLength - shape.tail;
    }
    return -1;
  }

  hasToken(): boolean {
    return this.isToken;
  }

  learn(bytes: Uint8Array, start: number, end: number, text: string, facts: ChunkFacts): void {
    if (this.misses >= MISSES_ALLOWED || !saysOnlyToken(facts)) return;
    this.misses++;
    const found = findString(text);
    const shape = found === null ? null : shapeOf(found, bytes, start, end, text);
    if (shape === null) return;
    this.shapes.unshift(shape);
    if (this.shapes.length > SHAPES_KEPT) this.shapes.pop();
  }
}

function saysOnlyToken(facts: ChunkFacts): boolean {
  return facts.hasToken && saysNothingElse(facts);
}

/** Nothing that a repeat could change: the first id and workers of an answer stand. */
function saysNothingElse({ finishReason, usage, server, error }: ChunkFacts): boolean {
  return finishReason === null && usage === null && server === null && error === null;
}

const ENCODER = new TextEncoder();
const TOKEN_STRING = /"(?:content|reasoning_content|reasoning|text|arguments|name)"\s*:\s*"/g;
const STRING_REST = /[^"\\]*(?:\\.[^"\\]*)*/y;

/** Where a string stands in a text, in characters. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The string that makes the event a token event: the one without which the event says nothing. Where it is the only one
 * under such a key, and no escape could hide another, it must be that one; else it is found by trial, for the key alone
 * may stand anywhere.
 */
function findString(text: string): Span | null {
  const spans: Span[] = [];
  TOKEN_STRING.lastIndex = 0;
  while (TOKEN_STRING.test(text)) {
    const from = TOKEN_STRING.lastIndex;
    STRING_REST.lastIndex = from;
    // An unfinished string fits too, with no characters.
    STRING_REST.test(text);
    if (STRING_REST.lastIndex > from) spans.push({ from, to: STRING_REST.lastIndex });
  }
  const [only] = spans;
  if (only !== undefined && spans.length === 1 && !text.includes('\\')) return only;
  return spans.find(({ from, to }) => saysNothing(text.slice(0, from) + text.slice(to))) ?? null;
}

/** Null for bytes that are no UTF-8. */
function shapeOf(
  { from, to }: Span,
  bytes: Uint8Array,
  start: number,
  end: number,
  text: string,
): Shape | null {
  // Of its own: slice() of a Node buffer is a view of memory that is the caller's again.
  const view = new DataView(Uint8Array.prototype.slice.call(bytes, start, end).buffer);
  // One byte a character: no need to encode what was decoded.
  if (text.length === end - start) return { view, head: from, tail: to };
  const [head, string, tail] = [text.slice(0, from), text.slice(from, to), text.slice(to)].map(
    (part) => ENCODER.encode(part).length,
  ) as [number, number, number];
  return head + string + tail === end - start ? { view, head, tail: head + string } : null;
}

function saysNothing(text: string): boolean {
  try {
    const facts = parseChunk(text);
    return !facts.hasToken && saysNothingElse(facts);
  } catch {
    return false;
  }
}

/** Where the quote stands that ends the string of an event of this shape; -1 for an event that is not of it. */
function stringEnd({ view, head, tail }: Shape, bytes: Uint8Array, start: number, stop: number): number {
  const tailLength = view.byteLength - tail;
  if (start + head + tailLength > stop) return -1;
  const read = viewOf(bytes);
  const at = bytes.byteOffset + start;
  if (!isSame(view, 0, read, at, head)) return -1;
  const quote = quoteAfter(bytes, start + head, stop);
  if (quote === -1 || quote + tailLength > stop) return -1;
  return isSame(view, tail, read, bytes.byteOffset + quote, tailLength) ? quote : -1;
}

/** What is read mostly lies in one buffer. */
let lastView: DataView<ArrayBufferLike> = new DataView(new ArrayBuffer(0));

function viewOf({ buffer }: Uint8Array): DataView {
  if (lastView.buffer !== buffer) lastView = new DataView(buffer);
  return lastView;
}

/**
 * Eight bytes at a time, as numbers: eight times as fast as one by one. Of different bytes, only zeros could be equal
 * numbers, and `a` is text.
 */
function isSame(a: DataView, aAt: number, b: DataView, bAt: number, length: number): boolean {
  let i = 0;
  for (; i + 8 <= length; i += 8)
    if (a.getFloat64(aAt + i, true) !== b.getFloat64(bAt + i, true)) return false;
  for (; i < length; i++) if (a.getUint8(aAt + i) !== b.getUint8(bAt + i)) return false;
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SIMPLE_ESCAPES = Uint8Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0));

/** The quote that ends the JSON string whose inside begins at `start`; -1 where there is none. Unicode escapes are left to the parser. */
function quoteAfter(bytes: Uint8Array, start: number, stop: number): number {
  for (let i = start; i < stop; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE) return i;
    if (byte < 0x20) return -1;
    if (byte === BACKSLASH && !SIMPLE_ESCAPES.includes(bytes[++i] as number)) return -1;
  }
  return -1;
}
