// Checks src/core/words.ts by tokenizing whole prompts: node test/tokenizers/verify-words.mjs DIR
import { FAMILIES, folderArgument, loadTokenizer, loadWords, requireFrom, sameIds } from './tokenizers.mjs';

const PROMPTS = 50;
const PROMPT_WORDS = 2300;
const PREFIX_WORDS = 2000;
const MIN_WORDS = 4096;
const MIN_HEAD_WORDS = 512;

/**
 * @typedef {import('./tokenizers.mjs').Loaded} Loaded
 * @typedef {object} Prompt
 * @property {number} seed
 * @property {string} prefix
 * @property {string} tail
 * @property {number} prefixWords
 * @property {boolean} headAtSeam whether the tail's first word is a head word, so that it may be a message of its own
 */

/**
 * Mulberry32: seeded, so that a failure can be seen again.
 * @param {number} seed
 * @returns {() => number} uniform in [0, 1)
 */
function random(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/**
 * Odd seeds have the seam where the published experiment has it and a head word there; even ones anywhere, with any word.
 * @param {number} seed
 * @param {readonly string[]} words
 * @param {readonly string[]} headWords
 * @returns {Prompt}
 */
function makePrompt(seed, words, headWords) {
  const next = random(seed);
  /** @type {(list: readonly string[]) => string} */
  const draw = (list) => list[Math.floor(next() * list.length)];
  const headAtSeam = seed % 2 === 1;
  const prefixWords = headAtSeam ? PREFIX_WORDS : 1 + Math.floor(next() * (PROMPT_WORDS - 1));
  const drawn = Array.from({ length: PROMPT_WORDS }, (_, i) =>
    draw(i === 0 || (headAtSeam && i === prefixWords) ? headWords : words),
  );
  /** @type {(part: readonly string[]) => string} */
  const text = (part) => part.map((word) => ` ${word}`).join('');
  return {
    seed,
    prefix: text(drawn.slice(0, prefixWords)),
    tail: text(drawn.slice(prefixWords)),
    prefixWords,
    headAtSeam,
  };
}

/**
 * @param {string} dir
 * @param {Loaded} tokenizer
 * @returns {((messages: { role: string, content: string }[]) => number) | undefined} counts tokens, special ones included
 */
function templateCounter(dir, { encode, config }) {
  if (typeof config.chat_template !== 'string') return undefined;
  const { Template } = requireFrom(dir)('@huggingface/jinja');
  const template = new Template(config.chat_template);
  /** @type {(token: unknown) => string} */
  const content = (token) => (typeof token === 'string' ? token : (token?.content ?? ''));
  const globals = {
    add_generation_prompt: true,
    bos_token: content(config.bos_token),
    eos_token: content(config.eos_token),
  };
  return (messages) => encode(template.render({ ...globals, messages })).length;
}

/** Counts checks and keeps the first failure of each, which is enough to look into. */
function makeTally() {
  /** @type {Map<string, string | null>} */
  const checks = new Map();
  return {
    /** @type {(name: string, ok: boolean, detail: string) => void} */
    check: (name, ok, detail) => {
      const before = checks.get(name) ?? null;
      checks.set(name, before ?? (ok ? null : detail));
    },
    failures: () => [...checks].filter(([, detail]) => detail !== null),
    size: () => checks.size,
  };
}

/**
 * @param {readonly number[]} counts
 * @returns {string}
 */
function spread(counts) {
  const low = Math.min(...counts);
  const high = Math.max(...counts);
  return low === high ? `+${low}` : `+${low}..+${high}`;
}

const startedAt = performance.now();
const dir = folderArgument('verify-words.mjs');
const { WORDS, HEAD_WORDS } = await loadWords();
const prompts = Array.from({ length: PROMPTS }, (_, i) => makePrompt(i + 1, WORDS, HEAD_WORDS));
let passed = 0;
let failed = 0;

/**
 * @param {string} title
 * @param {ReturnType<typeof makeTally>} tally
 * @param {string} facts
 */
function report(title, tally, facts) {
  const failures = tally.failures();
  failed += failures.length;
  passed += tally.size() - failures.length;
  console.log(`${failures.length === 0 ? 'ok  ' : 'FAIL'} ${title.padEnd(11)} ${facts}`);
  for (const [name, detail] of failures) console.log(`       ${name}: ${detail}`);
}

const lists = makeTally();
const wordSet = new Set(WORDS);
lists.check(
  'form',
  WORDS.every((word) => /^[a-z]{3,10}$/.test(word)),
  'a word is not 3 to 10 lower-case letters',
);
lists.check(
  'distinct',
  wordSet.size === WORDS.length && new Set(HEAD_WORDS).size === HEAD_WORDS.length,
  'a word is there twice',
);
lists.check(
  'subset',
  HEAD_WORDS.every((word) => wordSet.has(word)),
  'a head word is not in WORDS',
);
lists.check('size', WORDS.length >= MIN_WORDS && HEAD_WORDS.length >= MIN_HEAD_WORDS, 'too few words');
report('lists', lists, `${WORDS.length} words, ${HEAD_WORDS.length} head words`);

for (const family of FAMILIES) {
  const tokenizer = loadTokenizer(dir, family);
  const { encode } = tokenizer;
  const count = templateCounter(dir, tokenizer);
  const tally = makeTally();
  /** @type {Record<'one' | 'trimmed' | 'two', number[]>} */
  const added = { one: [], trimmed: [], two: [] };

  const every = encode(WORDS.map((word) => ` ${word}`).join(''));
  tally.check(
    'every word in one text',
    every.length === WORDS.length + family.start,
    `${every.length} tokens`,
  );
  const heads = HEAD_WORDS.map((word) => `\n${word}`).join('');
  const headTokens = encode(heads).length - family.start;
  tally.check(
    'every head word on its own line',
    headTokens === 2 * HEAD_WORDS.length,
    `${headTokens} tokens`,
  );

  for (const { seed, prefix, tail, prefixWords, headAtSeam } of prompts) {
    const text = prefix + tail;
    const whole = encode(text);
    const left = encode(prefix);
    const right = encode(tail).slice(family.start);
    const trimmed = encode(text.trim());
    const seen = `seed ${seed}`;
    tally.check('count', whole.length === PROMPT_WORDS + family.start, `${seen}: ${whole.length} tokens`);
    tally.check(
      'prefix count',
      left.length === prefixWords + family.start,
      `${seen}: ${left.length} tokens, ${prefixWords} words`,
    );
    tally.check(
      'seam',
      sameIds(whole, [...left, ...right]),
      `${seen}: prefix and tail are other tokens together`,
    );
    tally.check('trimmed', trimmed.length === PROMPT_WORDS, `${seen}: ${trimmed.length} tokens`);
    if (count === undefined) continue;
    added.one.push(count([{ role: 'user', content: text }]) - PROMPT_WORDS);
    added.trimmed.push(count([{ role: 'user', content: text.trim() }]) - PROMPT_WORDS);
    if (!headAtSeam) continue;
    const messages = [
      { role: 'system', content: prefix },
      { role: 'user', content: tail },
    ];
    added.two.push(count(messages) - PROMPT_WORDS);
  }

  let facts = `${PROMPT_WORDS} words = ${PROMPT_WORDS + family.start} tokens, trimmed ${PROMPT_WORDS}`;
  if (count === undefined) {
    facts += '; no chat template in the package';
  } else {
    for (const [name, counts] of Object.entries(added)) {
      tally.check(`template, ${name}`, new Set(counts).size === 1, `adds ${spread(counts)}`);
    }
    facts += `; chat template: user ${spread(added.one)}, user trimmed ${spread(added.trimmed)}, system and user ${spread(added.two)}`;
  }
  report(family.title, tally, facts);
}

console.log(`${PROMPTS} prompts per tokenizer, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
