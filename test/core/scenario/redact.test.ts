import { describe, expect, it } from 'vitest';
import { redactArgv, redactBody, redactScenario, secretsIn } from '../../../src/core/scenario/redact.js';
import { resolveScenario } from '../../../src/core/scenario/resolve-scenario.js';

describe('headers of a command line', () => {
  it.each([
    ['Authorization: Bearer k', 'Authorization: ***'],
    ['x-tenant-key:abc', 'x-tenant-key: ***'],
    ['X-Anything: abc', 'X-Anything: ***'],
    ['User-Agent: mine/1.0', 'User-Agent: mine/1.0'],
    ['x-session-id: {prefix}', 'x-session-id: {prefix}'],
    ['x-session-id: user-{prefix}', 'x-session-id: user-{prefix}'],
    ['Authorization: sk-1234567890ab-{prefix}', 'Authorization: ***'],
  ])('%s is kept as %s', (given, kept) => {
    expect(redactArgv(['--header', given])).toEqual(['--header', kept]);
    expect(redactArgv([`--header=${given}`])).toEqual([`--header=${kept}`]);
  });

  it('are told from other words with a colon', () => {
    const argv = ['grid', '--url', 'http://me:pw@h:80', '--note', 'a: b'];
    expect(redactArgv(argv)).toEqual(['grid', '--url', 'http://***@h:80', '--note', 'a: b']);
  });
});

describe('secrets among body fields', () => {
  const body = { api_key: 'k1', max_tokens: 5, extra: [{ auth_token: 'k2', stop_tokens_n: 'a', seed: 'b' }] };
  it('are hidden, and nothing else is', () => {
    const hidden = { ...body, api_key: '***', extra: [{ auth_token: '***', stop_tokens_n: 'a', seed: 'b' }] };
    expect(redactBody(body)).toEqual(hidden);
    expect(secretsIn(body)).toEqual(['k1', 'k2']);
    const text = JSON.stringify(body);
    expect(redactArgv(['--body', text])).toEqual(['--body', JSON.stringify(hidden)]);
    expect(redactArgv([`--body=${text}`])).toEqual([`--body=${JSON.stringify(hidden)}`]);
  });
});

describe('a scenario in run.json', () => {
  it('names no user and password of any address', () => {
    const given = { url: 'http://me:pw@h:80', metricsUrl: ['w0=http://me:pw@w0:9001/metrics'] };
    const { url, metricsUrl } = redactScenario(resolveScenario(given, () => 'v'));
    expect([url, metricsUrl]).toEqual(['http://***@h:80', ['w0=http://***@w0:9001/metrics']]);
  });
});
