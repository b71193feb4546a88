import { describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../src/core/answer/dialects.js';
import { createBodyEncoder } from '../../../src/core/answer/request-body.js';
import { PROMPT } from '../../support/http-exchange.js';

const plain = { stream: true };
const textOf = (parts: readonly Uint8Array[]) => Buffer.concat(parts).toString('utf8');

describe('a request body', () => {
  it('is a chat with one user message, streamed', () => {
    const encode = createBodyEncoder({ model: 'a"b/é', endpoint: 'chat', fields: plain });
    expect(textOf(encode(PROMPT, 64))).toBe(
      '{"model":"a\\"b/é","messages":[{"role":"user","content":"some words"}],"max_tokens":64,"stream":true}',
    );
  });

  it('is a prompt for completions', () => {
    const encode = createBodyEncoder({ model: 'm', endpoint: 'completions', fields: plain });
    expect(textOf(encode(PROMPT, 1))).toBe(
      '{"model":"m","prompt":"some words","max_tokens":1,"stream":true}',
    );
  });

  it('asks for what the dialect has, here usage, a full-length answer and worker ids', () => {
    const fields = DIALECTS.find(({ name }) => name === 'dynamo')?.requestFields ?? {};
    const body = JSON.parse(textOf(createBodyEncoder({ model: 'm', endpoint: 'chat', fields })(PROMPT, 2)));
    expect(body).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'some words' }],
      max_tokens: 2,
      temperature: 0,
      stream: true,
      stream_options: { include_usage: true },
      ignore_eos: true,
      nvext: { extra_fields: ['worker_id', 'timing'] },
    });
  });

  it('shares all but the tail between requests', () => {
    const encode = createBodyEncoder({ model: 'm', endpoint: 'chat', fields: plain });
    const [first, second] = [encode(PROMPT, 2), encode(PROMPT, 2)];
    expect([first[0] === second[0], first[3] === second[3]]).toEqual([true, true]);
  });

  it('follows the asked output tokens from request to request', () => {
    const encode = createBodyEncoder({ model: 'm', endpoint: 'chat', fields: plain });
    const asked = [1, 64, 1].map((tokens) => JSON.parse(textOf(encode(PROMPT, tokens))).max_tokens);
    expect(asked).toEqual([1, 64, 1]);
  });

  it("takes the user's fields over its own, and leaves out those that are null", () => {
    const fields = { temperature: 0, stream: true, nvext: { extra_fields: ['worker_id'] } };
    const body = {
      temperature: null,
      max_tokens: null,
      max_completion_tokens: 9,
      nvext: { use_raw_prompt: true },
    };
    const encode = createBodyEncoder({ model: 'm', endpoint: 'chat', fields, body });
    expect(JSON.parse(textOf(encode(PROMPT, 2)))).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'some words' }],
      max_completion_tokens: 9,
      stream: true,
      nvext: { extra_fields: ['worker_id'], use_raw_prompt: true },
    });
  });
});
