import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createRealClock } from '../../src/io/real-clock.js';
import { type SimServer, startSimServer } from '../../src/sim/http/server.js';
import { parseSimTarget } from '../../src/sim/params/sim-params.js';
import { readRecords, readRun, runCli, temporaryFolder } from '../support/cli.js';

const open: SimServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** A cluster over HTTP whose workers have ports of their own. */
async function startCluster(policy: string, more = ''): Promise<SimServer> {
  const timing = 'step-ms=1&prefill-ms-per-token=0.01&decode-ms-per-request=0';
  const server = await startSimServer({
    params: parseSimTarget(`sim:${policy}?workers=3&${timing}${more}`),
    ...{ blocks: 400, model: 'sim', clock: createRealClock(), host: '127.0.0.1', port: 0, workerPort: 0 },
  });
  open.push(server);
  return server;
}

const SMALL = [
  ...['--prefixes', '5', '--concurrency', '4', '--requests', '60', '--repeats', '2', '--quiet'],
  ...['--prefix-tokens', '320', '--tail-tokens', '40', '--output-tokens', '4'],
];

async function grid(server: SimServer, ...more: string[]) {
  const out = join(temporaryFolder(), 'run');
  const url = `http://127.0.0.1:${server.port}`;
  const { code, stdout, stderr } = await runCli(['grid', '--url', url, ...SMALL, ...more, '--out', out]);
  expect([code, stderr]).toEqual([0, '']);
  return { out, stdout, run: readRun(out), records: readRecords(out) };
}

/** Each worker's page by the name that answers give it. */
function pages(server: SimServer): string[] {
  return server.workerPorts.flatMap((port, i) => ['--metrics-url', `worker-${i}=http://127.0.0.1:${port}`]);
}

describe('kvbench grid beside the metrics of the servers', () => {
  it.each(['cold', 'primed'])(
    'counts what the answers say, to the token, worker by worker: %s',
    async (start) => {
      const server = await startCluster('kv');
      const { run, records } = await grid(server, ...pages(server), '--start', start, '--warmup', '3');
      expect(run.trials).toHaveLength(2);
      for (const trial of run.trials) {
        const own = records.filter((record) => record.trial === trial.id && record.phase === 'measure');
        expect(trial.servers).toMatchObject({ unread: [], settled: true });
        const workers = [...new Set(own.map(({ worker }) => worker))];
        const truth = workers.map((worker) => {
          const mine = own.filter((record) => record.worker === worker);
          return {
            server: `worker-${worker?.replace(/\D/g, '')}`,
            requests: mine.length,
            cached_tokens: mine.reduce((sum, { cached_tokens }) => sum + (cached_tokens ?? 0), 0),
            prompt_tokens: mine.reduce((sum, { prompt_tokens }) => sum + (prompt_tokens ?? 0), 0),
          };
        });
        const counted = trial.servers?.servers
          .filter(({ requests }) => requests !== 0)
          .map(({ server, requests, cached_tokens, prompt_tokens }) => ({
            server,
            requests,
            cached_tokens,
            prompt_tokens,
          }));
        const byName = (a: { server: string }, b: { server: string }) => a.server.localeCompare(b.server);
        expect(counted?.sort(byName)).toEqual(truth.sort(byName));
      }
    },
  );

  it('finds the pages of all workers through the target, and takes the block size that they tell', async () => {
    const server = await startCluster('round-robin', '&block-size=32');
    const { run } = await grid(server);
    const [source, ...others] = run.variants[0]?.target.metrics ?? [];
    expect(others).toEqual([]);
    expect(source).toMatchObject({ from: '/metrics', unread: null });
    expect(source?.servers.map(({ kind, block_size, blocks }) => [kind, block_size, blocks])).toEqual([
      ['vllm', 32, 400],
      ['vllm', 32, 400],
      ['vllm', 32, 400],
    ]);
    expect(run.trials[0]?.servers?.servers.map(({ requests }) => requests)).toEqual([20, 20, 20]);
  });

  it('runs all the same where a page cannot be read, and says why', async () => {
    const server = await startCluster('kv');
    const { run } = await grid(server, '--metrics-url', `x=http://127.0.0.1:${server.port}/nothing`);
    expect(run.variants[0]?.target.metrics).toMatchObject([{ name: 'x', unread: 'HTTP 404', servers: [] }]);
    expect(run.trials.every(({ servers }) => servers === undefined)).toBe(true);
  });

  it('finds that someone else uses the cluster, and that --block-size is wrong', async () => {
    const server = await startCluster('kv');
    const other = setInterval(() => {
      fetch(`http://127.0.0.1:${server.port}/v1/completions`, {
        method: 'POST',
        body: JSON.stringify({ model: 'sim', prompt: 'someone else', max_tokens: 2 }),
      }).then(
        (answer) => answer.text(),
        () => {},
      );
    }, 5);
    const { run, stdout } = await grid(server, ...pages(server), '--block-size', '64').finally(() =>
      clearInterval(other),
    );
    expect(run.scenario.blockSize).toBe(64);
    expect(stdout).toContain('servers-disagree');
    expect(stdout.replace(/\s+/g, ' ')).toContain('--block-size 64; the servers say 16');
  });

  it('writes what servers showed over time', async () => {
    const server = await startCluster('kv');
    const { out, run } = await grid(server, ...pages(server), '--output-tokens', '120', '--repeats', '1');
    const lines = readFileSync(join(out, 'metrics.jsonl'), 'utf8').trim().split('\n');
    const points = lines.map((line) => JSON.parse(line));
    expect(new Set(points.map(({ server: name }) => name))).toEqual(
      new Set(['worker-0', 'worker-1', 'worker-2']),
    );
    expect(points.every(({ variant, trial }) => variant === 'target' && trial === run.trials[0]?.id)).toBe(
      true,
    );
    // A timer of Node may fire a millisecond early.
    expect(Math.min(...points.map(({ at_ms }) => at_ms))).toBeGreaterThanOrEqual(998);
  });
});
