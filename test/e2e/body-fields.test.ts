import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readRun, runCli, temporaryFolder } from '../support/cli.js';
import { startFakeServer } from '../support/fake-server.js';

const SMALL =
  '--prefixes 1 --concurrency 1 --requests 4 --repeats 1 --prefix-tokens 32 --tail-tokens 8 --quiet';
const FIELDS = { temperature: null, chat_template_kwargs: { enable_thinking: false }, api_key: 'key-123456' };

async function run(flags: readonly string[]) {
  const server = await startFakeServer({ workers: ['1'] });
  const out = join(temporaryFolder(), 'run');
  const { code, stderr } = await runCli([
    'grid',
    '--url',
    server.url,
    ...SMALL.split(' '),
    ...flags,
    '--out',
    out,
  ]);
  return { code, stderr, out, server };
}

describe('fields of the body', () => {
  it('go into every request, of the probe too, and stand in run.json but for secrets', async () => {
    const { code, stderr, out, server } = await run(['--body', JSON.stringify(FIELDS)]);
    expect([code, stderr]).toEqual([0, expect.anything()]);
    for (const body of server.bodies) {
      expect(body).toMatchObject({ chat_template_kwargs: { enable_thinking: false }, api_key: 'key-123456' });
      expect(body).not.toHaveProperty('temperature');
    }
    const file = readRun(out);
    expect(file.variants[0]?.target.sent).toMatchObject({ max_tokens: 64, api_key: '***' });
    expect(file.variants[0]?.target.sent).not.toHaveProperty('temperature');
    expect(file.scenario.body).toEqual({ ...FIELDS, api_key: '***' });
    expect(JSON.stringify(file)).not.toContain('key-123456');
  });

  it('are a mapping in a scenario file, and part of what diff compares', async () => {
    const file = join(temporaryFolder(), 'with-body.yaml');
    writeFileSync(file, 'body:\n  top_p: 0.5\n');
    const [a, b] = [await run([file]), await run([])];
    expect(a.server.bodies.every(({ top_p }) => top_p === 0.5)).toBe(true);
    const { code, stdout } = await runCli(['diff', a.out, b.out]);
    expect(code).toBe(1);
    expect(stdout).toContain('client-settings-differ');
    expect(stdout).toContain('top_p');
  });

  it.each([
    ['{"a"', 'expected a JSON object such as {"temperature": null}, got "{"a""'],
    ['[1]', 'expected a JSON object such as {"temperature": null}, got "[1]"'],
    ['{"messages": []}', '"messages" cannot be given: it holds the prompt of the workload'],
    ['{"stream": false}', '"stream" cannot be given: it is always true, for the times come from the stream'],
    ['{"model": "m"}', '"model" cannot be given: it is set by --model'],
  ])('%s is refused in one line', async (body, expected) => {
    const { code, stderr } = await runCli(['grid', '--url', 'http://h', '--body', body]);
    expect([code, stderr]).toEqual([2, `kvbench: --body: ${expected}\n`]);
  });
});

describe('placeholders of a header', () => {
  it('stand for the request; those of readiness and probe are tied to no prefix', async () => {
    const { server } = await run(['--header', 'x-session-id: s-{prefix}', '--prefixes', '2']);
    const sent = server.headers.map((headers) => headers['x-session-id']);
    const measured = sent.slice(-4);
    expect([...new Set(sent.slice(0, -4))]).toEqual(['s-none']);
    expect([...new Set(measured)].sort()).toEqual(['s-0', 's-1']);
  });
});
