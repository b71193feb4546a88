import { describe, expect, it } from 'vitest';
import { connectFailure, unusedProxy } from '../../../src/io/http/failure.js';

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

it('says that the limit of open files is reached', () => {
  const error = Object.assign(new Error('connect EMFILE 127.0.0.1:80 - Local (undefined:undefined)'), {
    code: 'EMFILE',
  });
  expect(connectFailure(error, 'http://127.0.0.1')).toMatchObject({
    code: 'EMFILE',
    message: 'cannot connect to http://127.0.0.1: the limit of open files is reached (ulimit -n)',
  });
});
