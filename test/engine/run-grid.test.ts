import { describe, expect, it } from 'vitest';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import type { TrialRun, VariantRun } from '../../src/core/measure/run-file.js';
import type { TrialSummary } from '../../src/core/measure/summaries.js';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import type { PartialScenario, Scenario } from '../../src/core/scenario/settings.js';
import { planGrid } from '../../src/core/workload/plan.js';
import { createFailureWatch, type FailureWatch } from '../../src/engine/failure-watch.js';
import type { StopSignal } from '../../src/engine/ports.js';
import { type GridEnd, runGrid } from '../../src/engine/run-grid.js';
import { createStopLever } from '../../src/io/stop-signal.js';
import { createFakeTransport, type FakeAnswer, NEVER, testClock } from '../support/fake-transport.js';
import { drawFirstTrial } from '../support/trials.js';

const VARIANT: VariantRun = {
  name: 'kv',
  target: {
    kind: 'http',
    url: 'http://h',
    model: 'm',
    models: ['m'],
    dialect: 'openai',
    sent: {},
    cached_tokens: 'reported',
    probe: [],
  },
};

function scenarioOf(given: PartialScenario): Scenario {
  return resolveScenario(
    { url: 'http://h', prefixes: [2], concurrency: [2], requests: 6, repeats: 2, ...given },
    () => 'kv',
  );
}

interface Ran {
  readonly end: GridEnd;
  readonly records: RequestRecord[];
  readonly trials: TrialRun[];
  readonly summaries: TrialSummary[];
  readonly opened: readonly number[];
  readonly peak: number;
}

async function run(
  scenario: Scenario,
  respond: (index: number) => FakeAnswer,
  stop: StopSignal = NEVER,
  onRecord: (record: RequestRecord) => void = () => {},
  failures?: FailureWatch,
): Promise<Ran> {
  const clock = testClock();
  const transport = createFakeTransport(clock, (_, index) => respond(index));
  const records: RequestRecord[] = [];
  const trials: TrialRun[] = [];
  const summaries: TrialSummary[] = [];
  const end = await runGrid(
    scenario,
    planGrid(scenario).trials.map((trial) => ({ variant: VARIANT, transport, trial })),
    {
      clock,
      stop: failures?.stop ?? stop,
      failures,
      monitor: { start: () => {}, firstToken: () => {}, stop: () => null },
      sink: {
        write: (record) => {
          records.push(record);
          onRecord(record);
        },
      },
      progress: { trialStarted: () => {}, requestEnded: () => {}, trialEnded: () => {} },
      wallTime: () => '2026-11-30T00:00:00Z',
      onTrialEnd: async (trial, rows) => {
        trials.push(trial);
        summaries.push(...rows);
      },
    },
  );
  return { end, records, trials, summaries, opened: transport.opened, peak: transport.peak() };
}

