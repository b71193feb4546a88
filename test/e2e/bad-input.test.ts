import { mkdirSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

/** Runs and expects one line on stderr, nothing on stdout, and the exit code. */
async function refusal(
  code: number,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const result = await runCli(args, env);
  expect([result.code, result.stdout]).toEqual([code, '']);
  expect(result.stderr).toMatch(/^kvbench: [^\n]+\n$/);
  return result.stderr.slice('kvbench: '.length).trimEnd();
}

const SIM = ['grid', '--url', 'sim:kv'];
const QUICK = [
  '--prefixes',
  '1',
  '--concurrency',
  '1',
  '--requests',
  '1',
  '--repeats',
  '1',
  '--ready-timeout',
  '1s',
  '--quiet',
];

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('bad flags and scenarios: one line, exit code 2', () => {
  it.each([
    [['gird'], /^unknown command "gird"; did you mean "kvbench grid"\?$/],
    [[...SIM, '--prefix', '2'], /^unknown option '--prefix' \(Did you mean --prefixes\?\)$/],
    [[...SIM, '--prefixes', '0'], /^--prefixes: expected whole numbers from 1 to .*, got "0"$/],
    [[...SIM, '--prefixes', ''], /^--prefixes: expected .*, got nothing$/],
    [[...SIM, '--concurrency', 'NaN'], /^--concurrency: expected .*, got "NaN"$/],
    [[...SIM, '--requests', '-3'], /^--requests: expected a whole number from 1 to 100,000,000, got "-3"$/],
    [[...SIM, '--requests', '10'], /^24 prefix groups but only 10 requests in a trial/],
    [[...SIM, '--timeout', '120'], /^--timeout: expected a duration above 0 with its unit.*, got "120"$/],
    [['grid'], /^no target: .*; give --url/],
    [
      ['grid', '--url', '127.0.0.1:8000', ...QUICK],
      /"127\.0\.0\.1:8000" has no scheme; write http:\/\/127\.0\.0\.1:8000/,
    ],
    [['grid', '--url', 'ftp://host', ...QUICK], /ftp/],
    [['grid', '--url', 'sim:kvv', ...QUICK], /kvv.*kv/],
    [['grid', '--url', 'sim:kv?wrokers=6', ...QUICK], /wrokers.*workers/],
    [['grid', 'no-such.yaml'], /^cannot read the scenario no-such\.yaml: no such file/],
    [
      ['grid', '--url', 'http://127.0.0.1:9', '--skip-ready', ...QUICK],
      /^--skip-ready needs a model: there is no list .*; give --model ID$/,
    ],
    [
      ['grid', '--url', 'http://127.0.0.1:9', '--api-key-env', 'NO_SUCH_KEY', ...QUICK],
      /NO_SUCH_KEY is not set/,
    ],
    [['grid', 'a.yaml', 'b.yaml'], /too many arguments/],
  ])('%j', async (args, message) => {
    expect(await refusal(2, args)).toMatch(message);
  });

  it('a scenario with an unknown key, a bad value, or no YAML at all', async () => {
    const folder = temporaryFolder();
    const scenario = (text: string) => {
      const path = join(folder, 'scenario.yaml');
      writeFileSync(path, text);
      return path;
    };
    expect(await refusal(2, ['grid', scenario('url: sim:kv\nconcurency: 4\n')])).toMatch(
      /scenario\.yaml:2: unknown key "concurency"; did you mean "concurrency"\?$/,
    );
    expect(await refusal(2, ['grid', scenario('url: sim:kv\nrepeats: none\n')])).toMatch(
      /scenario\.yaml:2: repeats: expected/,
    );
    expect(await refusal(2, ['grid', scenario('{ url: sim:kv')])).toMatch(/scenario\.yaml:\d+: not YAML: /);
  });

  it('a folder for results that is not empty, is a file, or cannot be made', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'notes.txt'), 'mine');
    expect(await refusal(2, [...SIM, ...QUICK, '--out', folder])).toMatch(
      /is not empty \(notes\.txt\); give --out a new folder$/,
    );
    expect(await refusal(2, [...SIM, ...QUICK, '--out', join(folder, 'notes.txt')])).toMatch(
      /it is a file, not a folder/,
    );
    expect(await refusal(2, [...SIM, ...QUICK, '--out', join(folder, 'notes.txt', 'x')])).toMatch(
      /a part of the path is a file/,
    );
  });

  it('a folder that holds a run: named as such', async () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'run'));
    await runCli([...SIM, ...QUICK, '--out', join(folder, 'run')]);
    expect(await refusal(2, [...SIM, ...QUICK, '--out', join(folder, 'run')])).toMatch(
      /it holds a run: give another --out, or --resume/,
    );
  });
});

describe('a target that cannot be measured: one line, exit code 3', () => {
  it('is down', async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    expect(await refusal(3, ['grid', '--url', url, ...QUICK])).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+ cannot be reached after 1 s \(--ready-timeout\): .*refused.*; is the router running/,
    );
  });

  it('never lists the model, or any, or has no list', async () => {
    const one = await startFakeServer({ models: ['Qwen/Qwen3-0.6B'] });
    expect(await refusal(3, ['grid', '--url', one.url, '--model', 'Qwen/Qwen3-0.6', ...QUICK])).toMatch(
      /does not list the model "Qwen\/Qwen3-0\.6" after 1 s .*; it lists Qwen\/Qwen3-0\.6B; did you mean --model Qwen\/Qwen3-0\.6B\?$/,
    );
    const none = await startFakeServer({ models: [] });
    expect(await refusal(3, ['grid', '--url', none.url, ...QUICK])).toMatch(
      /lists no model after 1 s .*, or give --model ID$/,
    );
    const noList = await startFakeServer({ models: null });
    expect(await refusal(3, ['grid', '--url', noList.url, ...QUICK])).toMatch(
      /gives no model list .*HTTP 404.*; is the base URL right\? A target without \/v1\/models needs --model ID$/,
    );
  });

  it('does not serve the asked model, in its own words', async () => {
    const server = await startFakeServer();
    expect(
      await refusal(3, ['grid', '--url', server.url, '--skip-ready', '--model', 'nope', ...QUICK]),
    ).toMatch(/HTTP 404: The model nope is not served/);
  });

  it('lists several models and none was asked for: exit code 2', async () => {
    const server = await startFakeServer({ models: ['a', 'b'] });
    expect(await refusal(2, ['grid', '--url', server.url, ...QUICK])).toBe(
      'the target lists 2 models: a, b; choose one with --model',
    );
  });
});
