import { type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestTls } from 'node:https';
import { text } from 'node:stream/consumers';
import { isObject, oneLine, parseServerMessage } from '../core/answer/server-message.js';
import { endpointUrls } from '../core/scenario/target-url.js';
import type { ModelList, TargetControl } from '../engine/ports.js';
import { connectFailure } from './http/failure.js';
import { buildRequestHeaders } from './http/request-headers.js';

/** One look at the list: a server that takes longer is not ready. */
const LIST_TIMEOUT_MS = 5_000;

/**
 * Asks a target over HTTP about itself, with the headers of its requests. It uses Node's own client rather than
 * `fetch`, which takes longer to load than to answer. Throws a usage error for a bad URL or header.
 */
export function createTargetControl(options: {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}): TargetControl {
  const { origin, models } = endpointUrls(options.baseUrl);
  const headers = buildRequestHeaders({ accept: 'application/json', ...options.headers });
  const base = models.replace(/\/v1\/models$/, '');

  async function pageAt(path: string): Promise<unknown> {
    try {
      return JSON.parse(await text(await get(`${origin}${base}${path}`, headers)));
    } catch {
      return null;
    }
  }

  return {
    async nameModels() {
      const pages = await Promise.all(PAGES.map(pageAt));
      return [...new Set(NAME_KEYS.flatMap((key) => pages.flatMap((page) => valuesOf(key, page))))];
    },
    async listModels() {
      try {
        const response = await get(origin + models, headers);
        const body = await text(response);
        const { location } = response.headers;
        return readList(response.statusCode ?? 0, location === undefined ? body : `redirects to ${location}`);
      } catch (error) {
        return { kind: 'unreachable', message: unreachableMessage(error, origin) };
      }
    },
  };
}

/** Where SGLang, its router and SMG say what they serve. */
const PAGES = ['/v1/workers', '/workers', '/get_model_info', '/server_info', '/get_server_info'];
/** What they call it; a path is a name where no other is given. */
const NAME_KEYS = ['served_model_name', 'model_id', 'model_name', 'model', 'model_path'];
const DEEPEST = 6;

/** The texts under a key, at any depth. */
function valuesOf(key: string, value: unknown, depth = 0): string[] {
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    name === key && typeof inner === 'string' ? [inner] : valuesOf(key, inner, depth + 1),
  );
}

/** Connections are not kept: the next look may find another router. */
function get(url: string, headers: Readonly<Record<string, string>>): Promise<IncomingMessage> {
  const request = url.startsWith('https:') ? requestTls : requestPlain;
  const signal = AbortSignal.timeout(LIST_TIMEOUT_MS);
  return new Promise((resolve, reject) => {
    request(url, { headers, agent: false, signal }, resolve).on('error', reject).end();
  });
}

function readList(status: number, body: string): ModelList {
  const ids = status === 200 ? modelIds(body) : null;
  if (ids !== null) return { kind: 'listed', ids };
  const said = parseServerMessage(body) ?? 'an empty body';
  const message = status === 200 ? oneLine(`a body that is no list of models: ${said}`) : said;
  return { kind: 'no-list', status, message };
}

/** Ids of `{data: [{id}]}`; null for a body of another form. */
function modelIds(body: string): string[] | null {
  let list: unknown;
  try {
    list = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isObject(list) || !Array.isArray(list.data)) return null;
  const ids: readonly string[] = list.data.flatMap((model) =>
    isObject(model) && typeof model.id === 'string' ? [model.id] : [],
  );
  return [...new Set(ids)];
}

function unreachableMessage(error: unknown, origin: string): string {
  if (!(error instanceof Error)) return `cannot connect to ${origin}`;
  const isLate = error.name === 'AbortError' || error.name === 'TimeoutError';
  if (isLate) return `no answer from ${origin} in ${LIST_TIMEOUT_MS / 1000} s`;
  return connectFailure(error, origin).message;
}
