import type { IncomingMessage, ServerResponse } from 'node:http';

const MOST_BODY_BYTES = 32 * 1024 * 1024;
const MOST_DISCARDED_BYTES = 8 * MOST_BODY_BYTES;

const ERROR_TYPES: Readonly<Record<number, string>> = { 404: 'not_found_error', 409: 'conflict_error' };

/** A request that cannot be served: HTTP status and the message its client gets. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/**
 * The body as text, or a refusal as soon as it is too large. What follows is read and thrown away, so that the client
 * gets to see its answer before the connection ends, but only up to a limit. Rejects when the client leaves.
 */
export function readBody(request: IncomingMessage): Promise<string | Refusal> {
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= MOST_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      chunks = [];
      resolve({ status: 413, message: `the body is larger than ${MOST_BODY_BYTES} bytes` });
      if (size > MOST_DISCARDED_BYTES) request.destroy();
    });
    request.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.once('error', reject);
    request.once('close', () => reject(new Error('the client left')));
  });
}

/** Answers with an error in OpenAI's shape; cuts the connection when the answer has already begun. */
export function sendRefusal(response: ServerResponse, { status, message }: Refusal): void {
  if (response.headersSent) response.destroy();
  else
    sendJson(response, status, {
      error: { message, type: ERROR_TYPES[status] ?? 'invalid_request_error', code: status },
    });
}

/** Answers with a JSON value. */
export function sendJson(response: ServerResponse, status: number, value: unknown): void {
  sendText(response, status, 'application/json', JSON.stringify(value));
}

/** Answers with a text of the given content type. */
export function sendText(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) });
  response.end(text);
}
