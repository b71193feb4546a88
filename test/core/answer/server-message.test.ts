import { describe, expect, it } from 'vitest';
import { parseServerMessage } from '../../../src/core/answer/server-message.js';

describe('the message of a failed response', () => {
  it.each([
    [
      '{"error":{"message":"The model `x` does not exist.","type":"NotFoundError"}}',
      'The model `x` does not exist.',
    ],
    ['{"object":"error","message":"too long","code":400}', 'too long'],
    ['{"error":"overloaded"}', 'overloaded'],
    ['{"detail":"Not Found"}', 'Not Found'],
    [
      '{"detail":[{"loc":["body","nvext"],"msg":"Extra inputs are not permitted"}]}',
      'body.nvext: Extra inputs are not permitted',
    ],
    ['{"detail":[{"type":"x"}]}', '{"type":"x"}'],
    ['{"error":{"code":7}}', '{"code":7}'],
    ['{"status":"bad"}', '{"status":"bad"}'],
    ['  no healthy\r\n upstream\n', 'no healthy upstream'],
    ['<html><head><title>502 Bad Gateway</title></head>\n<body>nginx</body></html>', '502 Bad Gateway nginx'],
    ['"just text"', 'just text'],
    ['x'.repeat(301), `${'x'.repeat(299)}…`],
    ['', null],
    [' \n', null],
  ])('of %s', (body, message) => {
    expect(parseServerMessage(body)).toBe(message);
  });
});
