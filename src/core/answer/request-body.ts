import { mergePatch } from '../base/merge-patch.js';
import type { Prompt } from '../workload/prompts.js';
import type { JsonObject } from './dialect.js';

/** Which API answers: chat puts the prompt into one user message. */
export type Endpoint = 'chat' | 'completions';

/** Makes the body of a request that asks for `outputTokens`, in parts to be sent one after the other. Shared: not to be changed. */
export type BodyEncoder = (prompt: Prompt, outputTokens: number) => readonly Uint8Array[];

/**
 * An encoder of request bodies: all but the tail is encoded once, and requests share their parts. The prompt's bytes
 * are sent as they are, for words need no JSON escapes ({@link Prompt}). `fields` are a dialect's.
 */
export function createBodyEncoder(settings: {
  readonly model: string;
  readonly endpoint: Endpoint;
  readonly fields: JsonObject;
  /** The user's, merged over the others as {@link mergePatch} does. */
  readonly body?: JsonObject;
}): BodyEncoder {
  const encoder = new TextEncoder();
  const { head, foot } = FRAMES[settings.endpoint];
  const start = encoder.encode(`{"model":${JSON.stringify(settings.model)},${head}`);
  const ends = new Map<number, Uint8Array>();

  function endFor(outputTokens: number): Uint8Array {
    const known = ends.get(outputTokens);
    if (known !== undefined) return known;
    const options = JSON.stringify(sentFields(outputTokens, settings.fields, settings.body));
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

/** All fields of a request but its model and prompt. `stream` is always among them. */
export function sentFields(outputTokens: number, fields: JsonObject, body: JsonObject = {}): JsonObject {
  return mergePatch({ max_tokens: outputTokens, ...fields }, body);
}

const FRAMES = {
  chat: { head: '"messages":[{"role":"user","content":"', foot: '"}]' },
  completions: { head: '"prompt":"', foot: '"' },
} as const;
