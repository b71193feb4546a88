import { describe, expect, it } from 'vitest';
import { createProbePrompt, type Prompt } from '../../../src/core/workload/prompts.js';
import { HEAD_WORDS, WORDS } from '../../../src/core/workload/words.js';
import { drawFirstTrial, drawTrials, requestsOf } from '../../support/trials.js';

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
  start: 'primed',
  warmup: 1,
} as const;
const [TRIAL, OTHER_TRIAL] = drawTrials(SETTINGS);
if (TRIAL === undefined || OTHER_TRIAL === undefined) throw new Error('the plan has two trials');

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const prefixOf = ({ shared }: Prompt) => shared.map((part) => text(part.bytes())).join('');
const tailOf = ({ tail }: Prompt) => text(tail.bytes());
const textOf = (prompt: Prompt) => prefixOf(prompt) + tailOf(prompt);
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

describe('createTrialRequests', () => {
  it('makes prompts of exactly the asked number of words, all from the list', () => {
    const known = new Set(WORDS);
    const heads = new Set(HEAD_WORDS);
    const workload = requestsOf(SETTINGS, TRIAL);
    for (let seq = 0; seq < 60; seq++) {
      const words = wordsOf(workload.measure.at(seq).prompt);
      expect(words).toHaveLength(230);
      expect(words.filter((word) => !known.has(word))).toEqual([]);
      expect(heads.has(words[0] ?? '')).toBe(true);
    }
  });

  it('begins no two tails of a prefix with the same word, be it the primer, until every word was taken', () => {
    const requests = WORDS.length + 100;
    const trial = drawFirstTrial({ ...SETTINGS, prefixes: [1], requests, repeats: 1 });
    const { prime, measure } = requestsOf({ ...SETTINGS, tailTokens: 2 }, trial);
    const firstOf = ({ prompt }: { readonly prompt: Prompt }) => tailOf(prompt).trim().split(' ')[0];
    const first = [prime.at(0), ...Array.from({ length: WORDS.length - 1 }, (_, seq) => measure.at(seq))].map(
      firstOf,
    );
    expect(new Set(first).size).toBe(WORDS.length);
    expect(firstOf(measure.at(WORDS.length - 1))).toBe(first[0]);
    // Steps of their own for each prefix, not the order of the list.
    expect(first.slice(0, 3)).not.toEqual(WORDS.slice(0, 3));
  });

  it('shares a prefix within its group only, and never a tail', () => {
    const workload = requestsOf(SETTINGS, TRIAL);
    const prompts = Array.from({ length: 60 }, (_, seq) => workload.measure.at(seq).prompt);
    const prefixes = new Map(prompts.map((prompt, seq) => [prefixOf(prompt), TRIAL.prefixOf[seq]]));
    expect(prefixes.size).toBe(7);
    expect(new Set(prefixes.values()).size).toBe(7);
    expect(new Set(prompts.map((prompt) => tailOf(prompt))).size).toBe(60);
  });

  it('gives equal ids exactly where it gives equal text', () => {
    const prompts = [TRIAL, OTHER_TRIAL].flatMap((trial) => {
      const workload = requestsOf(SETTINGS, trial);
      return [
        workload.measure.at(0).prompt,
        workload.measure.at(1).prompt,
        workload.prime.at(0).prompt,
        workload.warmup.at(0).prompt,
      ];
    });
    const pairs = new Set(prompts.map((prompt) => `${prompt.tail.id}|${tailOf(prompt)}`));
    expect(pairs.size).toBe(new Set(prompts.map((prompt) => prompt.tail.id)).size);
  });

  it('repeats itself, whoever asks and in whatever order', () => {
    const forward = requestsOf(SETTINGS, TRIAL);
    const backward = requestsOf(SETTINGS, TRIAL);
    const last = textOf(backward.measure.at(59).prompt);
    expect(textOf(backward.measure.at(0).prompt)).toBe(textOf(forward.measure.at(0).prompt));
    expect(textOf(forward.measure.at(59).prompt)).toBe(last);
  });

  it('sends other prompts in another trial', () => {
    const first = requestsOf(SETTINGS, TRIAL).measure.at(0).prompt;
    const second = requestsOf(SETTINGS, OTHER_TRIAL).measure.at(0).prompt;
    expect(wordsOf(first).slice(0, 8)).not.toEqual(wordsOf(second).slice(0, 8));
  });

  it('changes the first words only when salted, and no length', () => {
    const plain = wordsOf(requestsOf(SETTINGS, TRIAL).measure.at(0).prompt);
    const salted = wordsOf(requestsOf({ ...SETTINGS, salt: 'pepper' }, TRIAL).measure.at(0).prompt);
    expect(salted).toHaveLength(plain.length);
    expect(salted.slice(4)).toEqual(plain.slice(4));
    expect(salted.slice(0, 4)).not.toEqual(plain.slice(0, 4));
    expect(HEAD_WORDS).toContain(salted[0]);
  });

  it('keeps a bounded number of prefixes and still gives the same text', () => {
    const many = { ...SETTINGS, prefixes: [2000], requests: 4000 };
    const workload = requestsOf(many, drawFirstTrial(many));
    const before = prefixOf(workload.measure.at(0).prompt);
    for (let seq = 1; seq < 4000; seq++) prefixOf(workload.measure.at(seq).prompt);
    expect(prefixOf(workload.measure.at(0).prompt)).toBe(before);
  });

  it('warms up with text that shares no start with any prefix', () => {
    const workload = requestsOf(SETTINGS, TRIAL);
    const warmup = wordsOf(workload.warmup.at(0).prompt);
    expect(warmup).toHaveLength(30);
    for (let prefix = 0; prefix < 7; prefix++) {
      expect(wordsOf(workload.prime.at(prefix).prompt).slice(0, 4)).not.toEqual(warmup.slice(0, 4));
    }
  });

  it('primes with the prefix and a tail that no request has', () => {
    const workload = requestsOf(SETTINGS, TRIAL);
    const prefix = TRIAL.prefixOf[5] ?? 0;
    const primer = workload.prime.at(prefix).prompt;
    expect(prefixOf(primer)).toBe(prefixOf(workload.measure.at(5).prompt));
    const tails = Array.from({ length: 60 }, (_, seq) => tailOf(workload.measure.at(seq).prompt));
    expect(tails).not.toContain(tailOf(primer));
  });
});

describe('createProbePrompt', () => {
  it('is 300 words that depend on the salt alone', () => {
    expect(wordsOf(createProbePrompt('a'))).toHaveLength(300);
    expect(textOf(createProbePrompt('a'))).toBe(textOf(createProbePrompt('a')));
    expect(textOf(createProbePrompt('b'))).not.toBe(textOf(createProbePrompt('a')));
  });
});