describe('runGrid', () => {
  it('gives every planned request one record and every trial one row', async () => {
    const { end, records, summaries, opened, peak } = await run(scenarioOf({}), () => ({ ms: 10 }));
    expect(end).toBe('complete');
    expect(records.map((record) => `${record.trial}/${record.seq}`)).toEqual([
      ...[0, 1, 2, 3, 4, 5].map((seq) => `p2-c2-r1/${seq}`),
      ...[0, 1, 2, 3, 4, 5].map((seq) => `p2-c2-r2/${seq}`),
    ]);
    expect(summaries.map(({ requests, ok, failed }) => [requests, ok, failed])).toEqual([
      [6, 6, 0],
      [6, 6, 0],
    ]);
    expect(opened).toEqual([2, 2]);
    expect(peak).toBe(2);
  });

  it('stamps due, sent and first token on the clock of the trial', async () => {
    const { records } = await run(scenarioOf({ repeats: 1 }), (index) => ({ ms: 10 + index }));
    expect(records[2]).toMatchObject({
      seq: 2,
      due_ms: 10,
      sent_ms: 10,
      send_lag_ms: 0,
      ttft_ms: 12,
      e2e_ms: 12,
    });
  });

  it('turns a request that outlasts its time into a timeout and goes on', async () => {
    const { end, records } = await run(scenarioOf({ repeats: 1, timeout: 1000, maxFailed: 1 }), (index) => ({
      ms: index === 1 ? Number.POSITIVE_INFINITY : 10,
    }));
    expect(end).toBe('complete');
    const late = records.find((record) => record.outcome === 'timeout');
    expect(late).toMatchObject({ seq: 1, ttft_ms: null, error: { code: 'timeout' } });
    expect(records.filter((record) => record.outcome === 'ok')).toHaveLength(5);
  });

  it('primes each prefix alone, then measures; primers enter no figure', async () => {
    const { records, summaries, peak } = await run(
      scenarioOf({ repeats: 1, start: 'primed', concurrency: [1] }),
      () => ({
        ms: 10,
      }),
    );
    expect(records.map((record) => record.phase)).toEqual([
      'prime',
      'prime',
      ...new Array(6).fill('measure'),
    ]);
    expect(records.slice(0, 2).map((record) => record.prefix)).toEqual([0, 1]);
    expect(records[2]).toMatchObject({ due_ms: 0, sent_ms: 0 });
    expect(summaries[0]?.requests).toBe(6);
    expect(peak).toBe(1);
  });

  it('warms up with text of no prefix group', async () => {
    const { records } = await run(scenarioOf({ repeats: 1, warmup: 3 }), () => ({ ms: 10 }));
    expect(records.filter((record) => record.phase === 'warmup').map((record) => record.prefix)).toEqual([
      null,
      null,
      null,
    ]);
  });

  it('ends after a trial without any answer, its records kept', async () => {
    const { end, records, trials } = await run(scenarioOf({}), () => ({ ms: 5, status: 503 }));
    expect(end).toBe('target-lost');
    expect(records).toHaveLength(6);
    expect(trials).toHaveLength(1);
  });

  it('ends within a trial once most requests fail: what is left is not sent', async () => {
    const failures = createFailureWatch(0, NEVER);
    const { end, records, trials } = await run(
      scenarioOf({ requests: 100, repeats: 3 }),
      (index) => ({ ms: 5, status: index < 30 || index % 10 === 0 ? 200 : 503 }),
      NEVER,
      () => {},
      failures,
    );
    expect(end).toBe('target-lost');
    expect(trials).toMatchObject([{ interrupted: true }]);
    expect(records).toHaveLength(100);
    const count = (outcome: string) => records.filter((record) => record.outcome === outcome).length;
    expect([count('ok'), count('http_error'), count('aborted')]).toEqual([32, 12, 56]);
    expect(failures.seen()).toMatchObject({ failed: 11, requests: 20 });
  });

  it('goes on through lost trials when that many failures are allowed', async () => {
    const { end, records } = await run(scenarioOf({ maxFailed: 100 }), () => ({ ms: 5, status: 503 }));
    expect(end).toBe('complete');
    expect(records).toHaveLength(12);
  });

  it('drains on the first stop: in-flight requests end, the rest are recorded as aborted', async () => {
    const lever = createStopLever();
    const { end, records, trials } = await run(
      scenarioOf({}),
      () => ({ ms: 10 }),
      lever,
      (record) => record.seq === 2 && lever.stopping === false && lever.pull(),
    );
    expect(end).toBe('interrupted');
    expect(records.map((record) => [record.seq, record.outcome, record.sent_ms === null])).toEqual([
      [0, 'ok', false],
      [1, 'ok', false],
      [2, 'ok', false],
      [3, 'ok', false],
      [4, 'aborted', true],
      [5, 'aborted', true],
    ]);
    expect(trials.map((trial) => trial.interrupted)).toEqual([true]);
  });

  it('aborts on the second stop', async () => {
    const lever = createStopLever();
    const { records } = await run(
      scenarioOf({}),
      (index) => ({ ms: index === 1 ? Number.POSITIVE_INFINITY : 10 }),
      lever,
      (record) => {
        if (record.seq !== 2) return;
        lever.pull();
        lever.pull();
      },
    );
    expect(records.find((record) => record.seq === 1)).toMatchObject({ outcome: 'aborted', sent_ms: 0 });
    expect(records).toHaveLength(6);
  });

  it('sends an open load when due and calls its trials by rate', async () => {
    const scenario = scenarioOf({ rate: [100], repeats: 1, concurrency: [] });
    const { records, opened } = await run(scenario, () => ({ ms: 10 }));
    const due = drawFirstTrial(scenario).dueMs ?? new Float64Array();
    expect(records.map((record) => record.due_ms)).toEqual(
      [...due].map((ms) => Math.round(ms * 1000) / 1000),
    );
    expect(records[0]).toMatchObject({ trial: 'p2-q100-r1', concurrency: null, rate: 100, send_lag_ms: 0 });
    expect(opened).toEqual([16]);
  });
});
