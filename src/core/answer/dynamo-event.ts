import type { Extras, JsonObject, Workers } from './dialect.js';
import type { ServerTimes } from './request-record.js';
import { isObject } from './server-message.js';

/** NVIDIA Dynamo's `nvext`: `worker_id` and `timing`. */
export function readDynamoEvent({ nvext }: JsonObject, text: string): Extras | null {
  if (!isObject(nvext)) return null;
  const workers = isObject(nvext.worker_id) ? readWorkers(nvext.worker_id, text) : null;
  const server = isObject(nvext.timing) ? readTimes(nvext.timing) : null;
  const workerSource = workers === null ? null : 'body nvext.worker_id';
  return workers === null && server === null ? null : { workers, server, workerSource };
}

function readTimes(timing: JsonObject): ServerTimes {
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

function readWorkers(ids: JsonObject, text: string): Workers {
  const id = (key: string) => exactId(ids[key], key, text);
  return {
    prefillId: id('prefill_worker_id'),
    prefillRank: id('prefill_dp_rank'),
    decodeId: id('decode_worker_id'),
    decodeRank: id('decode_dp_rank'),
  };
}

/** Ids are u64: one that a double cannot hold is cut from the text. Null rather than an inexact id. */
function exactId(value: unknown, key: string, text: string): string | null {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value !== 'number') return null;
  if (Number.isSafeInteger(value)) return String(value);
  const quoted = `"${key}"`;
  for (let at = text.indexOf(quoted); at !== -1; at = text.indexOf(quoted, at + 1)) {
    const digits = digitsAt(text, at + quoted.length);
    if (Number(digits) === value) return digits;
  }
  return null;
}

/** The whole number behind the colon that stands at `at`; empty where there is none. */
function digitsAt(text: string, at: number): string {
  let start = at;
  while (isColonOrSpace(text.charCodeAt(start))) start++;
  let end = start;
  while (isDigit(text.charCodeAt(end))) end++;
  return DECIMAL.includes(text.charCodeAt(end)) ? '' : text.slice(start, end);
}

/** `.`, `e` and `E`: what makes digits part of a number that is not whole. */
const DECIMAL = [0x2e, 0x65, 0x45];

function isColonOrSpace(code: number): boolean {
  return code === 0x3a || code <= 0x20;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function numberOrNull(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
