import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv, readRecords, readRun, runCli, spawnCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const SMALL = [
  ...['--prefixes', '2', '--concurrency', '4', '--requests', '24', '--repeats', '1'],
  ...[
    '--prefix-tokens',
    '160',
    '--tail-tokens',
    '20',
    '--output-tokens',
    '4',
    '--ready-timeout',
    '1s',
    '--quiet',
  ],
];

describe('kvbench grid on a server', () => {
  it('measures hits exactly, with the plan lengths plus the template', async () => {
    const server = await startFakeServer();
    const out = join(temporaryFolder(), 'run');
    const { code, stderr } = await runCli(['grid', '--url', server.url, ...SMALL, '--out', out]);
    expect([code, stderr]).toEqual([0, '']);
    const records = readRecords(out);
    expect(new Set(records.map((record) => record.prompt_tokens))).toEqual(new Set([188]));
    expect(readCsv(join(out, 'grid.csv'))[0]).toMatchObject({
      ok: '24',
      failed: '0',
      request_hit_rate: '0.916667',
    });
    expect(records.filter((record) => record.cached_tokens === 160)).toHaveLength(22);
  });

  it('opens its connections before the trial and no more than there are requests in flight', async () => {
    const server = await startFakeServer({ firstTokenMs: 30 });
    const out = join(temporaryFolder(), 'run');
    await runCli(['grid', '--url', server.url, ...SMALL, '--dialect', 'openai', '--out', out]);
    expect(server.peak()).toBe(4);
    expect(readRecords(out).every((record) => record.connect_ms === null)).toBe(true);
  });

  it('opens a connection for each request when asked to', async () => {
    const server = await startFakeServer();
    const out = join(temporaryFolder(), 'run');
    await runCli(['grid', '--url', server.url, ...SMALL, '--connections', 'per-request', '--out', out]);
    expect(server.connections()).toBeGreaterThanOrEqual(24);
    expect(readRecords(out).every((record) => (record.connect_ms ?? 0) > 0)).toBe(true);
  });

  it('sends nothing a router may route by, and what the user adds', async () => {
    const server = await startFakeServer();
    const out = join(temporaryFolder(), 'run');
    await runCli(['grid', '--url', server.url, ...SMALL, '--header', 'X-Team: blue', '--out', out]);
    const names = new Set(server.headers.flatMap((headers) => Object.keys(headers)));
    expect([...names].filter((name) => /request-id|session|user|correlation|trace/.test(name))).toEqual([]);
    expect(server.headers.every((headers) => headers['x-team'] === 'blue')).toBe(true);
  });

  it('finds out what a strict server accepts and says what was sent', async () => {
    const server = await startFakeServer({ rejects: ['nvext', 'ignore_eos'] });
    const out = join(temporaryFolder(), 'run');
    await runCli(['grid', '--url', server.url, ...SMALL, '--out', out]);
    const target = readRun(out).variants[0]?.target;
    expect(target).toMatchObject({ dialect: 'openai', cached_tokens: 'reported', model: 'fake' });
    expect(target?.sent).toEqual({
      max_tokens: 4,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(target?.probe[0]).toContain('Unrecognized request argument');
  });

  it('speaks Dynamo to who answers in kind, and keeps worker ids exact', async () => {
    const workers = ['7587885654081434671', '7587885654081434673'];
    const server = await startFakeServer({ workers });
    const out = join(temporaryFolder(), 'run');
    await runCli(['grid', '--url', server.url, ...SMALL, '--out', out]);
    expect(readRun(out).variants[0]?.target.dialect).toBe('dynamo');
    expect(new Set(readRecords(out).map((record) => record.worker))).toEqual(new Set(workers));
    expect(readCsv(join(out, 'grid.csv'))[0]?.workers_seen).toBe('2');
  });

  it('counts an absent cached_tokens as 0 where the probe showed that zeros are left out', async () => {
    const server = await startFakeServer({ omitCached: 'zero' });
    const out = join(temporaryFolder(), 'run');
    const { code } = await runCli(['grid', '--url', server.url, ...SMALL, '--out', out]);
    expect(code).toBe(0);
    expect(readRun(out).variants[0]?.target.cached_tokens).toBe('omits-zero');
    expect(readRecords(out).filter((record) => record.cached_tokens === null)).toHaveLength(2);
    expect(readCsv(join(out, 'grid.csv'))[0]?.request_hit_rate).toBe('0.916667');
  });

  it('says not reported, never 0, when a server does not say', async () => {
    const server = await startFakeServer({ omitCached: 'always' });
    const out = join(temporaryFolder(), 'run');
    const { code, stdout } = await runCli(['grid', '--url', server.url, ...SMALL, '--out', out]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Request hit rate.*\n.*\n\s+2 +not reported/);
    expect(stdout).toContain('cached-tokens-not-reported');
    expect(readCsv(join(out, 'grid.csv'))[0]).toMatchObject({ request_hit_rate: '', workers_per_prefix: '' });
  });

  it('reports a trial run twice as contaminated, and a random salt cures it', async () => {
    const server = await startFakeServer();
    const folder = temporaryFolder();
    const run = (name: string, ...more: string[]) =>
      runCli(['grid', '--url', server.url, ...SMALL, '--out', join(folder, name), ...more]);
    expect((await run('first')).code).toBe(0);
    const again = await run('again');
    expect(again.code).toBe(1);
    expect(again.stdout).toMatch(/^DROPPED contaminated: p2-c4-r1: /m);
    expect(readCsv(join(folder, 'again', 'grid.csv'))[0]).toMatchObject({
      repeats_kept: '0',
      repeats_dropped: '1',
      request_hit_rate: '',
      findings: expect.stringMatching(/^contaminated;(client-limited;)?missing-trials$/),
    });
    expect((await run('salted', '--salt', 'random')).code).toBe(0);
    const [first, salted] = [readRun(join(folder, 'first')), readRun(join(folder, 'salted'))];
    expect(salted.workload.sha256).toBe(first.workload.sha256);
    expect(salted.workload.salt_sha256).not.toBe(null);
  });

  it.each(['', '/', '/v1', '/v1/', '/some/path', '/some/path/v1/'])(
    'finds the API under a base URL that ends with "%s"',
    async (path) => {
      const server = await startFakeServer();
      const out = join(temporaryFolder(), 'run');
      const { code } = await runCli([
        'grid',
        '--url',
        server.url + path,
        ...['--metrics-url', 'off'],
        ...SMALL,
        '--requests',
        '2',
        '--out',
        out,
      ]);
      expect(code).toBe(0);
      const root = path.startsWith('/some/path') ? '/some/path/v1' : '/v1';
      expect(new Set(server.paths)).toEqual(new Set([`${root}/models`, `${root}/chat/completions`]));
    },
  );

  it('asks the completions API when told to', async () => {
    const server = await startFakeServer();
    const out = join(temporaryFolder(), 'run');
    const { code } = await runCli([
      'grid',
      '--url',
      server.url,
      ...SMALL,
      '--endpoint',
      'completions',
      '--out',
      out,
    ]);
    expect(code).toBe(0);
    expect(server.bodies.every((body) => typeof body.prompt === 'string')).toBe(true);
  });

  it('keeps secrets out of every file it writes', async () => {
    const server = await startFakeServer();
    const out = join(temporaryFolder(), 'run');
    const args = [
      '--header',
      'Authorization: Bearer hush-1',
      '--header=X-Api-Key: hush-2',
      '--api-key-env',
      'KEY',
    ];
    await runCli(['grid', '--url', server.url, ...SMALL, ...args, '--out', out], { KEY: 'hush-3' });
    expect(server.headers[0]?.authorization).toBe('Bearer hush-3');
    for (const name of ['run.json', 'requests.jsonl', 'tables.md']) {
      expect(readFileSync(join(out, name), 'utf8')).not.toContain('hush');
    }
  });

  it('ends before the first trial when the target answers nothing, with its own words: exit code 3', async () => {
    const folder = temporaryFolder();
    const broken = await startFakeServer({ status: 503 });
    const out = join(folder, 'run');
    const probed = await runCli(['grid', '--url', broken.url, ...SMALL, '--out', out]);
    expect([probed.code, probed.stdout]).toEqual([3, '']);
    expect(probed.stderr).toMatch(
      /^kvbench: http.* answers no request after 1 s \(--ready-timeout\): HTTP 503: The model fake is not served; are its workers running\?.*\n$/,
    );
  });

  it('resumes a run that was stopped, with the trials it has', async () => {
    const server = await startFakeServer({ firstTokenMs: 20 });
    const folder = temporaryFolder();
    const scenario = join(folder, 'scenario.yaml');
    writeFileSync(
      scenario,
      `url: ${server.url}\nprefixes: [2, 4]\nconcurrency: 2\nrequests: 20\nrepeats: 2\nprefix-tokens: 32\ntail-tokens: 4\noutput-tokens: 2\n`,
    );
    const out = join(folder, 'run');
    const stopped = await spawnCli(['grid', scenario, '--out', out], (child) => {
      child.stderr?.on('data', (chunk) => {
        if (String(chunk).startsWith('[2/4]')) child.kill('SIGINT');
      });
    });
    expect(stopped.code).toBe(130);
    expect(readRun(out).status).toBe('interrupted');
    server.forget();
    const resumed = await runCli(['grid', scenario, '--out', out, '--resume', '--quiet']);
    expect([resumed.code, resumed.stderr]).toEqual([0, '']);
    expect(readRun(out).status).toBe('complete');
    expect(readRecords(out)).toHaveLength(80);
    expect(readCsv(join(out, 'grid.csv')).map((row) => [row.repeats_kept, row.ok])).toEqual([
      ['2', '40'],
      ['2', '40'],
    ]);
  });

  it('fills a header for session affinity with the prefix of each request', async () => {
    const server = await startFakeServer();
    const out = join(temporaryFolder(), 'run');
    const header = ['--header', 'x-session-id: {prefix}', '--header', 'x-n: {seq}'];
    await runCli(['grid', '--url', server.url, ...SMALL, ...header, '--out', out]);
    const sent = server.headers
      .slice(-readRecords(out).length)
      .map((one) => [one['x-session-id'], one['x-n']]);
    const planned = readRecords(out).map(({ prefix, seq }) => [String(prefix ?? 'none'), String(seq)]);
    expect(sent.sort()).toEqual(planned.sort());
    expect(readRun(out).scenario.header).toEqual(['x-session-id: {prefix}', 'x-n: {seq}']);
  });

  it('writes nothing that a server says back of its secrets, in lists and refusals too', async () => {
    const server = await startFakeServer({ models: ['of-sk-123456', 'b'] });
    const listed = await runCli(['grid', '--url', server.url, ...SMALL, '--header', 'x-key: sk-123456']);
    expect(listed.stderr).toMatch(/lists 2 models: of-\*\*\*, b;/);
  });
});
