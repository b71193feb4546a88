import { describe, expect, it } from 'vitest';
import { runCli } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

describe('kvbench doctor', () => {
  it('says what a plain server lets one measure', async () => {
    const server = await startFakeServer({ omitCached: 'always', rejects: ['nvext', 'ignore_eos'] });
    const { code, stdout } = await runCli(['doctor', '--url', server.url]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^dialect +openai; sent: max_tokens, temperature, stream, stream_options$/m);
    expect(stdout).toMatch(/^hit rate, cached tokens +no: no answer carried cached_tokens/m);
    expect(stdout).toMatch(/^workers per prefix +no: answers name no worker$/m);
  });

  it('says what a Dynamo lets one measure', async () => {
    const server = await startFakeServer({ workers: ['18068143163136127841'] });
    const { stdout } = await runCli(['doctor', '--url', server.url]);
    expect(stdout).toMatch(/^workers per prefix +yes: 18068143163136127841 answered$/m);
    const json = JSON.parse((await runCli(['doctor', '--url', server.url, '--json'])).stdout) as {
      target: unknown;
    };
    expect(json.target).toMatchObject({ dialect: 'dynamo', cached_tokens: 'reported' });
  });

  it('has nothing to say of the simulated cluster', async () => {
    const { code, stderr } = await runCli(['doctor', '--url', 'sim:kv']);
    expect([code, stderr]).toEqual([
      2,
      'kvbench: the simulated cluster reports everything: there is nothing to find out; give --url of a server\n',
    ]);
  });
});
