// Checks src/core/workload/words.ts by tokenizing whole prompts: node test/tokenizers/verify-words.mjs DIR
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { FAMILIES, folderArgument, loadTokenizer, loadWords, requireFrom, sameIds } from './tokenizers.mjs';

const SEED = 1;
const PREFIXES = 10;
const TAILS_PER_PREFIX = 5;
const PROMPT_WORDS = 2300;
const PREFIX_WORDS = 2000;
const MIN_WORDS = 4096;
const MIN_HEAD_WORDS = 512;
// Gemma 3 and Llama 2 tokenize a text in one piece, 0.2 to 0.5 s for 2,300 words: what depends on the first word and the
// frame alone is therefore checked on some prompts only.
const TRIMMED_PROMPTS = 3;
const TEMPLATE_PROMPTS = 3;
const THREADS = 2;

/**
 * @typedef {import('./tokenizers.mjs').Family} Family
 * @typedef {import('./tokenizers.mjs').Loaded} Loaded
 * @typedef {{ role: string, content: string }[]} Messages
 * @typedef {{ prefix: string, prefixWords: number, tails: string[] }} Group prompts with one prefix
 * @typedef {{ title: string, facts: string, checks: number, failures: [string, string][] }} Report
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
 * Deals the words in random order, each once before any twice, so that the prompts check every word and not a sample.
 * @param {readonly string[]} words
 * @param {() => number} next
 * @returns {() => string}
 */
function makeDeck(words, next) {
  /** @type {string[]} */
  let deck = [];
  return () => {
    if (deck.length === 0) {
      deck = [...words];
      for (let i = deck.length - 1; i > 0; i--) {
        const j = Math.floor(next() * (i + 1));
        [deck[i], deck[j]] = [deck[j], deck[i]];
      }
    }
    return deck.pop() ?? '';
  };
}

/**
 * Every other prefix has 2,000 words, the rest any number in the second half. The first tail starts with a head word,
 * so that it may be a message of its own; the others start with any word.
 * @param {readonly string[]} words
 * @param {readonly string[]} headWords
 * @returns {Group[]}
 */
function makeGroups(words, headWords) {
  const next = random(SEED);
  const word = makeDeck(words, next);
  const headWord = makeDeck(headWords, next);
  /** @type {(count: number, hasHead: boolean) => string} */
  const draw = (count, hasHead) => {
    let text = '';
    for (let i = 0; i < count; i++) text += ` ${i === 0 && hasHead ? headWord() : word()}`;
    return text;
  };
  const half = PROMPT_WORDS / 2;
  return Array.from({ length: PREFIXES }, (_, group) => {
    const prefixWords = group % 2 === 0 ? PREFIX_WORDS : half + Math.floor(next() * half);
    const prefix = draw(prefixWords, true);
    const tails = Array.from({ length: TAILS_PER_PREFIX }, (_, i) =>
      draw(PROMPT_WORDS - prefixWords, i === 0),
    );
    return { prefix, prefixWords, tails };
  });
}

/**
 * @param {string} dir
 * @param {Loaded} tokenizer
 * @returns {((messages: Messages) => number) | undefined} counts tokens, special ones included
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
  /** @type {Map<string, number>} */
  const known = new Map();
  return (messages) => {
    const text = template.render({ ...globals, messages });
    const count = known.get(text) ?? encode(text).length;
    known.set(text, count);
    return count;
  };
}

/** Counts checks and keeps the first failure of each, which is enough to look into. */
function makeTally() {
  /** @type {Map<string, string | undefined>} */
  const checks = new Map();
  return {
    /** @type {(name: string, ok: boolean, detail: string) => void} */
    check: (name, ok, detail) => {
      checks.set(name, checks.get(name) ?? (ok ? undefined : detail));
    },
    /** @type {(title: string, facts: string) => Report} */
    report: (title, facts) => ({
      title,
      facts,
      checks: checks.size,
      failures: [...checks].flatMap(([name, detail]) => (detail === undefined ? [] : [[name, detail]])),
    }),
  };
}

/**
 * @param {readonly string[]} words
 * @param {readonly string[]} headWords
 * @param {readonly Group[]} groups
 * @returns {Report}
 */
function checkLists(words, headWords, groups) {
  const { check, report } = makeTally();
  const wordSet = new Set(words);
  const used = new Set(groups.flatMap(({ prefix, tails }) => [prefix, ...tails].join('').trim().split(' ')));
  const unused = words.filter((word) => !used.has(word));
  check(
    'form',
    words.every((word) => /^[a-z]{3,10}$/.test(word)),
    'a word is not 3 to 10 lower-case letters',
  );
  check(
    'distinct',
    wordSet.size === words.length && new Set(headWords).size === headWords.length,
    'a word is there twice',
  );
  check(
    'subset',
    headWords.every((word) => wordSet.has(word)),
    'a head word is not in WORDS',
  );
  check('size', words.length >= MIN_WORDS && headWords.length >= MIN_HEAD_WORDS, 'too few words');
  check('every word is in a prompt', unused.length === 0, unused.join(' '));
  return report(
    'lists',
    `${words.length} words, ${headWords.length} of them head words; every word is in a prompt`,
  );
}

