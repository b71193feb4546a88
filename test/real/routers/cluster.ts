import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { RequestRecord } from '../../../src/core/answer/request-record.js';
import type { RunFile } from '../../../src/core/measure/run-file.js';
import { ROOT, readCsv, readRecords, readRun, runCli } from '../../support/cli.js';
import { findFreePort } from '../free-port.js';
import { start } from '../start.js';

const DIR = process.env.KVBENCH_ROUTERS_DIR ?? '';
/** Kept for all tests of a file: `diff` reads the runs of both modes. */
const RUNS = mkdtempSync(join(tmpdir(), 'kvbench-routers-'));
process.on('exit', () => rmSync(RUNS, { recursive: true, force: true }));

/** Two workers, each of which can hold all prefixes of GRID: what a mode loses it loses by placement. Fast, so that a grid takes seconds. */
const SIM = [
  ...['--workers', '2', '--capacity-requests', '20', '--set', 'step-ms=2'],
  ...['--set', 'prefill-ms-per-token=0.02', '--set', 'server-overhead-ms=2'],
];
const GRID = [
  ...['--prefixes', '12', '--concurrency', '4', '--requests', '120', '--repeats', '3'],
  ...['--output-tokens', '8', '--quiet'],
];
/** Requests that GRID measures. */
export const REQUESTS = 360;
/** Of every prompt of GRID: the simulated workers add no template. */
export const PROMPT_TOKENS = 2300;

/** Which router, how it routes, and over what. */
export interface Setup {
  readonly router: 'sglang-router' | 'smg' | 'vllm-router' | 'litellm' | 'nginx';
  readonly policy: string;
  /** What the workers answer as; see `kvbench sim --help`. */
  readonly engine?: 'vllm' | 'vllm-scale-out';
  /** Workers that run already, instead of simulated ones of its own, and the model that they serve. */
  readonly over?: { readonly urls: readonly string[]; readonly model: string };
  /** For serve.sh, and for kvbench where its flags name a variable. */
  readonly env?: Readonly<Record<string, string>>;
  /** Further flags of `kvbench grid` and `doctor`. */
  readonly flags?: (workers: readonly string[]) => readonly string[];
}

/** What one router in one mode gave. */
export interface Measured {
  readonly records: readonly RequestRecord[];
  readonly run: RunFile;
  readonly row: Readonly<Record<string, string>>;
  /** The run directory, for `diff`. */
  readonly out: string;
  readonly code: number | null;
  readonly stdout: string;
  /** Exit code and text of `kvbench doctor`, before the grid. */
  readonly doctor: { readonly code: number | null; readonly stdout: string };
  /** The router's own Prometheus page after the grid; empty where it has none. */
  readonly page: string;
  /** URLs of the two workers. */
  readonly workers: readonly string[];
}

/** Starts two workers unless they run already, and the router; runs doctor and a small grid, and stops what it started. */
export async function measure(setup: Setup): Promise<Measured> {
  if (setup.over !== undefined) return measureOver(setup, setup.over.urls);
  const engine = setup.engine ?? 'vllm';
  const sim = await start(
    process.execPath,
    ['bin/kvbench.js', 'sim', '--listen', '0', ...SIM, '--worker-ports', '0', '--worker-engine', engine],
    /Worker w1 on .*\n/,
  );
  try {
    const urls = [...sim.text().matchAll(/^Worker \S+ on (\S+)$/gm)].map(([, url]) => url ?? '');
    return await measureOver(setup, urls);
  } finally {
    await sim.stop();
  }
}

