import { WORDS } from '../../core/workload/words.js';
import type { Segment } from '../worker/kv-cache.js';

/** One message of a chat; a completion's prompt is one without a role. */
export interface TextPart {
  readonly role: string | null;
  readonly text: string;
}

/** A text as the simulated engine sees it. */
export interface TextBlocks {
  readonly tokens: number;
  /** Full blocks, one segment each: which texts share how much is not known beforehand. */
  readonly segments: Segment[];
}

/**
 * Counts tokens and cuts them into blocks. The rule, instead of a tokenizer: text is split at white space; one of the
 * built-in words is one token; any other piece is one token for each 4 characters begun. Every message after the first
 * costs one token more, for its role. So kvbench's own prompts have exactly the tokens they were built with.
 *
 * A block's key is a 53-bit hash of its tokens and of everything before it: equal keys mean equal text from the start.
 */
export function buildTextBlocks(parts: readonly TextPart[], blockSize: number): TextBlocks {
  const segments: Segment[] = [];
  const hash = createChainHash();
  let tokens = 0;

  function addToken(text: string, from: number, to: number): void {
    hash.add(text, from, to);
    tokens++;
    if (tokens % blockSize === 0) segments.push({ key: hash.value(), blocks: 1 });
  }

  parts.forEach(({ role, text }, index) => {
    if (role !== null) {
      if (index > 0) addToken(role, 0, role.length);
      else hash.add(role, 0, role.length);
    }
    for (const piece of text.split(/\s+/)) {
      if (piece === '') continue;
      if (knownWords().has(piece)) addToken(piece, 0, piece.length);
      else for (let at = 0; at < piece.length; at += 4) addToken(piece, at, Math.min(at + 4, piece.length));
    }
  });
  return { tokens, segments };
}

let words: ReadonlySet<string> | null = null;

/** Made at first use: a set of 8,674 words is no start-up work. */
function knownWords(): ReadonlySet<string> {
  words ??= new Set(WORDS);
  return words;
}

/** Two 32-bit hashes run over all text so far; 53 bits of them are the value (after MurmurHash3's mixing). */
function createChainHash(): { add(text: string, from: number, to: number): void; value(): number } {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  function mix(unit: number): void {
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  return {
    add(text, from, to) {
      for (let i = from; i < to; i++) mix(text.charCodeAt(i));
      // Between tokens, so that "ab c" and "a bc" differ.
      mix(0x10000);
    },
    value() {
      const low = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
      const high = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
      return 4294967296 * (2097151 & high) + (low >>> 0);
    },
  };
}
