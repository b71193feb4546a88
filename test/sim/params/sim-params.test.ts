import { describe, expect, it } from 'vitest';
import { KvbenchError } from '../../../src/core/base/errors.js';
import { POLICIES, SIM_PARAMS, type SimParam } from '../../../src/sim/params/declarations.js';
import { capacityBlocks, checkRequestFits, parseSimTarget } from '../../../src/sim/params/sim-params.js';

const DECLARED: [string, SimParam][] = Object.entries(SIM_PARAMS);

function messageOf(target: string): string {
  try {
    parseSimTarget(target);
  } catch (error) {
    if (error instanceof KvbenchError) return `${error.exitCode} ${error.message} ${error.hint ?? ''}`.trim();
    throw error;
  }
  return 'accepted';
}

describe('sim: targets', () => {
  it('reads a policy and its parameters', () => {
    const params = parseSimTarget('sim:kv?workers=3&capacity-requests=2.5&temperature=0.4&seed=abc');
    expect(params).toMatchObject({
      policy: 'kv',
      workers: 3,
      capacityBlocks: null,
      capacityRequests: 2.5,
      temperature: 0.4,
      seed: 'abc',
      blockSize: 16,
      overlapScoreCredit: 1,
      prefillLoadScale: 1,
      decodeActiveRequestWeight: 0,
    });
  });

  it('takes sim: alone for the kv policy with every default', () => {
    expect(parseSimTarget('sim:')).toEqual(parseSimTarget('sim:kv'));
  });

  it('accepts every declared policy with every parameter it has, at its default', () => {
    for (const policy of POLICIES) {
      const query = DECLARED.filter(([, param]) => param.policies?.includes(policy) ?? true)
        .filter(([, param]) => param.default !== null && param.only !== 'disaggregated')
        .map(([key, param]) => `${key}=${param.default}`)
        .join('&');
      expect(parseSimTarget(`sim:${policy}?${query}`)).toEqual(parseSimTarget(`sim:${policy}`));
    }
  });

  it.each([
    ['sim:kvv', '2 there is no simulated policy "kvv" did you mean "kv"?'],
    ['sim:kv?worker=6', '2 sim:kv has no parameter "worker" did you mean "workers"?'],
    [
      'sim:round-robin?temperature=1',
      '2 sim:round-robin has no parameter "temperature"; it belongs to kv, kv-unseeded, kv-approx',
    ],
    ['sim:kv?workers=0', '2 sim: workers must be a whole number from 1 to 100000, got "0"'],
    ['sim:kv?workers=1.5', '2 sim: workers must be a whole number from 1 to 100000, got "1.5"'],
    ['sim:kv?workers=', '2 sim: workers must be a whole number from 1 to 100000, got ""'],
    ['sim:kv?workers=NaN', '2 sim: workers must be a whole number from 1 to 100000, got "NaN"'],
    [
      'sim:kv?capacity-requests=0.9',
      '2 sim: capacity-requests must be a number from 1 to 1000000, got "0.9"',
    ],
    ['sim:kv?workers', '2 sim: parameter "workers" has no value write workers=VALUE'],
    ['sim:kv?workers=1&workers=2', '2 sim: parameter "workers" is given twice'],
    ['sim:kv?device-speeds=1,0', '2 sim: device-speeds must be comma-separated numbers above 0, got "1,0"'],
    ['sim:kv?timing=fast', '2 sim: timing must be one of linear, mocker, got "fast"'],
    ['sim:kv?timing=mocker&step-ms=3', '2 sim: step-ms has no effect with timing=mocker drop one of the two'],
    [
      'sim:kv?capacity-blocks=9&capacity-requests=2',
      '2 sim: capacity-blocks and capacity-requests are both given; give one',
    ],
  ])('refuses %s in one line', (target, message) => {
    expect(messageOf(target)).toBe(message);
  });

  it('lists the policies when none is near', () => {
    expect(messageOf('sim:banana')).toBe(
      `2 there is no simulated policy "banana" policies: ${POLICIES.join(', ')}`,
    );
  });

  it('sizes the published cache: 3.95 prompts of 2,371 tokens are 585 blocks', () => {
    expect(capacityBlocks(parseSimTarget('sim:kv?capacity-requests=3.95'), 2371)).toBe(585);
    expect(capacityBlocks(parseSimTarget('sim:kv?capacity-blocks=600'), 2371)).toBe(600);
  });

  it('says when not one request fits', () => {
    const params = parseSimTarget('sim:kv?capacity-blocks=100');
    expect(() => checkRequestFits(params, 2300, 64)).toThrow(
      "a worker's cache of 100 blocks of 16 tokens can't hold one request of 2300 + 64 tokens (148 blocks)",
    );
    expect(() => checkRequestFits(params, 1536, 64)).not.toThrow();
  });
});
