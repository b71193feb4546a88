import { createRng, type Rng } from '../base/rng.js';
import { HEAD_WORDS, WORDS } from './words.js';

/** A stretch of a prompt. Equal ids mean equal text; the text is made when asked for, which the simulated cluster never does. */
export interface PromptPart {
  readonly id: string;
  /** One word is one token. */
  readonly tokens: number;
  /** Lower-case ASCII words, one space before each but the prompt's first. Needs no JSON escapes. Do not modify: shared. */
  bytes(): Uint8Array;
}

/** A prompt: parts that other requests begin with too, in order, then a tail that no other request has. */
export interface Prompt {
  readonly shared: readonly PromptPart[];
  readonly tail: PromptPart;
}

/** Length of a whole prompt, tokens. */
export function promptTokens({ shared, tail }: Prompt): number {
  return shared.reduce((sum, { tokens }) => sum + tokens, tail.tokens);
}

/** Words at the head of a prefix that the salt decides. 4,096^4 of them: no two salts meet. */
const SALTED_WORDS = 4;

/** The prefix called `name`; its text is kept once made. A salt (empty for none) changes its first words and no length. */
export function createPrefix(name: string, tokens: number, salt: string): PromptPart {
  let made: Uint8Array | null = null;
  return {
    id: salt === '' ? name : `${name}/salt/${salt}`,
    tokens,
    bytes: () => {
      made ??= encodeWords(prefixWords(name, tokens, salt), 'start');
      return made;
    },
  };
}

/**
 * The tail called `id`, which follows a prefix; `first` is the number of its first word, see {@link createFirstWords}. A
 * cache whose blocks are single tokens would count an equal first word of two tails as part of their prefix.
 */
export function createTail(id: string, tokens: number, first: number): PromptPart {
  return {
    id,
    tokens,
    bytes: () => {
      const words = drawWords(createRng(id), tokens, 'inner');
      if (tokens > 0) words[0] = first;
      return encodeWords(words, 'inner');
    },
  };
}

/**
 * The first words of the tails that follow the prefix called `name`: that of its k-th request, all of them different until
 * every word was taken. Steps through the words by a number that shares no factor with how many there are.
 */
export function createFirstWords(name: string): (k: number) => number {
  const rng = createRng(`${name}/first-words`);
  const start = rng.int(WORDS.length);
  let step = 1 + rng.int(WORDS.length - 1);
  while (commonFactor(step, WORDS.length) > 1) step = 1 + (step % (WORDS.length - 1));
  return (k) => (start + k * step) % WORDS.length;
}

function commonFactor(a: number, b: number): number {
  return b === 0 ? a : commonFactor(b, a % b);
}

/** Tokens of a probe: whole blocks even of caches with blocks of 128. */
const PROBE_TOKENS = 300;

/** A short prompt that no other salt gives, to find out how a target answers. */
export function createProbePrompt(salt: string): Prompt {
  return createLonePrompt(`probe/${salt}`, PROBE_TOKENS);
}

/** A prompt that shares nothing. */
export function createLonePrompt(id: string, tokens: number): Prompt {
  return { shared: [], tail: createPart(id, tokens, 'start') };
}

function createPart(id: string, tokens: number, position: Position): PromptPart {
  return { id, tokens, bytes: () => encodeWords(drawWords(createRng(id), tokens, position), position) };
}

/** The first SALTED_WORDS come from the salt's stream, the rest from the prefix's own: no length changes. */
function prefixWords(name: string, tokens: number, salt: string): Uint16Array {
  const words = drawWords(createRng(name), tokens, 'start');
  if (salt !== '') {
    const count = Math.min(SALTED_WORDS, words.length);
    words.set(drawWords(createRng(`${salt}/salt/${name}`), count, 'start'));
  }
  return words;
}

/** Where a text stands in the prompt. At the start its first word has no space before it and must be a token so too. */
type Position = 'start' | 'inner';

function drawWords(rng: Rng, count: number, position: Position): Uint16Array {
  const words = new Uint16Array(count);
  for (let i = 0; i < count; i++) {
    words[i] = rng.int(position === 'start' && i === 0 ? HEAD_WORDS.length : WORDS.length);
  }
  return words;
}

/**
 * Words as ASCII, one space before each but, at the start of a prompt, the first. Each is written as two numbers of eight
 * bytes, whose end the next word overwrites: byte by byte it takes three times as long.
 */
function encodeWords(words: Uint16Array, position: Position): Uint8Array {
  const { numbers, lengths } = encodedWords();
  let length = 0;
  // By index: an iterator costs ten times the copying.
  for (let i = 0; i < words.length; i++) length += lengths[words[i] as number] as number;
  const bytes = takeBytes(length + WORD_BYTES);
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  let at = 0;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    view.setFloat64(at, numbers[2 * word] as number);
    view.setFloat64(at + 8, numbers[2 * word + 1] as number);
    at += lengths[word] as number;
  }
  return bytes.subarray(position === 'start' ? 1 : 0, length);
}

/** Short texts are made for each request: cut from one block, they cost the collector a hundredth. */
const BLOCK_BYTES = 1 << 16;
const SHORT_BYTES = 1 << 12;
let block = new Uint8Array(0);
let blockUsed = 0;

function takeBytes(length: number): Uint8Array {
  if (length > SHORT_BYTES) return new Uint8Array(length);
  if (blockUsed + length > block.length) {
    block = new Uint8Array(BLOCK_BYTES);
    blockUsed = 0;
  }
  blockUsed += length;
  return block.subarray(blockUsed - length, blockUsed);
}

/** A space and ten letters at most. */
const WORD_BYTES = 16;

/** Every word with its leading space: two numbers whose bytes it is, zeros behind it, and its length. ASCII is no NaN. */
interface EncodedWords {
  readonly numbers: Float64Array;
  readonly lengths: Uint8Array;
}

let encoded: EncodedWords | null = null;

/** Made at first use, not at start-up. */
function encodedWords(): EncodedWords {
  if (encoded !== null) return encoded;
  const bytes = new Uint8Array(WORD_BYTES * WORDS.length);
  const encoder = new TextEncoder();
  for (const [i, word] of WORDS.entries()) encoder.encodeInto(` ${word}`, bytes.subarray(WORD_BYTES * i));
  const view = new DataView(bytes.buffer);
  const numbers = Float64Array.from({ length: 2 * WORDS.length }, (_, i) => view.getFloat64(8 * i));
  encoded = { numbers, lengths: Uint8Array.from(WORDS, (word) => word.length + 1) };
  return encoded;
}
