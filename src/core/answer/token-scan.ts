import { type ChunkFacts, parseChunk } from './answer-chunk.js';

/**
 * Recognizes token events by comparing bytes. The token events of one stream differ in one string: `learn` takes the
 * text of one that was parsed and keeps what stands before and after that string; an event with the same bytes there
 * can say nothing else, whatever its shape, so parsing it would give the same facts. Events that name workers are learned
 * too: Dynamo names them in each.
 */
export interface TokenScan {
  /** `token`: one more like those learned. `nothing`: like them, with the string empty. `unknown`: must be parsed. */
  scan(bytes: Uint8Array, start: number, end: number): 'token' | 'nothing' | 'unknown';
  /** Takes an event that {@link TokenScan.scan} did not know, its bytes as text, and what parsing it gave. */
  learn(bytes: Uint8Array, start: number, end: number, text: string, facts: ChunkFacts): void;
}

interface Shape {
  readonly head: Uint8Array;
  /** Begins with the quote that ends the string. */
  readonly tail: Uint8Array;
}

/** Kept at once: content and reasoning, or a few choices in turn. */
const SHAPES_KEPT = 4;
/** Shapes learned in a row that no event had: then every event differs elsewhere too, and learning is given up. */
const MISSES_ALLOWED = 8;

/** A scan that knows nothing yet; one per stream, for ids and times differ between streams. */
export function createTokenScan(): TokenScan {
  const shapes: Shape[] = [];
  let misses = 0;

  return {
    scan(bytes, start, end) {
      for (const shape of shapes) {
        const length = matchedLength(shape, bytes, start, end);
        if (length === -1) continue;
        misses = 0;
        return length > 0 ? 'token' : 'nothing';
      }
      return 'unknown';
    },
    learn(bytes, start, end, text, facts) {
      if (misses >= MISSES_ALLOWED || !saysOnlyToken(facts)) return;
      misses++;
      const found = findString(text);
      if (found === null) return;
      shapes.unshift(shapeOf(found, bytes, start, end, text));
      if (shapes.length > SHAPES_KEPT) shapes.pop();
    },
  };
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
  const spans = [...text.matchAll(TOKEN_STRING)].flatMap((match): Span[] => {
    const from = match.index + match[0].length;
    STRING_REST.lastIndex = from;
    const length = STRING_REST.exec(text)?.[0].length ?? 0;
    return length === 0 ? [] : [{ from, to: from + length }];
  });
  const [only] = spans;
  if (only !== undefined && spans.length === 1 && !text.includes('\\')) return only;
  return spans.find(({ from, to }) => saysNothing(text.slice(0, from) + text.slice(to))) ?? null;
}

/** The bytes around the string. */
function shapeOf({ from, to }: Span, bytes: Uint8Array, start: number, end: number, text: string): Shape {
  // One byte a character: no need to encode what was decoded.
  if (text.length === end - start) {
    return {
      head: new Uint8Array(bytes.subarray(start, start + from)),
      tail: new Uint8Array(bytes.subarray(start + to, end)),
    };
  }
  return {
    head: ENCODER.encode(text.slice(0, from)),
    tail: ENCODER.encode(text.slice(to)),
  };
}

function saysNothing(text: string): boolean {
  try {
    const facts = parseChunk(text);
    return !facts.hasToken && saysNothingElse(facts);
  } catch {
    return false;
  }
}

/** Bytes of the string of an event of this shape, or -1 for an event that is not of it. */
function matchedLength(shape: Shape, bytes: Uint8Array, start: number, end: number): number {
  const { head, tail } = shape;
  const stringStart = start + head.length;
  const stringEnd = end - tail.length;
  if (stringEnd < stringStart || !standsAt(bytes, stringEnd, tail) || !standsAt(bytes, start, head))
    return -1;
  return isStringContent(bytes, stringStart, stringEnd) ? stringEnd - stringStart : -1;
}

function standsAt(bytes: Uint8Array, at: number, pattern: Uint8Array): boolean {
  for (let i = 0; i < pattern.length; i++) if (bytes[at + i] !== pattern[i]) return false;
  return true;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SIMPLE_ESCAPES = Uint8Array.from('"\\/bfnrt', (letter) => letter.charCodeAt(0));

/** Whether the bytes are the inside of one JSON string. Unicode escapes are left to the parser. */
function isStringContent(bytes: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i] as number;
    if (byte === QUOTE || byte < 0x20) return false;
    if (byte === BACKSLASH) {
      i++;
      if (i >= end || !SIMPLE_ESCAPES.includes(bytes[i] as number)) return false;
    }
  }
  return true;
}
