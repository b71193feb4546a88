import type { ServerTimes } from './request-record.js';
import { errorMessage, isObject } from './server-message.js';

/** What one chunk of an answer says: an event's data, or the whole body of an answer that was not streamed. */
export interface ChunkFacts {
  /** It carries text the model made: `content`, `reasoning_content`, `reasoning`, a tool call's text, or `text`. */
  readonly hasToken: boolean;
  readonly id: string | null;
  readonly finishReason: string | null;
  readonly usage: Usage | null;
  readonly workers: Workers | null;
  readonly server: ServerTimes | null;
  /** The server's message when the chunk is an error. */
  readonly error: string | null;
}

/** Counts of tokens; each null when not said. */
interface Usage {
  readonly promptTokens: number | null;
  readonly cachedTokens: number | null;
  readonly outputTokens: number | null;
}

/** Ids and data-parallel ranks as text, exact; each null when not said. */
export interface Workers {
  readonly prefillId: string | null;
  readonly prefillRank: string | null;
  readonly decodeId: string | null;
  readonly decodeRank: string | null;
}

/** Reads one chunk. Throws a SyntaxError when `text` is not JSON; JSON that is no object says nothing. */
export function parseChunk(text: string): ChunkFacts {
  const chunk: unknown = JSON.parse(text);
  if (!isObject(chunk)) return NO_FACTS;
  const choices = Array.isArray(chunk.choices) ? chunk.choices.filter(isObject) : [];
  const nvext = isObject(chunk.nvext) ? chunk.nvext : null;
  return {
    hasToken: choices.some(hasToken),
    id: textOrNull(chunk.id),
    finishReason: choices.map((choice) => textOrNull(choice.finish_reason)).find(isText) ?? null,
    usage: isObject(chunk.usage) ? readUsage(chunk.usage) : null,
    workers: nvext !== null && isObject(nvext.worker_id) ? readWorkers(nvext.worker_id, text) : null,
    server: nvext !== null && isObject(nvext.timing) ? readTimes(nvext.timing) : null,
    error: readError(chunk),
  };
}

type Json = { readonly [key: string]: unknown };

const NO_FACTS: ChunkFacts = {
  hasToken: false,
  id: null,
  finishReason: null,
  usage: null,
  workers: null,
  server: null,
  error: null,
};

function hasToken(choice: Json): boolean {
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

/** `"error": null` rides on every chunk of some servers and is none. vLLM and SGLang also send `{"object":"error", …}`. */
function readError(chunk: Json): string | null {
  const isError = isObject(chunk.error) || isText(chunk.error) || chunk.object === 'error';
  return isError ? (errorMessage(chunk) ?? JSON.stringify(chunk)) : null;
}

/** `prompt_tokens_details` missing or null is cached tokens not reported: not 0. */
function readUsage(usage: Json): Usage {
  const details = usage.prompt_tokens_details;
  return {
    promptTokens: countOrNull(usage.prompt_tokens),
    cachedTokens: isObject(details) ? countOrNull(details.cached_tokens) : null,
    outputTokens: countOrNull(usage.completion_tokens),
  };
}

/** NVIDIA Dynamo's `nvext.timing`. */
function readTimes(timing: Json): ServerTimes {
  return {
    prefill_wait_ms: numberOrNull(timing.prefill_wait_time_ms),
    prefill_ms: numberOrNull(timing.prefill_time_ms),
    ttft_ms: numberOrNull(timing.ttft_ms),
    total_ms: numberOrNull(timing.total_time_ms),
    kv_transfer_ms: numberOrNull(timing.kv_transfer_estimated_latency_ms),
    kv_hit_rate: numberOrNull(timing.kv_hit_rate),
    queue_depth: numberOrNull(timing.router_queue_depth),
  };
}

/** NVIDIA Dynamo's `nvext.worker_id`. Its ids are u64: those that a double cannot hold are read again from the text. */
function readWorkers(parsed: Json, text: string): Workers {
  const ids = Object.values(parsed).some(isInexact) ? reparseExactly(text, parsed) : parsed;
  return {
    prefillId: idOrNull(ids.prefill_worker_id),
    prefillRank: idOrNull(ids.prefill_dp_rank),
    decodeId: idOrNull(ids.decode_worker_id),
    decodeRank: idOrNull(ids.decode_dp_rank),
  };
}

function isInexact(value: unknown): boolean {
  return typeof value === 'number' && !Number.isSafeInteger(value);
}

/** The same object from a text in which every long integer is a string. */
function reparseExactly(text: string, inexact: Json): Json {
  const chunk: unknown = JSON.parse(text.replace(STRING_OR_NUMBER, quoteLongInteger));
  const nvext = isObject(chunk) ? chunk.nvext : null;
  const ids = isObject(nvext) ? nvext.worker_id : null;
  return isObject(ids) ? ids : inexact;
}

/** Strings are matched so that digits inside them are passed over. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const LONG_INTEGER = /^-?\d{16,}$/;

function quoteLongInteger(token: string): string {
  return LONG_INTEGER.test(token) ? `"${token}"` : token;
}

function idOrNull(value: unknown): string | null {
  return typeof value === 'number' ? String(value) : textOrNull(value);
}

function countOrNull(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 ? value : null;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

function textOrNull(value: unknown): string | null {
  return isText(value) ? value : null;
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
