import { createRng, type Rng } from '../base/rng.js';
import type { Lengths, RequestGroup } from '../scenario/request-groups.js';
import type { TrialPlan } from './plan.js';
import { HEAD_WORDS, WORDS } from './words.js';

/** Lengths and identity of a run's prompts. */
export interface WorkloadSettings {
  readonly seed: string;
  /** Empty for none. Makes the prompts new to every cache and keeps every length. */
  readonly salt: string;
  readonly prefixTokens: number;
  readonly tailTokens: number;
  /** Kinds of request with lengths of their own; empty or missing for one kind. */
  readonly groups?: readonly RequestGroup[];
}

/**
 * One prompt: the prefix of its group, then a tail of its own. One word is one token. Equal ids mean equal text, so a
 * transport that needs no text (the simulated cluster) works from the ids alone; text is made when asked for.
 */
export interface Prompt {
  readonly prefixId: string;
  readonly prefixTokens: number;
  readonly tailId: string;
  readonly tailTokens: number;
  /** Lower-case ASCII words, one space before each but the prompt's first. Needs no JSON escapes. Do not modify: shared. */
  prefixBytes(): Uint8Array;
  tailBytes(): Uint8Array;
}

/** The prompts of one trial. */
export interface Workload {
  prompt(seq: number): Prompt;
  /** The prompt that primes prefix group `prefix`, of group `group` among several: the prefix with a tail no measured request has. */
  primer(prefix: number, group?: number): Prompt;
  /** Text that shares nothing with any prefix, to warm connections and code. */
  warmup(seq: number): Prompt;
}

/** Words at the head of a prefix that the salt decides. 4,096^4 of them: no two salts meet. */
const SALTED_WORDS = 4;
/** Prefix texts kept ready. Beyond it the oldest is made anew when needed: memory stays bounded for any number of groups. */
const PREFIXES_KEPT = 512;

/** The prompts of `trial`: a pure function of (seed, salt, cell, repeat), whatever the variant. */
export function createWorkload(settings: WorkloadSettings, trial: TrialPlan): Workload {
  const base = `${settings.seed}/${trial.id}`;
  const kept = new Map<string, Uint8Array>();

  function bytesOfPrefix(id: string, make: () => Uint8Array): Uint8Array {
    const known = kept.get(id);
    if (known !== undefined) return known;
    const made = make();
    if (kept.size >= PREFIXES_KEPT) {
      const oldest = kept.keys().next();
      if (oldest.done !== true) kept.delete(oldest.value);
    }
    kept.set(id, made);
    return made;
  }

  function promptOf(prefix: number, tail: string, index: number): Prompt {
    const group = settings.groups?.[index];
    const lengths: Pick<Lengths, 'prefixTokens' | 'tailTokens'> = group ?? settings;
    const text = `${base}${group === undefined ? '' : `/group/${group.group}`}/prefix/${prefix}`;
    const prefixId = `${text}${settings.salt === '' ? '' : `/salt/${settings.salt}`}`;
    const tailId = `${base}/${tail}`;
    return {
      prefixId,
      prefixTokens: lengths.prefixTokens,
      tailId,
      tailTokens: lengths.tailTokens,
      prefixBytes: () =>
        bytesOfPrefix(prefixId, () =>
          encodeWords(prefixWords(text, lengths.prefixTokens, settings.salt), 'start'),
        ),
      tailBytes: () => {
        const position = lengths.prefixTokens === 0 ? 'start' : 'inner';
        return encodeWords(drawWords(createRng(tailId), lengths.tailTokens, position), position);
      },
    };
  }

  return {
    prompt: (seq) => promptOf(trial.prefixOf[seq] ?? 0, `tail/${seq}`, trial.groupOf?.[seq] ?? 0),
    primer: (prefix, group = 0) =>
      promptOf(prefix, `primer/${group === 0 ? '' : `${group}/`}${prefix}`, group),
    warmup: (seq) => createLonePrompt(`${base}/warmup/${seq}/salt/${settings.salt}`, settings.tailTokens),
  };
}

/** Tokens of a probe: whole blocks even of caches with blocks of 128. */
const PROBE_TOKENS = 300;

/** A short prompt that no other salt gives, to find out how a target answers. */
export function createProbePrompt(salt: string): Prompt {
  return createLonePrompt(`probe/${salt}`, PROBE_TOKENS);
}

/** A prompt without a prefix group. */
function createLonePrompt(id: string, tokens: number): Prompt {
  return {
    prefixId: id,
    prefixTokens: 0,
    tailId: id,
    tailTokens: tokens,
    prefixBytes: () => new Uint8Array(0),
    tailBytes: () => encodeWords(drawWords(createRng(id), tokens, 'start'), 'start'),
  };
}

/** The first SALTED_WORDS come from the salt's stream, the rest from the prefix's own: no length changes. */
function prefixWords(text: string, tokens: number, salt: string): Uint16Array {
  const words = drawWords(createRng(text), tokens, 'start');
  if (salt !== '') {
    const count = Math.min(SALTED_WORDS, words.length);
    words.set(drawWords(createRng(`${salt}/salt/${text}`), count, 'start'));
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

/** Words as ASCII, one space before each but, at the start of a prompt, the first. */
function encodeWords(words: Uint16Array, position: Position): Uint8Array {
  const { letters, starts } = encodedWords();
  let length = 0;
  // By index and byte by byte: an iterator, or a call to set() for a word of six letters, costs ten times the copying.
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    length += (starts[word + 1] as number) - (starts[word] as number);
  }
  const bytes = takeBytes(length);
  let at = 0;
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    const end = starts[word + 1] as number;
    for (let from = starts[word] as number; from < end; from++) bytes[at++] = letters[from] as number;
  }
  return position === 'start' ? bytes.subarray(1) : bytes;
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

/** Every word with its leading space, one after another; word i is letters[starts[i]..starts[i + 1]]. */
interface EncodedWords {
  readonly letters: Uint8Array;
  readonly starts: Uint32Array;
}

let encoded: EncodedWords | null = null;

/** Made at first use, not at start-up. */
function encodedWords(): EncodedWords {
  if (encoded !== null) return encoded;
  const starts = new Uint32Array(WORDS.length + 1);
  for (const [i, word] of WORDS.entries()) starts[i + 1] = (starts[i] as number) + word.length + 1;
  encoded = { letters: new TextEncoder().encode(` ${WORDS.join(' ')}`), starts };
  return encoded;
}
