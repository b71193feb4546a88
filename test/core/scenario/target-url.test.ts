import { describe, expect, it } from 'vitest';
import { KvbenchError } from '../../../src/core/base/errors.js';
import { endpointUrls } from '../../../src/core/scenario/target-url.js';

function refusal(url: string) {
  try {
    endpointUrls(url);
  } catch (error) {
    if (error instanceof KvbenchError) return [error.exitCode, error.message, error.hint];
  }
  return null;
}

describe('endpoint URLs', () => {
  it.each([
    ['http://host:8000', 'http://host:8000', '/v1'],
    ['http://host:8000/', 'http://host:8000', '/v1'],
    ['http://host:8000/v1', 'http://host:8000', '/v1'],
    ['http://host:8000/v1//', 'http://host:8000', '/v1'],
    ['https://host', 'https://host', '/v1'],
    ['HTTP://Host:80/Models/v2/', 'http://host', '/Models/v2'],
    ['http://[::1]:8000/v1', 'http://[::1]:8000', '/v1'],
    ['http://10.0.0.1/openai', 'http://10.0.0.1', '/openai/v1'],
    ['https://gw/llm/models-a', 'https://gw', '/llm/models-a/v1'],
  ])('of %s', (given, origin, root) => {
    expect(endpointUrls(given)).toEqual({
      origin,
      chat: `${root}/chat/completions`,
      completions: `${root}/completions`,
      models: `${root}/models`,
    });
  });

  it.each([
    ['localhost:8000', '"localhost:8000" has no scheme', 'write http://localhost:8000, or https://'],
    ['//host/v1', '"//host/v1" has no scheme', 'write http://host/v1, or https://'],
    ['', '"" has no scheme', 'write http://, or https://'],
    ['http://', '"http://" is not a URL', 'write http://host:port'],
    ['http://host:99999', '"http://host:99999" is not a URL', 'write http://host:port'],
    ['ftp://host', '"ftp://host" is ftp:// and only http:// and https:// can be measured', null],
    ['http://host/?a=1', '"http://host/?a=1" has a query or fragment; a base URL has none', null],
    [
      'http://u:p@host',
      'the URL holds a name or password, which would be stored with the results',
      'use --header',
    ],
    [
      'http://host/x/v1/chat/completions/',
      '"http://host/x/v1/chat/completions/" is the address of an endpoint, not a base URL',
      'give http://host/x/v1',
    ],
  ])('refuses %s', (given, message, hint) => {
    expect(refusal(given)).toEqual([2, message, hint]);
  });
});
