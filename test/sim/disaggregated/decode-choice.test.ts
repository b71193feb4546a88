import { describe, expect, it } from 'vitest';
import { createRng } from '../../../src/core/base/rng.js';
import {
  chooseDecode,
  createScorer,
  type DecodeCandidate,
  type DecodeSettings,
  expectedLatencyMs,
} from '../../../src/sim/disaggregated/decode-choice.js';

type DecodePolicy = DecodeSettings['decodePolicy'];

const candidate = (worker: number, more: Partial<DecodeCandidate>): DecodeCandidate => ({
  worker,
  reachable: true,
  locality: 'far',
  inFlight: 0,
  waitMs: 0,
  transferMs: 0,
  ...more,
});

function choose(policy: DecodePolicy, candidates: readonly DecodeCandidate[], seed = 'x') {
  const settings = { decodePolicy: policy, minAffinity: 'host', localityWeight: 1, loadWeight: 1 } as const;
  return chooseDecode(candidates, settings, createRng(seed));
}

const A = (waitMs: number) => candidate(0, { locality: 'host', inFlight: 9, waitMs, transferMs: 4 });
const B = candidate(1, { locality: 'zone', inFlight: 1, waitMs: 5, transferMs: 18 });
const C = candidate(2, { locality: 'host', inFlight: 0, waitMs: 0, transferMs: 1, reachable: false });

describe('least latency', () => {
  it('finds B 61 ms better than a near A that waits 80', () => {
    expect((expectedLatencyMs(A(80)) ?? 0) - (expectedLatencyMs(B) ?? 0)).toBe(61);
    expect(choose('least-latency', [A(80), B]).chosen?.worker).toBe(1);
  });

  it('takes A iff its wait is under 19 ms, either at 19', () => {
    expect(choose('least-latency', [A(18.999), B]).chosen?.worker).toBe(0);
    expect(choose('least-latency', [A(19.001), B]).chosen?.worker).toBe(1);
    expect(choose('least-latency', [A(10), B]).chosen?.worker).toBe(0);
    const ties = new Set(
      Array.from({ length: 40 }, (_, i) => choose('least-latency', [A(19), B], `${i}`).chosen?.worker),
    );
    expect([...ties].sort()).toEqual([0, 1]);
  });

  it('never takes an unreachable C, however near', () => {
    const decision = choose('least-latency', [A(80), B, C]);
    expect(decision.chosen?.worker).toBe(1);
    expect(decision.before.map(({ worker }) => worker)).toEqual([0, 1, 2]);
    expect(decision.after.map(({ worker }) => worker)).toEqual([0, 1]);
  });

  it('takes an unknown candidate only when none is known whole', () => {
    const unknown = candidate(3, { waitMs: null, transferMs: 0 });
    expect(choose('least-latency', [unknown, A(80)]).chosen?.worker).toBe(0);
    expect(choose('least-latency', [unknown]).chosen?.worker).toBe(3);
  });
});

describe('topology filter', () => {
  it('keeps choosing the congested near worker', () => {
    const decision = choose('topology-filter', [A(80), B, C]);
    expect(decision.chosen?.worker).toBe(0);
    expect(decision.after.map(({ worker }) => worker)).toEqual([0]);
    expect(decision.failedOpen).toBe(false);
  });

  it('fails open to all that are reachable when none matches', () => {
    const decision = choose('topology-filter', [B, candidate(4, { locality: 'unknown', inFlight: 3 }), C]);
    expect(decision.after.map(({ worker }) => worker)).toEqual([1, 4]);
    expect(decision.failedOpen).toBe(true);
    expect(decision.chosen?.worker).toBe(1);
  });

  it('chooses none when none is reachable', () => {
    expect(choose('topology-filter', [C])).toMatchObject({ chosen: null, after: [], failedOpen: false });
  });

  it.each([
    ['host', ['host']],
    ['rack', ['host', 'rack']],
    ['zone', ['host', 'rack', 'zone']],
    ['region', ['host', 'rack', 'zone', 'region']],
  ] as const)('with min-affinity %s keeps %j', (minAffinity, kept) => {
    const localities = ['host', 'rack', 'zone', 'region', 'far', 'unknown'] as const;
    const decision = chooseDecode(
      localities.map((locality, worker) => candidate(worker, { locality })),
      { decodePolicy: 'topology-filter', minAffinity, localityWeight: 1, loadWeight: 1 },
      createRng('x'),
    );
    expect(decision.after.map(({ locality }) => locality)).toEqual(kept);
  });
});

describe('topology scorer', () => {
  it('adds the weighted locality to the weighted load score', () => {
    const all = [
      candidate(0, { locality: 'host', inFlight: 10 }),
      candidate(1, { locality: 'rack', inFlight: 5 }),
      candidate(2, { locality: 'zone', inFlight: 0 }),
      candidate(3, { locality: 'region', inFlight: null }),
      candidate(4, { locality: 'unknown', inFlight: 10 }),
    ];
    const scoreOf = createScorer(all, { localityWeight: 2, loadWeight: 1 });
    // Load scores 0, 0.5, 1 and 0; the unknown one gets their mean, 0.375.
    expect(all.map((one) => Number(scoreOf(one).toFixed(6)))).toEqual([2, 0.9, 1.1, 0.415, 0]);
  });

  it('leaves a congested near worker that the filter would keep', () => {
    const near = candidate(0, { locality: 'host', inFlight: 10 });
    const far = candidate(1, { locality: 'rack', inFlight: 0 });
    const settings = { minAffinity: 'host', localityWeight: 1, loadWeight: 1 } as const;
    const chosen = (policy: DecodePolicy) =>
      chooseDecode([near, far], { ...settings, decodePolicy: policy }, createRng('x')).chosen?.worker;
    expect(chosen('topology-scorer')).toBe(1);
    expect(chosen('filter+scorer')).toBe(0);
  });
});
