import { describe, expect, it } from 'vitest';
import { unusedProxy } from '../../../src/io/http/failure.js';

describe('a name that cannot be looked up', () => {
  it.each([
    [{ HTTP_PROXY: 'http://p' }, ' (HTTP_PROXY is set, and proxies from the environment are not used)'],
    [{ https_proxy: 'http://p' }, ' (HTTPS_PROXY is set, and proxies from the environment are not used)'],
    [{ HTTP_PROXY: '' }, ''],
    [{}, ''],
  ])('with %o says %j', (env, said) => {
    expect(unusedProxy(env)).toBe(said);
  });
});
