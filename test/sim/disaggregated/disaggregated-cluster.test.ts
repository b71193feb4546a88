import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/sim/clock/virtual-clock.js';
import { parseSimTarget } from '../../../src/sim/params/sim-params.js';
import { createSimTransport } from '../../../src/sim/transport.js';
import { runSimTrial, yieldToHost } from '../../support/sim-trial.js';
import { drawFirstTrial } from '../../support/trials.js';

const NEAR = 'prefill=2*h1/r1/z1/g1/rdma&decode=h1/r1/z1/g1/rdma,3*h2/r2/z1/g1/rdma';
// Nothing but transfer and queueing costs time: a step is 10 ms whatever is in it.
const TIMING =
  'step-ms=10&prefill-ms-per-token=0&decode-ms-per-request=0&server-overhead-ms=0&router-overhead-ms=0';

/** Runs a closed loop of requests over two prefixes and gives records and decisions. */
async function run(query: string, concurrency: number, requests = 200) {
  const clock = createVirtualClock(yieldToHost);
  const transport = createSimTransport(parseSimTarget(`sim:round-robin?${TIMING}&${query}`), clock);
  const plan = { seed: '1', prefixes: [2], concurrency: [concurrency], rate: [], requests, repeats: 1 };
  const trial = drawFirstTrial(plan);
  const settings = { seed: '1', prefixTokens: 2000, tailTokens: 300, outputTokens: 20 };
  const records = await runSimTrial(transport, trial, settings);
  const { decode } = transport;
  if (decode === null) throw new Error('the target has no decode pool');
  return { records, decisions: decode.recent(), summary: decode.summary(), notes: transport.notes() ?? '' };
}

