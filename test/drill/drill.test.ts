import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import { resolveScenario } from '../../src/core/scenario/resolve-scenario.js';
import { planGrid, planTrial } from '../../src/core/workload/plan.js';
import { createTrialRequests } from '../../src/core/workload/requests.js';
import { readCsv, readRecords, readRun, spawnCli, temporaryFolder } from '../support/cli.js';
import { FAULTS } from './faults.js';
import { startFaultyTarget } from './faulty-target.js';
import { GOOD_ANSWERS } from './good-answers.js';
import { type Holdings, watchProcess } from './process-watch.js';
import { reconcile } from './reconcile.js';

const SEED = process.env.KVBENCH_SEED ?? '1';
const CONCURRENCY = 64;
/** Memory that trials after the first may add: caches of code and of the collector. A leak of 2 KiB a request shows. */
const GROWTH_MIB = 30;

interface Size {
  readonly threads: number;
  readonly repeats: number;
  readonly requests: number;
}

/** Every planned request by its prompt, as `trial/seq`. */
function plannedPrompts({ repeats, requests }: Size): Map<string, string> {
  const lengths = { prefixTokens: 200, tailTokens: 40, outputTokens: 8 };
  const given = { url: 'http://127.0.0.1', seed: SEED, prefixes: [7], concurrency: [CONCURRENCY] };
  const scenario = resolveScenario({ ...given, ...lengths, requests, repeats }, () => 'drill');
  return new Map(
    planGrid(scenario).trials.flatMap((trial) => {
      const { measure } = createTrialRequests(scenario, planTrial(scenario, trial));
      return Array.from({ length: measure.count }, (_, seq): [string, string] => {
        const { shared, tail } = measure.at(seq).prompt;
        const text = Buffer.concat([...shared, tail].map((part) => part.bytes())).toString();
        return [text, `${trial.id}/${seq}`];
      });
    }),
  );
}

/** Runs the built command line against a faulty target. */
async function drill(size: Size) {
  const prompts = plannedPrompts(size);
  const target = await startFaultyTarget({ seed: SEED, identify: (prompt) => prompts.get(prompt) ?? null });
  onTestFinished(() => target.close());
  const out = join(temporaryFolder(), 'run');
  const samples: Holdings[] = [];
  const begunMs: number[] = [];
  const { code, stderr } = await spawnCli(
    [
      ...[
        'grid',
        '--url',
        target.url,
        '--dialect',
        'openai',
        '--model',
        'm',
        '--variant',
        'drill',
        '--out',
        out,
      ],
      ...[
        '--prefixes',
        '7',
        '--concurrency',
        `${CONCURRENCY}`,
        '--requests',
        `${size.requests}`,
        '--seed',
        SEED,
      ],
      ...[
        '--repeats',
        `${size.repeats}`,
        '--prefix-tokens',
        '200',
        '--tail-tokens',
        '40',
        '--output-tokens',
        '8',
      ],
      ...[
        '--timeout',
        '3s',
        '--max-failed',
        `${size.repeats * size.requests}`,
        '--threads',
        `${size.threads}`,
      ],
    ],
    (child) => {
      const stop = watchProcess(child.pid ?? 0, samples);
      child.on('close', stop);
      child.stderr?.on('data', (text) => {
        for (const _ of String(text).matchAll(/^\[\d+\/\d+\]/gm)) begunMs.push(performance.now());
      });
    },
  );
  return { target, planned: new Set(prompts.values()), out, code, stderr, samples, trialEndsMs: begunMs };
}

function countOutcomes(records: readonly RequestRecord[]): { ok: number; failed: number } {
  const ok = records.filter(({ outcome }) => outcome === 'ok').length;
  return { ok, failed: records.length - ok };
}

it.each([
  { threads: 1, repeats: 4, requests: 5000 },
  { threads: 2, repeats: 1, requests: 4000 },
])('%j: every record is what the target says it must be, and nothing is left behind', async (size) => {
  const { target, planned, out, code, stderr, samples, trialEndsMs } = await drill(size);
  const records = readRecords(out).filter(({ phase }) => phase === 'measure');
  await target.allClosed();

  expect(reconcile(planned, target.ledger, records, target.endedIdle())).toEqual([]);
  expect(target.complaints).toEqual([]);
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.not.stringContaining('kvbench:') });
  expect(readRun(out).status).toBe('complete');
  const rows = readCsv(join(out, 'trials.csv'));
  expect(rows.map((row) => ({ ok: Number(row.ok), failed: Number(row.failed) }))).toEqual(
    Array.from({ length: size.repeats }, (_, i) =>
      countOutcomes(records.filter(({ repeat }) => repeat === i + 1)),
    ),
  );
  const done = new Set(target.ledger.map(({ fault }) => fault));
  expect([...FAULTS, ...GOOD_ANSWERS].filter(({ name }) => !done.has(name))).toEqual([]);

  // One more for each that the client has closed and the target has not yet seen closed.
  expect(target.peak()).toBeLessThanOrEqual(CONCURRENCY + 16);
  // Standard output and standard error are sockets too.
  expect(Math.max(...samples.map(({ sockets }) => sockets))).toBeLessThanOrEqual(CONCURRENCY + 2);
  expect(trialEndsMs).toHaveLength(size.repeats);
  const inTrial = (trial: number) =>
    samples.filter(
      ({ atMs }) => atMs > (trialEndsMs[trial - 1] ?? 0) && atMs <= (trialEndsMs[trial] as number),
    );
  const rssAtEndOf = (trial: number) => inTrial(trial).at(-1)?.rssMib ?? 0;
  expect(rssAtEndOf(size.repeats - 1) - rssAtEndOf(0)).toBeLessThan(GROWTH_MIB);
});
