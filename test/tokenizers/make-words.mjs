// Makes src/core/workload/words.ts from the vocabularies that setup.sh installs: node test/tokenizers/make-words.mjs DIR
import { writeFileSync } from 'node:fs';
import { FAMILIES, folderArgument, loadTokenizer, sameIds, WORDS_FILE } from './tokenizers.mjs';

const LINE_WIDTH = 150;

// Random neighbours turn harmless words into phrases, and reports print prompts.
const UNWANTED_PARTS = [
  'bitch',
  'breast',
  'fuck',
  'murder',
  'penis',
  'porn',
  'racis',
  'sex',
  'shit',
  'slave',
  'suicid',
  'terroris',
  'tortur',
];
const UNWANTED_WORDS = (
  'anal ass butt cock crap cum damn damned dick dumb gay hell idiot jap jerk jew ' +
  'lust naked piss rape stupid suck sucked sucks tit vag'
).split(' ');

/**
 * @typedef {import('./tokenizers.mjs').Family} Family
 * @typedef {import('./tokenizers.mjs').Loaded} Loaded
 */

/**
 * @param {Loaded} tokenizer
 * @param {Family} family
 * @returns {string[]}
 */
function vocabularyWords({ vocab }, { space }) {
  const pattern = new RegExp(`^${space}([a-z]{3,10})$`, 'u');
  return Object.keys(vocab).flatMap((token) => pattern.exec(token)?.[1] ?? []);
}

/**
 * Merges decide what a text becomes, not the vocabulary alone, so each word is tokenized behind `lead`.
 * @param {Loaded} tokenizer
 * @param {string} lead
 * @param {string} token how the vocabulary writes what must follow, with W for the word
 * @param {string} gap what the text has between lead and word
 * @returns {(word: string) => boolean}
 */
function followsAsOneToken({ encode, vocab }, lead, token, gap = '') {
  const before = encode(lead);
  return (word) => {
    const id = vocab[token.replace('W', word)];
    return id !== undefined && sameIds(encode(lead + gap + word), [...before, id]);
  };
}

/**
 * @param {string} word
 * @returns {boolean}
 */
function isUnwanted(word) {
  return UNWANTED_WORDS.includes(word) || UNWANTED_PARTS.some((part) => word.includes(part));
}

/**
 * @param {readonly string[]} words
 * @returns {string}
 */
function wrap(words) {
  const lines = [''];
  for (const word of words) {
    const last = lines.length - 1;
    if (lines[last].length + 1 + word.length > LINE_WIDTH) lines.push(word);
    else lines[last] += lines[last] === '' ? word : ` ${word}`;
  }
  return lines.join('\n');
}

/**
 * @param {readonly string[]} head
 * @param {readonly string[]} body
 * @returns {string}
 */
function source(head, body) {
  const titles = FAMILIES.map(({ title }) => title).join(', ');
  return `// Made by test/tokenizers/make-words.mjs; checked by test/tokenizers/verify-words.mjs. Do not edit.

// Two lists without a word in both, so that no word is stored twice: ${head.length} and ${body.length} words.
const HEAD = \`
${wrap(head)}
\`;

const BODY = \`
${wrap(body)}
\`;

/**
 * Words that are one token each both with a leading space and without it, at the start of a text and after a line break
 * (${titles}); sorted.
 *
 * The first word of every message comes from here: chat templates such as Llama 3's and Gemma 3's trim a message, which takes the
 * first word's space. Llama 2 puts a space of its own before a text but none after a line break, so its bare form is required too.
 */
export const HEAD_WORDS: readonly string[] = HEAD.trim().split(/\\s+/);

/**
 * {@link HEAD_WORDS} first, then the rest: an index below HEAD_WORDS.length is one of them.
 *
 * Lower-case words of 3 to 10 letters, each exactly one token with its leading space, wherever it stands between other such words
 * (${titles}).
 *
 * \`' ' + words.join(' ')\` therefore has one token per word. Llama 2 alone adds one at the very start, none when the text is trimmed.
 */
export const WORDS: readonly string[] = [...HEAD_WORDS, ...BODY.trim().split(/\\s+/)];
`;
}

const dir = folderArgument('make-words.mjs');
/** @type {string[] | undefined} */
let words;
/** @type {string[]} */
let head = [];
let inAllVocabularies = 0;
/** @type {string[]} */
let candidates = [];

for (const family of FAMILIES) {
  const tokenizer = loadTokenizer(dir, family);
  const own = vocabularyWords(tokenizer, family);
  const ownSet = new Set(own);
  const isFirst = words === undefined;
  candidates = isFirst ? own : candidates.filter((word) => ownSet.has(word));
  const oneToken = followsAsOneToken(tokenizer, 'the', `${family.space}W`, ' ');
  words = (words ?? own).filter((word) => ownSet.has(word) && oneToken(word));

  const startToken = family.name === 'llama2' ? '▁W' : 'W';
  const bare = [
    followsAsOneToken(tokenizer, '', startToken),
    followsAsOneToken(tokenizer, '\n', 'W'),
    followsAsOneToken(tokenizer, '\n\n', 'W'),
  ];
  const bareWords = words.filter((word) => bare.every((check) => check(word)));
  const bareSet = new Set(bareWords);
  head = isFirst ? bareWords : head.filter((word) => bareSet.has(word));
  inAllVocabularies = candidates.length;
  console.log(
    `${family.title.padEnd(11)} vocabulary ${own.length}, in all so far ${candidates.length}, tokenized to one ${words.length}, ` +
      `bare here ${bareWords.length}, bare in all so far ${head.length}`,
  );
}

const kept = (words ?? []).filter((word) => !isUnwanted(word)).sort();
const dropped = (words ?? []).filter(isUnwanted).sort();
const keptSet = new Set(kept);
const keptHead = head.filter((word) => keptSet.has(word)).sort();
const headSet = new Set(keptHead);
const body = kept.filter((word) => !headSet.has(word));
writeFileSync(WORDS_FILE, source(keptHead, body));
console.log(`in all vocabularies ${inAllVocabularies}, tokenized to one in all ${(words ?? []).length}`);
console.log(`dropped ${dropped.length}: ${dropped.join(' ')}`);
console.log(`written: ${kept.length} words, ${keptHead.length} of them head words`);