describe('disaggregated prefill and decode', () => {
  it('moves the KV after the prompt and before the first token', async () => {
    const { records, decisions } = await run(`${NEAR}&decode-policy=topology-filter`, 1, 2);
    // Two steps for a prompt of more than 2,048 tokens; 5.28 ms within the host and 0.01 ms of delay; one decode step.
    const moveMs = (2300 * 114_688 * 8) / 400e6 + 0.01;
    expect(decisions[0]?.segments).toEqual({
      prefillWaitMs: 0,
      prefillMs: 20,
      transferMs: moveMs,
      decodeWaitMs: 0,
      firstStepMs: 10,
      ttftMs: 30 + moveMs,
    });
    expect((records[0]?.firstMs ?? 0) - (records[0]?.sentMs ?? 0)).toBeCloseTo(30 + moveMs, 9);
    expect(records[0]?.answer).toMatchObject({ prefillWorker: 'w0', decodeWorker: 'd0', outputTokens: 20 });
    expect(records[0]?.answer.server?.kv_transfer_ms).toBe(moveMs);
  });

  it('near pool congested but alive: the filter keeps choosing it, latency does not', async () => {
    const congested = `${NEAR}&decode-max-num-seqs=2`;
    const filter = await run(`${congested}&decode-policy=topology-filter`, 12);
    const latency = await run(`${congested}&decode-policy=least-latency`, 12);
    expect(filter.summary).toMatchObject({ decisions: 200, near: 200, far: 0, unknown: 0, failedOpen: 0 });
    expect(latency.summary.near).toBeGreaterThan(20);
    expect(latency.summary.far).toBeGreaterThan(100);
    expect(filter.summary.decodeWaitMs?.p50 ?? 0).toBeGreaterThan(500);
    expect(latency.summary.decodeWaitMs?.p50 ?? 1000).toBeLessThan(200);
    expect(latency.summary.ttftMs?.p50 ?? 1000).toBeLessThan((filter.summary.ttftMs?.p50 ?? 0) / 3);
  });

  it('near pool empty: the filter fails open to all', async () => {
    const empty = 'prefill=2*h1/r1/z1/g1/rdma&decode=2*h2/r2/z1/g1/rdma,2*h3/r3/z1/g1/tcp';
    const { summary, decisions } = await run(`${empty}&decode-policy=topology-filter`, 4);
    expect(summary).toMatchObject({ decisions: 200, near: 0, far: 200, unknown: 0, failedOpen: 200 });
    expect(decisions.every(({ before, after }) => before.length === 4 && after.length === 4)).toBe(true);
  });

  it('topology missing: unknown is a state of its own, and the filter fails open', async () => {
    const hidden = 'prefill=2*h1/r1/z1/g1/rdma:hidden&decode=h1/r1/z1/g1/rdma:hidden,3*h2/r2/z1/g1/rdma';
    const { summary, decisions } = await run(`${hidden}&decode-policy=topology-filter`, 4);
    expect(summary).toMatchObject({ near: 0, far: 0, unknown: 200, failedOpen: 200 });
    expect(decisions[0]?.before.map(({ locality, transferMs }) => [locality, transferMs])).toEqual(
      new Array(4).fill(['unknown', null]),
    );
  });

  it('labels that go stale in the middle of a run turn near into unknown', async () => {
    const stale = 'prefill=h1/r1/z1/g1/rdma:valid=1&decode=h1/r1/z1/g1/rdma';
    const { summary } = await run(`${stale}&decode-policy=topology-scorer`, 1, 20);
    // A request takes 20 + 5.29 + 200 ms: the choices at 20, 245, 471, 696 and 921 ms are before the second is over.
    expect(summary).toMatchObject({ near: 5, unknown: 15 });
  });

  it('an unreachable worker is never chosen, whatever the policy', async () => {
    for (const policy of ['topology-filter', 'topology-scorer', 'least-latency', 'random', 'least-loaded']) {
      const { summary, decisions } = await run(
        `prefill=h1/r1/z1/g1/rdma&decode=h2/r1/z1/g1/none,h3/r2/z2/g1/tcp&decode-policy=${policy}`,
        4,
        40,
      );
      expect(decisions.map(({ chosen }) => chosen?.worker)).toEqual(new Array(40).fill(1));
      expect(summary.withUnreachable).toBe(40);
    }
  });

  it('records an unreported load as unknown', async () => {
    const { decisions } = await run(
      'prefill=h1/r1/z1/g1/rdma&decode=h1/r1/z1/g1/rdma:noload,h2/r1/z1/g1/rdma&decode-policy=least-latency',
      4,
      20,
    );
    expect(decisions.every(({ before }) => before[0]?.inFlight === null && before[0].waitMs === null)).toBe(
      true,
    );
    expect(decisions.every(({ chosen }) => chosen?.worker === 1)).toBe(true);
  });

  it('says in its notes what the choices came to', async () => {
    const { notes } = await run(`${NEAR}&decode-policy=topology-filter`, 4);
    expect(notes.split('\n').slice(0, 2)).toEqual([
      'Decode choices by topology-filter, 200 (near: same host)',
      '  near 100.0 %, far 0.0 %, unknown 0.0 %; failed open 0.0 %; unreachable left out in 0.0 %',
    ]);
  });

  it.each([
    ['prefill=h1/r1/z1/g1/rdma', 'sim: a pool is missing: give decode too'],
    ['min-affinity=rack', 'sim: min-affinity needs the pools prefill and decode'],
    [`workers=3&${NEAR}`, 'sim: workers has no meaning with the pools prefill and decode'],
    [
      `${NEAR}&decode-policy=nearest`,
      'sim: decode-policy must be one of topology-filter, topology-scorer, filter+scorer, least-latency, least-loaded, random, got "nearest"',
    ],
    [
      `${NEAR}&latency-ms=1,2`,
      'sim: latency-ms takes five numbers (host, rack, zone, region, beyond), got 2',
    ],
    [
      'prefill=h1/r1/z1/g1/rdma&decode=h1/r2/z1/g1/rdma',
      'contradictory topology: host h1 is in rack r1 and in rack r2',
    ],
  ])('refuses %s', (query, message) => {
    expect(() => parseSimTarget(`sim:kv?${query}`)).toThrow(message);
  });
});
