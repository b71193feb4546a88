import type { JsonObject, ReadExtras } from './dialect.js';
import { KNOWN_NAMES_ONLY, readEventExtras, type WorkerNames } from './dialects.js';
import { errorMessage, isObject } from './server-message.js';

/** What one chunk of an answer says: an event's data, or the whole body of an answer that was not streamed. */
export interface ChunkFacts extends ReadExtras {
  /** It carries text the model made: `content`, `reasoning_content`, `reasoning`, a tool call's text, or `text`. */
  readonly hasToken: boolean;
  readonly id: string | null;
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  /** Usage without a choice beside it, as a stream's last chunk has it. */
  readonly isUsageOnly: boolean;
  /** The server's message when the chunk is an error. */
  readonly error: string | null;
}

/** Counts of tokens; each null when not said. */
interface Usage {
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
}

/** Reads one chunk. Throws a SyntaxError when `text` is not JSON; JSON that is no object says nothing. */
export function parseChunk(text: string, names: WorkerNames = KNOWN_NAMES_ONLY): ChunkFacts {
  const parsed: unknown = JSON.parse(text);
  const chunk = isObject(parsed) ? parsed : {};
  const usage = isObject(chunk.usage) ? readUsage(chunk.usage) : null;
  let choices = 0;
  let isToken = false;
  let finishReason: string | null = null;
  for (const choice of Array.isArray(chunk.choices) ? chunk.choices : NO_CHOICES) {
    if (!isObject(choice)) continue;
    choices++;
    isToken ||= hasToken(choice);
    finishReason ??= finishReasonOf(choice);
  }
  const { workers, server, dialect, workerSource } = readEventExtras(chunk, text, names);
  return {
    hasToken: isToken,
    id: textOrNull(chunk.id),
    finishReason,
    usage,
    isUsageOnly: usage !== null && choices === 0,
    workers,
    server,
    dialect,
    workerSource,
    error: readError(chunk),
  };
}

const NO_CHOICES: readonly unknown[] = [];

function hasToken(choice: JsonObject): boolean {
  if (isText(choice.text)) return true;
  const said = isObject(choice.delta) ? choice.delta : choice.message;
  if (!isObject(said)) return false;
  if (isText(said.content) || isText(said.reasoning_content) || isText(said.reasoning)) return true;
  return Array.isArray(said.tool_calls) && said.tool_calls.some(hasCallText);
}

function hasCallText(call: unknown): boolean {
  return (
    isObject(call) &&
    isObject(call.function) &&
    (isText(call.function.name) || isText(call.function.arguments))
  );
}

/** Some servers write a missing reason as the text `null` or `None`. */
function finishReasonOf({ finish_reason: said }: JsonObject): string | null {
  return isText(said) && !/^(null|none)$/i.test(said) ? said : null;
}

/**
 * `"error": null` is on every chunk of some servers and is none. vLLM and SGLang also send `{"object":"error", …}`, others
 * a bare `{code, message}` or `{detail}`: what has a message and no choices is no part of an answer.
 */
function readError(chunk: JsonObject): string | null {
  const isNamed = isObject(chunk.error) || isText(chunk.error) || chunk.object === 'error';
  const isBare =
    !('choices' in chunk) && (isText(chunk.message) || 'detail' in chunk || Number(chunk.code) >= 400);
  return isNamed || isBare ? (errorMessage(chunk) ?? JSON.stringify(chunk)) : null;
}

/**
 * Counts of the OpenAI API, else under the names of others: the Responses API (`input_tokens_details`), DeepSeek
 * (`prompt_cache_hit_tokens`), Anthropic (`cache_read_input_tokens`), Moonshot (`cached_tokens`). Missing or null is not
 * reported: not 0.
 */
function readUsage(usage: JsonObject): Usage {
  const inDetails = [usage.prompt_tokens_details, usage.input_tokens_details].map((details) =>
    isObject(details) ? details.cached_tokens : null,
  );
  return {
    promptTokens: firstCount(usage.prompt_tokens, usage.input_tokens),
    cachedTokens: firstCount(
      ...inDetails,
      usage.prompt_cache_hit_tokens,
      usage.cache_read_input_tokens,
      usage.cached_tokens,
    ),
    outputTokens: firstCount(usage.completion_tokens, usage.output_tokens),
  };
}

function firstCount(...values: readonly unknown[]): number | null {
  return values.find(isCount) ?? null;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
