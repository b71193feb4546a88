import { describe, expect, it } from 'vitest';
import { planGrid } from '../../../src/core/workload/plan.js';
import { createProbePrompt, createWorkload, type Prompt } from '../../../src/core/workload/prompts.js';
import { HEAD_WORDS, WORDS } from '../../../src/core/workload/words.js';

const SETTINGS = {
  seed: '1',
  salt: '',
  prefixTokens: 200,
  tailTokens: 30,
  prefixes: [7],
  concurrency: [4],
  rate: [],
  requests: 60,
  repeats: 2,
};
const [TRIAL, OTHER_TRIAL] = planGrid(SETTINGS).trials;
if (TRIAL === undefined || OTHER_TRIAL === undefined) throw new Error('the plan has two trials');

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const textOf = (prompt: Prompt) => text(prompt.prefixBytes()) + text(prompt.tailBytes());
const wordsOf = (prompt: Prompt) => textOf(prompt).split(' ');

describe('the word list', () => {
  it('has at least 4,096 different words of 3 to 10 lower-case letters', () => {
    expect(WORDS.length).toBeGreaterThanOrEqual(4096);
    expect(new Set(WORDS).size).toBe(WORDS.length);
    expect(WORDS.filter((word) => !/^[a-z]{3,10}$/.test(word))).toEqual([]);
  });

  it('begins with the words that may begin a prompt', () => {
    expect(WORDS.slice(0, HEAD_WORDS.length)).toEqual(HEAD_WORDS);
    expect(HEAD_WORDS.length).toBeGreaterThanOrEqual(512);
  });
});

describe('createWorkload', () => {
  it('makes prompts of exactly the asked number of words, all from the list', () => {
    const known = new Set(WORDS);
    const heads = new Set(HEAD_WORDS);
    const workload = createWorkload(SETTINGS, TRIAL);
    for (let seq = 0; seq < 60; seq++) {
      const words = wordsOf(workload.prompt(seq));
      expect(words).toHaveLength(230);
      expect(words.filter((word) => !known.has(word))).toEqual([]);
      expect(heads.has(words[0] ?? '')).toBe(true);
    }
  });

  it('shares a prefix within its group only, and never a tail', () => {
    const workload = createWorkload(SETTINGS, TRIAL);
    const prompts = Array.from({ length: 60 }, (_, seq) => workload.prompt(seq));
    const prefixes = new Map(prompts.map((prompt, seq) => [text(prompt.prefixBytes()), TRIAL.prefixOf[seq]]));
    expect(prefixes.size).toBe(7);
    expect(new Set(prefixes.values()).size).toBe(7);
    expect(new Set(prompts.map((prompt) => text(prompt.tailBytes()))).size).toBe(60);
  });

  it('gives equal ids exactly where it gives equal text', () => {
    const prompts = [TRIAL, OTHER_TRIAL].flatMap((trial) => {
      const workload = createWorkload(SETTINGS, trial);
      return [workload.prompt(0), workload.prompt(1), workload.primer(0), workload.warmup(0)];
    });
    const pairs = new Set(prompts.map((prompt) => `${prompt.tailId}|${text(prompt.tailBytes())}`));
    expect(pairs.size).toBe(new Set(prompts.map((prompt) => prompt.tailId)).size);
  });

  it('repeats itself, whoever asks and in whatever order', () => {
    const forward = createWorkload(SETTINGS, TRIAL);
    const backward = createWorkload(SETTINGS, TRIAL);
    const last = textOf(backward.prompt(59));
    expect(textOf(backward.prompt(0))).toBe(textOf(forward.prompt(0)));
    expect(textOf(forward.prompt(59))).toBe(last);
  });

  it('sends other prompts in another trial', () => {
    const first = createWorkload(SETTINGS, TRIAL).prompt(0);
    const second = createWorkload(SETTINGS, OTHER_TRIAL).prompt(0);
    expect(wordsOf(first).slice(0, 8)).not.toEqual(wordsOf(second).slice(0, 8));
  });

  it('changes the first words only when salted, and no length', () => {
    const plain = wordsOf(createWorkload(SETTINGS, TRIAL).prompt(0));
    const salted = wordsOf(createWorkload({ ...SETTINGS, salt: 'pepper' }, TRIAL).prompt(0));
    expect(salted).toHaveLength(plain.length);
    expect(salted.slice(4)).toEqual(plain.slice(4));
    expect(salted.slice(0, 4)).not.toEqual(plain.slice(0, 4));
    expect(HEAD_WORDS).toContain(salted[0]);
  });

  it('keeps a bounded number of prefixes and still gives the same text', () => {
    const many = { ...SETTINGS, prefixes: [2000], requests: 4000 };
    const trial = planGrid(many).trials[0];
    if (trial === undefined) throw new Error('the plan has a trial');
    const workload = createWorkload(many, trial);
    const before = text(workload.prompt(0).prefixBytes());
    for (let seq = 1; seq < 4000; seq++) workload.prompt(seq).prefixBytes();
    expect(text(workload.prompt(0).prefixBytes())).toBe(before);
  });

  it('warms up with text that shares no start with any prefix', () => {
    const workload = createWorkload(SETTINGS, TRIAL);
    const warmup = wordsOf(workload.warmup(0));
    expect(warmup).toHaveLength(30);
    for (let prefix = 0; prefix < 7; prefix++) {
      expect(wordsOf(workload.primer(prefix)).slice(0, 4)).not.toEqual(warmup.slice(0, 4));
    }
  });

  it('primes with the prefix and a tail that no request has', () => {
    const workload = createWorkload(SETTINGS, TRIAL);
    const prefix = TRIAL.prefixOf[5] ?? 0;
    const primer = workload.primer(prefix);
    expect(text(primer.prefixBytes())).toBe(text(workload.prompt(5).prefixBytes()));
    const tails = Array.from({ length: 60 }, (_, seq) => text(workload.prompt(seq).tailBytes()));
    expect(tails).not.toContain(text(primer.tailBytes()));
  });
});

describe('createProbePrompt', () => {
  it('is 300 words that depend on the salt alone', () => {
    expect(wordsOf(createProbePrompt('a'))).toHaveLength(300);
    expect(textOf(createProbePrompt('a'))).toBe(textOf(createProbePrompt('a')));
    expect(textOf(createProbePrompt('b'))).not.toBe(textOf(createProbePrompt('a')));
  });
});
