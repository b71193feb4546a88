import { isObject, oneLine, parseServerMessage } from '../core/server-message.js';
import { endpointUrls } from '../core/target-url.js';
import type { ModelList, TargetControl } from '../engine/ports.js';
import { connectFailure } from './http-failure.js';
import { buildRequestHeaders } from './request-headers.js';

/** One look at the list: a server that takes longer is not ready. */
const LIST_TIMEOUT_MS = 5_000;

/**
 * Asks a target over HTTP about itself, with the headers of its requests. Nothing here is measured, so it uses Node's
 * own `fetch`. Throws a usage error for a bad URL or header.
 */
export function createTargetControl(options: {
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}): TargetControl {
  const { origin, models } = endpointUrls(options.baseUrl);
  const headers = buildRequestHeaders({ accept: 'application/json', ...options.headers });
  return {
    async listModels() {
      try {
        const response = await fetch(origin + models, {
          headers,
          redirect: 'manual',
          signal: AbortSignal.timeout(LIST_TIMEOUT_MS),
        });
        const location = response.headers.get('location');
        const body = await response.text();
        return readList(response.status, location === null ? body : `redirects to ${location}`);
      } catch (error) {
        return { kind: 'unreachable', message: unreachableMessage(error, origin) };
      }
    },
  };
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
  return list.data.flatMap((model) => (isObject(model) && typeof model.id === 'string' ? [model.id] : []));
}

function unreachableMessage(error: unknown, origin: string): string {
  if (!(error instanceof Error)) return `cannot connect to ${origin}`;
  if (error.name === 'TimeoutError') return `no answer from ${origin} in ${LIST_TIMEOUT_MS / 1000} s`;
  return connectFailure(error.cause instanceof Error ? error.cause : error, origin).message;
}
