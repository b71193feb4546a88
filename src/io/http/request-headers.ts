import { validateHeaderName, validateHeaderValue } from 'node:http';
import { usageError } from '../../core/base/errors.js';

/** Set by HTTP itself, for the connection or the body's length; a value given for them would break the request. */
const RESERVED = ['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade'];

/**
 * Headers of every request: those given, as given, over the few that the API needs. Nothing else is sent, least of all
 * what a router may route by. `accept-encoding: identity` asks proxies not to compress: a compressor holds tokens back.
 * Throws a usage error for a header that cannot be sent.
 */
export function buildRequestHeaders(given: Readonly<Record<string, string>>): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: 'text/event-stream',
    'accept-encoding': 'identity',
  };
  for (const [name, value] of Object.entries(given)) {
    const lower = name.toLowerCase();
    if (RESERVED.includes(lower)) throw usageError('bad-header', `header "${name}" is set by HTTP itself`);
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    } catch (error) {
      throw usageError('bad-header', `header "${name}": ${(error as Error).message}`);
    }
    delete headers[lower];
    headers[name] = value;
  }
  return headers;
}
