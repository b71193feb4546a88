import type { Scenario } from '../scenario/settings.js';
import {
  type Dialect,
  type Extras,
  type HeaderOf,
  type JsonObject,
  NO_WORKERS,
  type ReadExtras,
} from './dialect.js';
import { readDynamoEvent } from './dynamo-event.js';
import { idAt } from './json-path.js';
import type { ServerTimes } from './request-record.js';

/** The least that can be asked. */
export const BARE_FIELDS = { stream: true };
const OPENAI = { temperature: 0, ...BARE_FIELDS, stream_options: { include_usage: true } };
const VLLM = { ...OPENAI, ignore_eos: true };

/**
 * Every dialect known. The probe tries those with request fields in this order, the most telling first; the first that
 * recognizes a response's headers, or an event, is the one that is read.
 */
export const DIALECTS: readonly Dialect[] = [
  {
    name: 'dynamo',
    label: 'NVIDIA Dynamo',
    requestFields: { ...VLLM, nvext: { extra_fields: ['worker_id', 'timing'] } },
    readEvent: readDynamoEvent,
    advice: { workers: '--dialect dynamo, which asks for nvext.extra_fields worker_id' },
  },
  {
    name: 'vllm',
    label: 'vLLM',
    requestFields: VLLM,
    advice: { cachedTokens: '--enable-prompt-tokens-details' },
  },
  { name: 'openai', label: 'OpenAI API', requestFields: OPENAI },
  { name: 'bare', label: 'bare OpenAI API', requestFields: BARE_FIELDS },
  {
    name: 'sglang',
    label: 'SGLang',
    requestFields: null,
    advice: { cachedTokens: '--enable-cache-report' },
  },
  {
    name: 'smg',
    label: 'SMG',
    requestFields: null,
    readHeaders: workerIn('x-smg-routed-worker-id', 'x-smg-worker-id'),
  },
  {
    // https://docs.litellm.ai/docs/proxy/response_headers
    name: 'litellm',
    label: 'LiteLLM',
    requestFields: null,
    readHeaders: readLiteLlmHeaders,
  },
  {
    // The gateway of https://github.com/vllm-project/aibrix: addresses of the pods that it chose.
    name: 'aibrix',
    label: 'AIBrix',
    requestFields: null,
    readHeaders: (header) => workers('target-pod', header('target-pod'), header('prefill-target-pod')),
  },
  {
    // x-inference-pod is that of llm-d-inference-sim.
    name: 'llm-d',
    label: 'llm-d',
    requestFields: null,
    readHeaders: (header) =>
      workerIn('x-conformance-test-served-endpoint', 'x-inference-pod')(header) ??
      workers('x-session-token', podOf(header('x-session-token'))),
    advice: { workers: 'the plugin session-affinity-scorer or destination-endpoint-served-verifier' },
  },
  {
    name: 'gateway-api',
    label: 'Gateway API inference extension',
    requestFields: null,
    readHeaders: workerIn('x-gateway-destination-endpoint-served'),
  },
  {
    name: 'proxy',
    label: 'nginx and other proxies',
    requestFields: null,
    readHeaders: workerIn('x-backend-server', 'x-worker-id'),
    advice: { workers: 'add_header x-worker-id $upstream_addr' },
  },
];

const NOTHING: ReadExtras = { workers: null, server: null, workerSource: null, dialect: null };

/** Where the user says that answers name their worker, beside what the dialects know. */
export interface WorkerNames {
  /** Keys that lead to it within an event or body; null for none. */
  readonly path: readonly string[] | null;
  /** Names of response headers, in lower case. */
  readonly headers: readonly string[];
}

/** What a scenario says of it. */
export function workerNamesOf(scenario: Pick<Scenario, 'workerHeader' | 'workerJson'>): WorkerNames {
  return {
    path: scenario.workerJson?.split('.') ?? null,
    headers: scenario.workerHeader.map((name) => name.toLowerCase()),
  };
}