/**
 * @param {string} dir
 * @param {Family} family
 * @param {readonly string[]} headWords
 * @param {readonly Group[]} groups
 * @returns {Report}
 */
function checkFamily(dir, { name, title, start }, headWords, groups) {
  const tokenizer = loadTokenizer(dir, { name, title, start, space: 'Ġ' });
  const { encode } = tokenizer;
  const { check, report } = makeTally();

  const lines = encode(headWords.map((word) => `\n${word}`).join('')).length - start;
  check('every head word on a line of its own', lines === 2 * headWords.length, `${lines} tokens`);

  for (const [i, { prefix, prefixWords, tails }] of groups.entries()) {
    const left = encode(prefix);
    check(
      'prefix',
      left.length === prefixWords + start,
      `prefix ${i + 1}: ${left.length} tokens for ${prefixWords} words`,
    );
    for (const tail of tails) {
      const whole = encode(prefix + tail);
      const right = encode(tail).slice(start);
      check('count', whole.length === PROMPT_WORDS + start, `prefix ${i + 1}: ${whole.length} tokens`);
      check(
        'seam',
        sameIds(whole, [...left, ...right]),
        `prefix ${i + 1}: prefix and tail become other tokens together`,
      );
    }
  }

  // A template that trims renders two of the three uses alike; the counter tokenizes those once.
  const wholes = groups.map(({ prefix, tails }) => ({ prefix, tail: tails[0] }));
  for (const { prefix, tail } of wholes.slice(0, TRIMMED_PROMPTS)) {
    const trimmed = encode((prefix + tail).trim()).length;
    check('trimmed', trimmed === PROMPT_WORDS, `${trimmed} tokens`);
  }

  const facts = `${PROMPT_WORDS} words = ${PROMPT_WORDS + start} tokens, trimmed ${PROMPT_WORDS}`;
  const count = templateCounter(dir, tokenizer);
  if (count === undefined) return report(title, `${facts}; no chat template in the package`);

  /** @type {[string, (prefix: string, tail: string) => Messages][]} */
  const uses = [
    ['user', (prefix, tail) => [{ role: 'user', content: prefix + tail }]],
    ['user, trimmed', (prefix, tail) => [{ role: 'user', content: (prefix + tail).trim() }]],
    [
      'system + user',
      (prefix, tail) => [
        { role: 'system', content: prefix },
        { role: 'user', content: tail },
      ],
    ],
  ];
  const constants = uses.map(([use, messages]) => {
    const seen = wholes
      .slice(0, TEMPLATE_PROMPTS)
      .map(({ prefix, tail }) => count(messages(prefix, tail)) - PROMPT_WORDS);
    const values = [...new Set(seen)].map((value) => `+${value}`).join(' or ');
    check(`template, ${use}`, new Set(seen).size === 1, values);
    return `${use} ${values}`;
  });
  return report(title, `${facts}; template: ${constants.join(', ')}`);
}

/**
 * @param {string} dir
 * @param {readonly Family[]} families
 * @param {(report: Report) => void} onReport
 * @returns {Promise<void>}
 */
function runThread(dir, families, onReport) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: { dir, families } });
    worker.on('message', onReport);
    worker.on('error', reject);
    worker.on('exit', () => resolve());
  });
}

const { WORDS, HEAD_WORDS } = await loadWords();
const groups = makeGroups(WORDS, HEAD_WORDS);

if (isMainThread) {
  const startedAt = performance.now();
  const dir = folderArgument('verify-words.mjs');
  let passed = 0;
  let failed = 0;
  /** @type {(report: Report) => void} */
  const print = ({ title, facts, checks, failures }) => {
    failed += failures.length;
    passed += checks - failures.length;
    console.log(
      `${failures.length === 0 ? 'ok  ' : 'FAIL'} ${title.padEnd(11)} ${failures.length === 0 ? facts : ''}`.trimEnd(),
    );
    for (const [name, detail] of failures) console.log(`       ${name}: ${detail}`);
  };
  print(checkLists(WORDS, HEAD_WORDS, groups));
  // Each thread takes one of the two slow ones.
  const slow = ['gemma3', 'llama2'];
  const rest = FAMILIES.filter(({ name }) => !slow.includes(name));
  const shares = slow.map((name, i) => [
    ...FAMILIES.filter((family) => family.name === name),
    ...rest.filter((_, position) => position % THREADS === i),
  ]);
  let reported = 0;
  await Promise.all(
    shares.map((families) =>
      runThread(dir, families, (report) => {
        reported += 1;
        print(report);
      }),
    ),
  );
  if (reported !== FAMILIES.length) throw new Error(`${reported} of ${FAMILIES.length} tokenizers reported`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${PREFIXES * TAILS_PER_PREFIX} prompts of ${PREFIXES} prefixes per tokenizer, ${seconds} s`);
  console.log(`${passed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} else {
  /** @type {{ dir: string, families: Family[] }} */
  const { dir, families } = workerData;
  for (const family of families) parentPort?.postMessage(checkFamily(dir, family, HEAD_WORDS, groups));
}
