import type { Prompt } from '../workload/prompts.js';

/** Extensions a target accepts beyond the plain OpenAI request. */
export interface Dialect {
  /** `ignore_eos: true`: the answer runs to its full length. vLLM, SGLang, Dynamo. */
  readonly ignoreEos: boolean;
  /** `nvext.extra_fields`: NVIDIA Dynamo then reports worker ids and its own times. */
  readonly nvext: boolean;
  /** `stream_options.include_usage`: counts of tokens at the end of the stream. */
  readonly streamOptions: boolean;
}

/** Which API answers: chat puts the prompt into one user message. */
export type Endpoint = 'chat' | 'completions';

/** Makes the body of a request that asks for `outputTokens`, in parts to be sent one after the other. Shared: not to be changed. */
export type BodyEncoder = (prompt: Prompt, outputTokens: number) => readonly Uint8Array[];

/**
 * An encoder of request bodies: all but the tail is encoded once, and requests share their parts. The prompt's bytes
 * are sent as they are, for words need no JSON escapes ({@link Prompt}). Temperature is 0, so that a repeat of a
 * prompt is a repeat of its answer where the engine allows it.
 */
export function createBodyEncoder(settings: {
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly dialect: Dialect;
}): BodyEncoder {
  const encoder = new TextEncoder();
  const { head, foot } = FRAMES[settings.endpoint];
  const start = encoder.encode(`{"model":${JSON.stringify(settings.model)},${head}`);
  const ends = new Map<number, Uint8Array>();

  function endFor(outputTokens: number): Uint8Array {
    const known = ends.get(outputTokens);
    if (known !== undefined) return known;
    const options = JSON.stringify(requestOptions(settings.dialect, outputTokens));
    const made = encoder.encode(`${foot},${options.slice(1)}`);
    ends.set(outputTokens, made);
    return made;
  }

  return (prompt, outputTokens) => [
    start,
    ...prompt.shared.map((part) => part.bytes()),
    prompt.tail.bytes(),
    endFor(outputTokens),
  ];
}

const FRAMES = {
  chat: { head: '"messages":[{"role":"user","content":"', foot: '"}]' },
  completions: { head: '"prompt":"', foot: '"' },
} as const;

/** The fields of a request beside the model and the prompt, as they are sent. */
export function requestOptions(dialect: Dialect, outputTokens: number): Readonly<Record<string, unknown>> {
  return {
    max_tokens: outputTokens,
    temperature: 0,
    stream: true,
    ...(dialect.streamOptions ? { stream_options: { include_usage: true } } : {}),
    ...(dialect.ignoreEos ? { ignore_eos: true } : {}),
    ...(dialect.nvext ? { nvext: { extra_fields: ['worker_id', 'timing'] } } : {}),
  };
}
