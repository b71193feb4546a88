import { describe, expect, it } from 'vitest';
import { resolveScenario } from '../../../src/core/scenario/resolve-scenario.js';
import { parseScenario } from '../../../src/core/scenario/scenario-file.js';
import type { PartialScenario } from '../../../src/core/scenario/settings.js';
import { planGrid } from '../../../src/core/workload/plan.js';
import { planRows, splitTrial } from '../../../src/core/workload/plan-rows.js';
import { createTrialRequests } from '../../../src/core/workload/requests.js';
import { drawFirstTrial } from '../../support/trials.js';

const LISTED = [
  { group: 'long', share: 1, prefixTokens: 80, tailTokens: 20, outputTokens: null },
  { group: 'short', share: 3, prefixTokens: null, tailTokens: null, outputTokens: 5 },
];

function scenarioOf(given: PartialScenario = {}) {
  return resolveScenario(
    { url: 'sim:kv', prefixes: [4], concurrency: [2], groups: LISTED, ...given },
    () => 'kv',
  );
}

function failure(run: () => unknown): string {
  try {
    run();
  } catch (error) {
    const { message, exitCode } = error as { message: string; exitCode: number };
    return `${exitCode} ${message}`;
  }
  return 'no failure';
}

describe('groups of a scenario', () => {
  it('are read from the file, lengths that they leave out are those of the scenario', () => {
    const text =
      'groups:\n  - group: long\n    share: 0.5\n    prefix-tokens: 80\n  - {group: b, share: 1}\n';
    const { groups } = resolveScenario({ url: 'u', ...parseScenario(text, 'x.yaml') }, () => 'kv');
    expect(groups).toEqual([
      { group: 'long', share: 0.5, prefixTokens: 80, tailTokens: 300, outputTokens: 64 },
      { group: 'b', share: 1, prefixTokens: 2000, tailTokens: 300, outputTokens: 64 },
    ]);
  });

  const bad: readonly (readonly [string, RegExp])[] = [
    ['3', /expected a list of groups/],
    ['[]', /expected a list of groups/],
    [
      '[{group: a, share: 1, prefix-token: 3}]',
      /entry 1: no field "prefix-token"; did you mean "prefix-tokens"\?/,
    ],
    ['[{share: 1}]', /entry 1: group: expected a name of .*, got nothing/],
    ['[{group: a, share: 1}, {group: a, share: 2}]', /entry 2: "a" is listed twice/],
    ['[{group: a}]', /entry 1: share: expected a number above 0, got nothing/],
    ['[{group: a, share: 0}]', /entry 1: share: expected a number above 0, got 0/],
    ['[{group: a, share: -1}]', /entry 1: share: expected a number above 0, got -1/],
    ['[{group: a, share: much}]', /entry 1: share: expected a number above 0, got much/],
    ['[{group: a, share: 1, tail-tokens: 0}]', /entry 1: tail-tokens: expected a whole number from 1/],
    ['[{group: whole, share: 1}]', /entry 1: group: "whole" names the rows of all groups together/],
  ];
  it.each(bad)('refuses groups: %s with the line and the entry', (value, message) => {
    const text = `url: sim:kv\ngroups: ${value}\n`;
    expect(failure(() => parseScenario(text, 'x.yaml'))).toMatch(
      new RegExp(`^2 x\\.yaml:2: groups: ${message.source}`),
    );
  });

  it('refuse a share too small for the prefixes, and a whole of nothing', () => {
    expect(failure(() => scenarioOf({ requests: 12 }))).toBe(
      '2 group long has 4 prefix groups but only about 3 of the 12 requests in a trial',
    );
    expect(failure(() => scenarioOf({ groups: [], whole: true }))).toMatch(/^2 whole needs groups/);
  });
});

describe('a plan with groups', () => {
  it('draws groups by their shares, from a stream of their own', () => {
    const scenario = scenarioOf({ requests: 20_000, repeats: 1 });
    const trial = drawFirstTrial(scenario);
    const plain = drawFirstTrial({ ...scenario, groups: [] });
    const long = trial.groupOf?.filter((index) => index === 0).length ?? 0;
    // Five standard deviations of a binomial.
    expect(Math.abs(long - 5000)).toBeLessThan(5 * Math.sqrt(20_000 * 0.25 * 0.75));
    expect(trial.prefixOf).toEqual(plain.prefixOf);
    expect(plain.groupOf).toBeNull();
    expect(drawFirstTrial(scenario).groupOf).toEqual(trial.groupOf);
  });

  it('splits each trial into its groups: every request in one, in order, due when it was', () => {
    const scenario = scenarioOf({ concurrency: [], rate: [10], requests: 100, repeats: 1, whole: true });
    const plan = planGrid(scenario);
    expect(planRows(scenario, plan.cells).map(({ id }) => id)).toEqual([
      'p4-q10/long',
      'p4-q10/short',
      'p4-q10/whole',
    ]);
    const trial = drawFirstTrial(scenario);
    const [long, short, whole] = splitTrial(scenario, trial).map((part) => part.plan);
    expect([long?.id, short?.id, whole?.id]).toEqual([
      'p4-q10-r1/long',
      'p4-q10-r1/short',
      'p4-q10-r1/whole',
    ]);
    const seqs = [...trial.prefixOf.keys()];
    const seqsOf = (index: number) => seqs.filter((seq) => trial.groupOf?.[seq] === index);
    expect([...(long?.prefixOf ?? [])]).toEqual(seqsOf(0).map((seq) => trial.prefixOf[seq]));
    expect([...(short?.dueMs ?? [])]).toEqual(seqsOf(1).map((seq) => trial.dueMs?.[seq]));
    expect((long?.prefixOf.length ?? 0) + (short?.prefixOf.length ?? 0)).toBe(100);
    expect(whole?.prefixOf).toEqual(trial.prefixOf);
  });

  it('gives each group prefixes of its own, of its own length', () => {
    const scenario = scenarioOf({ requests: 100, repeats: 1 });
    const trial = drawFirstTrial(scenario);
    const { measure, prime } = createTrialRequests({ ...scenario, start: 'primed' }, trial);
    const words = (bytes: Uint8Array) => new TextDecoder().decode(bytes).trim().split(' ');
    const texts = new Map<string, string>();
    for (const seq of trial.prefixOf.keys()) {
      const { prompt, group: name, outputTokens } = measure.at(seq);
      const group = scenario.groups[trial.groupOf?.[seq] ?? -1];
      const prefix = prompt.shared.flatMap((part) => words(part.bytes()));
      expect([name, prefix.length, words(prompt.tail.bytes()).length, outputTokens]).toEqual([
        group?.group,
        group?.prefixTokens,
        group?.tailTokens,
        group?.outputTokens,
      ]);
      texts.set(`${group?.group} ${trial.prefixOf[seq]}`, prefix.join(' '));
    }
    expect(texts.size).toBe(8);
    expect(new Set([...texts.values()].map((text) => text.slice(0, 60))).size).toBe(8);
    // Primers go prefix by prefix, group by group: the third prefix of the first group, then of the second.
    const [long, short] = [prime.at(2), prime.at(4 + 2)];
    expect([long.group, long.prefix, short.group, short.prefix, prime.count]).toEqual([
      'long',
      2,
      'short',
      2,
      8,
    ]);
    expect(long.prompt.shared[0]?.id).not.toBe(short.prompt.shared[0]?.id);
    expect(words(short.prompt.shared[0]?.bytes() ?? new Uint8Array()).join(' ')).toBe(texts.get('short 2'));
  });
});