/** Only what the dialects know. */
export const KNOWN_NAMES_ONLY: WorkerNames = { path: null, headers: [] };

/**
 * What a parsed event or body says beyond the OpenAI API; `text` is its raw text. The user's path is looked up where no
 * dialect names a worker.
 */
export function readEventExtras(event: JsonObject, text: string, { path }: WorkerNames): ReadExtras {
  const known = knownEventExtras(event, text);
  if (path === null || known.workers !== null) return known;
  const id = idAt(text, path);
  if (id === null) return known;
  return {
    ...known,
    workers: { ...NO_WORKERS, decodeId: id },
    workerSource: `body ${path.join('.')}`,
  };
}

/** What the headers of a response say: the user's ones first. */
export function readHeaderExtras(header: HeaderOf, { headers }: WorkerNames): ReadExtras {
  const known = knownHeaderExtras(header);
  const given = headers.length === 0 ? null : workerIn(...headers)(header);
  return given === null ? known : { ...known, workers: given.workers, workerSource: given.workerSource };
}

function knownEventExtras(event: JsonObject, text: string): ReadExtras {
  for (const { name, readEvent } of EVENT_DIALECTS) {
    const extras = readEvent?.(event, text);
    if (extras) return { ...extras, dialect: name };
  }
  return NOTHING;
}

function knownHeaderExtras(header: HeaderOf): ReadExtras {
  for (const { name, readHeaders } of HEADER_DIALECTS) {
    const extras = readHeaders?.(header);
    if (extras) return { ...extras, dialect: name };
  }
  return NOTHING;
}

/** How each dialect is made to report something: `vLLM: --flag; SGLang: --flag`. */
export function howToReport(what: 'cachedTokens' | 'workers'): string {
  return DIALECTS.flatMap(({ label, advice }) => {
    const option = advice?.[what];
    return option === undefined ? [] : [`${label}: ${option}`];
  }).join('; ');
}

/** The name of a dialect as people write it. */
export function dialectLabel(name: string): string {
  return DIALECTS.find((dialect) => dialect.name === name)?.label ?? name;
}

const EVENT_DIALECTS = DIALECTS.filter(({ readEvent }) => readEvent !== undefined);
const HEADER_DIALECTS = DIALECTS.filter(({ readHeaders }) => readHeaders !== undefined);

/** A reader of the first of these headers that names a worker. */
function workerIn(...names: readonly string[]): (header: HeaderOf) => Extras | null {
  return (header) => {
    const name = names.find(header);
    return name === undefined ? null : workers(name, header(name));
  };
}

function workers(name: string, decode: string | null, prefill: string | null = null): Extras | null {
  if (!prefill && !decode) return null;
  return {
    workers: { ...NO_WORKERS, prefillId: prefill || null, decodeId: decode || null },
    server: null,
    workerSource: `header ${name}`,
  };
}

const NO_TIMES: ServerTimes = {
  prefill_wait_ms: null,
  prefill_ms: null,
  ttft_ms: null,
  total_ms: null,
  kv_transfer_ms: null,
  kv_hit_rate: null,
  queue_depth: null,
};

/** The address behind it names a worker better than the id of a deployment, which is a hash of its settings. */
function readLiteLlmHeaders(header: HeaderOf): Extras | null {
  const named = workerIn('x-litellm-model-api-base', 'x-litellm-model-id')(header);
  const overheadMs = Number.parseFloat(header('x-litellm-overhead-duration-ms') ?? '');
  if (!Number.isFinite(overheadMs)) return named;
  return {
    workers: named?.workers ?? null,
    workerSource: named?.workerSource ?? null,
    server: { ...NO_TIMES, overhead_ms: overheadMs },
  };
}

/** `namespace/pod` of a session token, which is its base64; null for a token of another kind. */
function podOf(token: string | null): string | null {
  if (token === null) return null;
  try {
    const text = atob(token);
    return /^[a-z0-9.-]+\/[a-z0-9.-]+$/.test(text) ? text : null;
  } catch {
    return null;
  }
}
