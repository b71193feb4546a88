import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refusal, sendJson } from './replies.js';

/** How one path is answered. */
export interface Route {
  readonly method: 'GET' | 'POST';
  /** `worker` is null on the router's port. Gives the refusal that is still to be sent; null when it has answered. */
  readonly answer: (
    request: IncomingMessage,
    response: ServerResponse,
    worker: number | null,
  ) => Promise<Refusal | null> | Refusal | null;
}

/** A GET that always gets the same JSON. */
export function fixed(value: unknown): Route {
  return {
    method: 'GET',
    answer(_request, response) {
      sendJson(response, 200, value);
      return null;
    },
  };
}
