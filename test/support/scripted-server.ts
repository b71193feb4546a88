import { createServer, type Server, type Socket } from 'node:net';

/** One request as it came over the wire. */
export interface ReceivedRequest {
  /** Request line and headers, without the blank line. */
  readonly head: string;
  readonly body: string;
  /** On the clock of `performance.now`. */
  readonly atMs: number;
}

/** Answers one request by writing to the socket, byte by byte as it likes. */
export type Script = (socket: Socket, request: ReceivedRequest) => void;

export interface ScriptedServer {
  readonly port: number;
  /** `http://127.0.0.1:port`. */
  readonly url: string;
  readonly requests: ReceivedRequest[];
  /** Connections accepted so far. */
  accepted(): number;
  /** Connections open now. */
  open(): number;
  /** Most connections open at the same time. */
  peak(): number;
  /** Resolves when `count` connections have been accepted. */
  waitForConnections(count: number): Promise<void>;
  /** Ends every connection, as a keep-alive timeout would; resolves when all are closed. */
  endConnections(): Promise<void>;
  close(): Promise<void>;
}

/** A server that speaks HTTP only as far as its script does, so that it can send what no HTTP library would. */
export async function startScriptedServer(
  script: Script,
  { create = createServer }: { readonly create?: (onSocket: (socket: Socket) => void) => Server } = {},
): Promise<ScriptedServer> {
  const sockets = new Set<Socket>();
  const requests: ReceivedRequest[] = [];
  let accepted = 0;
  let peak = 0;
  const watchers = new Set<() => void>();
  const notify = () => {
    for (const watch of watchers) watch();
  };
  const until = (holds: () => boolean) =>
    new Promise<void>((resolve) => {
      const watch = () => {
        if (!holds()) return;
        watchers.delete(watch);
        resolve();
      };
      watchers.add(watch);
      watch();
    });

  const server = create((socket) => {
    accepted++;
    sockets.add(socket);
    peak = Math.max(peak, sockets.size);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      notify();
    });
    readRequests(socket, (request) => {
      requests.push(request);
      script(socket, request);
    });
    notify();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    requests,
    accepted: () => accepted,
    open: () => sockets.size,
    peak: () => peak,
    waitForConnections: (count) => until(() => accepted >= count),
    endConnections() {
      for (const socket of sockets) socket.end();
      return until(() => sockets.size === 0);
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function readRequests(socket: Socket, onRequest: (request: ReceivedRequest) => void): void {
  let pending = '';
  socket.on('data', (bytes) => {
    pending += bytes.toString('latin1');
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = pending.slice(0, headEnd);
      const length = Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < headEnd + 4 + length) return;
      const body = pending.slice(headEnd + 4, headEnd + 4 + length);
      pending = pending.slice(headEnd + 4 + length);
      onRequest({ head, body, atMs: performance.now() });
    }
  });
}

/** Status line and headers of a response; the body is chunked unless `headers` say how it ends. */
export function responseHead(status: number, headers: Readonly<Record<string, string>>): string {
  const framed = 'content-length' in headers || 'connection' in headers;
  const all = framed ? headers : { ...headers, 'transfer-encoding': 'chunked' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Scripted\r\n${lines.join('')}\r\n`;
}

/** One chunk of a chunked body. */
export function httpChunk(bytes: Uint8Array | string): Buffer {
  const content = Buffer.from(bytes);
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')]);
}

/** The end of a chunked body. */
export const LAST_CHUNK = '0\r\n\r\n';

/** An event stream in one piece: head, events, end. */
export function eventStream(
  events: readonly string[],
  headers: Readonly<Record<string, string>> = {},
): Buffer {
  const body = events.map((event) => `data: ${event}\n\n`).join('');
  return Buffer.concat([
    Buffer.from(responseHead(200, { 'content-type': 'text/event-stream', ...headers })),
    httpChunk(body),
    Buffer.from(LAST_CHUNK),
  ]);
}

/** A good answer of one token, as events. */
export const ONE_TOKEN = [
  '{"id":"c1","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":null}]}',
  '{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}',
  '[DONE]',
] as const;