async function measureOver(setup: Setup, workers: readonly string[]): Promise<Measured> {
  if (!existsSync(join(DIR, 'stamp'))) {
    throw new Error('KVBENCH_ROUTERS_DIR must name a folder made by test/real/routers/setup.sh');
  }
  const { router, policy, over, env = {}, flags = () => [] } = setup;
  const [port, metricsPort] = [await findFreePort(), await findFreePort()];
  const serve = join(ROOT, 'test/real/routers/serve.sh');
  const served = await start(
    'bash',
    [serve, DIR, router, policy, String(port), ...workers],
    / is ready after /,
    { MODEL: over?.model ?? 'sim', METRICS_PORT: String(metricsPort), ...env },
  );
  try {
    const target = ['--url', `http://127.0.0.1:${port}`, ...flags(workers)];
    const doctor = await runCli(['doctor', ...target], env);
    const out = join(RUNS, policy, String(port));
    const grid = ['grid', ...target, '--variant', policy, ...GRID, '--out', out];
    const { code, stdout, stderr } = await runCli(grid, env);
    process.stdout.write(`${doctor.stdout}\n${stdout}\n${stderr}`);
    const page = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then(
      (answer) => answer.text(),
      () => '',
    );
    const [row = {}] = readCsv(join(out, 'grid.csv'));
    return { records: readRecords(out), run: readRun(out), row, out, code, stdout, doctor, page, workers };
  } finally {
    await served.stop();
  }
}

/** Tokens that a perfect placement gives: all but the first request of each prefix and trial hit its 125 blocks. */
export const MOST_CACHED = 3 * (120 - 12) * 2000;

/** What must hold of every router: all answered, prompts exact, the engines' counters the client's to the token. */
export function expectExact({ records, run, code }: Measured, promptTokens = PROMPT_TOKENS): void {
  expect(code).toBe(0);
  expect(records.filter(({ outcome }) => outcome !== 'ok')).toEqual([]);
  expect(records).toHaveLength(REQUESTS);
  expect(new Set(records.map(({ prompt_tokens }) => prompt_tokens))).toEqual(new Set([promptTokens]));
  for (const { client, engines } of countsByTrial({ records, run })) expect(engines).toEqual(client);
}

/** Requests and cached tokens of each trial, as the answers say and as the engines counted. */
export function countsByTrial({ records, run }: Pick<Measured, 'records' | 'run'>) {
  return run.trials.map(({ id, servers }) => {
    const own = records.filter(({ trial }) => trial === id);
    const engines = servers?.servers.filter(({ role }) => role === 'engine') ?? [];
    const cached = (all: readonly { readonly cached_tokens: number | null }[]) =>
      all.reduce((sum, { cached_tokens }) => sum + (cached_tokens ?? Number.NaN), 0);
    return {
      client: { requests: own.length, cached: cached(own) },
      engines: {
        requests: engines.reduce((sum, { requests }) => sum + (requests ?? Number.NaN), 0),
        cached: cached(engines),
      },
    };
  });
}

/** Requests by worker, as the answers named them and as each engine counted its own; by port, over all trials. */
export function requestsByPort({ records, run }: Measured) {
  const answers: Record<string, number> = {};
  for (const { worker } of records) {
    const port = portIn(worker ?? '');
    answers[port] = (answers[port] ?? 0) + 1;
  }
  const engines: Record<string, number> = {};
  for (const { servers } of run.trials) {
    for (const { server, requests } of servers?.servers.filter(({ role }) => role === 'engine') ?? []) {
      const port = portIn(server);
      engines[port] = (engines[port] ?? 0) + (requests ?? Number.NaN);
    }
  }
  return { answers, engines };
}

/** Metrics pages of the workers as flags, for a router that does not list them. */
export const metricsUrls = (workers: readonly string[]): readonly string[] =>
  workers.flatMap((url) => ['--metrics-url', url]);

/** Cached tokens of all trials, as the answers say. */
export const cachedTokens = ({ records }: Measured): number =>
  records.reduce((sum, { cached_tokens }) => sum + (cached_tokens ?? Number.NaN), 0);

/** `diff`'s code and text over two modes. */
export async function diff(baseline: Measured, candidate: Measured) {
  const result = await runCli(['diff', baseline.out, candidate.out]);
  process.stdout.write(`${result.stdout}\n`);
  return result;
}

function portIn(text: string): string {
  return /:(\d{4,5})\b/.exec(text)?.[1] ?? text;
}
