import { describe, expect, it } from 'vitest';
import { runCli, spawnCli } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

describe('kvbench doctor', () => {
  it('says what a plain server lets one measure', async () => {
    const server = await startFakeServer({ omitCached: 'always', rejects: ['nvext', 'ignore_eos'] });
    const { code, stdout } = await runCli(['doctor', '--url', server.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^dialect +openai; sent: max_tokens, temperature, stream, stream_options$/m);
    expect(stdout).toMatch(
      /^hit rate, cached tokens +no: no answer carried cached_tokens: not reported \(vLLM: .*\), or left out when 0 and nothing hit$/m,
    );
    expect(stdout).toMatch(
      /^workers per prefix +no: answers name no worker \(NVIDIA Dynamo: --dialect dynamo, .*add_header x-worker-id \$upstream_addr; another header: --worker-header NAME; in the body: --worker-json PATH\)$/m,
    );
  });

  it('says what a Dynamo lets one measure', async () => {
    const server = await startFakeServer({ workers: ['18068143163136127841'] });
    const { stdout } = await runCli(['doctor', '--url', server.url]);
    expect(stdout).toMatch(/^a repeated prompt +hit: 640 of 640 tokens were cached$/m);
    expect(stdout).toMatch(/^the cache's block +16 tokens, found by bisection: --block-size 16$/m);
    expect(stdout).toMatch(
      /^workers per prefix +yes: the answer names its worker, "18068143163136127841" \(body nvext\.worker_id\)$/m,
    );
    const json = JSON.parse((await runCli(['doctor', '--url', server.url, '--json'])).stdout) as {
      target: unknown;
    };
    expect(json.target).toMatchObject({ dialect: 'dynamo', cached_tokens: 'reported' });
  });

  it('says at once what it sees of a target that is not ready', async () => {
    const server = await startFakeServer({ status: 503 });
    const { code, stdout, stderr } = await runCli(['doctor', '--url', server.url]);
    expect([code, stdout, stderr]).toEqual([
      3,
      '',
      `kvbench: ${server.url} answers no request: HTTP 503: The model fake is not served; are its workers running? Look at its log; --ready-timeout waits longer\n`,
    ]);
    expect(server.bodies).toHaveLength(1);
  });

  it('has nothing to say of the simulated cluster', async () => {
    const { code, stderr } = await runCli(['doctor', '--url', 'sim:kv']);
    expect([code, stderr]).toEqual([
      2,
      'kvbench: the simulated cluster reports everything: there is nothing to find out; give --url of a server\n',
    ]);
  });
});

describe('kvbench doctor --client', () => {
  it('tries one load after another against its own server, until it is stopped', async () => {
    const { code, stdout, stderr } = await spawnCli(['doctor', '--client', '--json'], (child) => {
      child.stderr?.once('data', () => child.kill('SIGINT'));
    });
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^C=4 …\n\nStopping/)]);
    // The load under way is not told: it was cut short.
    expect(JSON.parse(stdout)).toEqual({
      cores: expect.any(Number),
      schedule: { firstTokenMs: 50, gapMs: 10, tokens: 40 },
      steps: [],
    });
  });

  it('takes no target', async () => {
    const { code, stderr } = await runCli(['doctor', '--client', '--url', 'http://127.0.0.1:1']);
    expect([code, stderr]).toEqual([
      2,
      'kvbench: --client needs no --url: it brings its own server; leave one of them out\n',
    ]);
  });
});
