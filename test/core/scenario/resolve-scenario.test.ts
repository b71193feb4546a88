import { describe, expect, it } from 'vitest';
import { parseSetting, resolveScenario } from '../../../src/core/scenario/resolve-scenario.js';
import { parseScenario } from '../../../src/core/scenario/scenario-file.js';
import type { SettingKey } from '../../../src/core/scenario/settings.js';

const failure = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    const { message, hint, exitCode } = error as { message: string; hint: string | null; exitCode: number };
    return `${exitCode} ${message}${hint === null ? '' : `; ${hint}`}`;
  }
  return 'no failure';
};

describe('parseScenario', () => {
  it('reads lists, durations, numbers and names', () => {
    const text =
      "url: 'sim:kv?workers=6'\nprefixes: [2, 7]\nconcurrency: 8\nrate: 20/s\ntimeout: 2m\nseed: 7\n";
    expect(parseScenario(text, 'x.yaml')).toEqual({
      url: 'sim:kv?workers=6',
      prefixes: [2, 7],
      concurrency: [8],
      rate: [20],
      timeout: 120_000,
      seed: '7',
    });
  });

  it('reads an empty file as no settings', () => {
    expect(parseScenario('# nothing\n', 'x.yaml')).toEqual({});
  });

  it('names the line of an unknown key and the key that was meant', () => {
    expect(failure(() => parseScenario('url: sim:kv\nprefix: [2]\n', 'x.yaml'))).toBe(
      '2 x.yaml:2: unknown key "prefix"; did you mean "prefixes"?',
    );
  });

  it('names the line of a bad value', () => {
    expect(failure(() => parseScenario('url: sim:kv\n\nrequests: 0\n', 'x.yaml'))).toBe(
      '2 x.yaml:3: requests: expected a whole number from 1 to 100,000,000, got 0',
    );
  });

  it('refuses what is not YAML, or no mapping', () => {
    expect(failure(() => parseScenario('url: [1\nx', 'x.yaml'))).toMatch(/^2 x\.yaml:\d: not YAML: /);
    expect(failure(() => parseScenario('- 1\n', 'x.yaml'))).toMatch(
      /^2 x\.yaml: expected a mapping of settings, got a list/,
    );
    expect(failure(() => parseScenario('hello', 'x.yaml'))).toMatch(
      /expected a mapping of settings, got "hello"/,
    );
  });

  it('refuses a key given twice', () => {
    expect(failure(() => parseScenario('seed: 1\nseed: 2\n', 'x.yaml'))).toMatch(
      /^2 x\.yaml:2: not YAML: .*unique/i,
    );
  });
});

describe('parseSetting', () => {
  const bad: readonly (readonly [SettingKey, unknown])[] = [
    ['prefixes', '0'],
    ['prefixes', ''],
    ['prefixes', '2,,7'],
    ['prefixes', '2,2'],
    ['prefixes', 'NaN'],
    ['prefixes', '-1'],
    ['prefixes', '1.5'],
    ['concurrency', '0'],
    ['requests', 'many'],
    ['requests', '0'],
    ['requests', '-5'],
    ['requests', 'Infinity'],
    ['repeats', '0'],
    ['rate', '0'],
    ['rate', '5/h'],
    ['timeout', '120'],
    ['timeout', '0s'],
    ['header', ['no colon']],
    ['header', ['X: a\r\nY: b']],
    ['variant', 'a b'],
    ['variant', '../x'],
    ['dialect', 'sglang'],
    ['start', 'warm'],
  ];
  it.each(bad)('refuses --%s %j with the flag, what was expected and what was got', (key, value) => {
    const flag = key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    expect(failure(() => parseSetting(key, value))).toMatch(new RegExp(`^2 --${flag}: expected .*, got .+`));
  });

  it('reads durations and rates with their units', () => {
    expect(parseSetting('timeout', '500ms')).toBe(500);
    expect(parseSetting('timeout', '1.5m')).toBe(90_000);
    expect(parseSetting('rate', '5,20/s,30/m')).toEqual([5, 20, 0.5]);
    expect(failure(() => parseSetting('rate', '5/s,300/m'))).toMatch(/without duplicates/);
  });
});

describe('resolveScenario', () => {
  const variant = () => 'kv';

  it('fills in the defaults of the published experiment', () => {
    const scenario = resolveScenario({ url: 'http://h' }, variant);
    expect(scenario).toMatchObject({
      variant: 'kv',
      prefixes: [2, 7, 12, 24],
      concurrency: [4, 8, 16],
      rate: [],
      requests: 240,
      repeats: 3,
      prefixTokens: 2000,
      tailTokens: 300,
      outputTokens: 64,
      timeout: 120_000,
      salt: '',
    });
  });

  it('runs open loads alone when only a rate is given, and both when both are', () => {
    expect(resolveScenario({ url: 'u', rate: [5] }, variant).concurrency).toEqual([]);
    expect(resolveScenario({ url: 'u', rate: [5], concurrency: [4] }, variant).concurrency).toEqual([4]);
  });

  it('refuses more prefixes than requests, a missing url, and a model from no list', () => {
    expect(failure(() => resolveScenario({ url: 'u', requests: 20 }, variant))).toMatch(
      /^2 24 prefix groups but only 20 requests/,
    );
    expect(failure(() => resolveScenario({}, variant))).toMatch(/^2 no target: .*; give --url/);
    expect(failure(() => resolveScenario({ url: 'http://h', skipReady: true }, variant))).toMatch(
      /; give --model ID$/,
    );
  });
});
