import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import type { buildConnector as Connector, Dispatcher, Client as UndiciClient } from 'undici';
import type { Recorder, ResponseInfo, StreamEnd } from '../core/recorder.js';
import type { BodyEncoder, Endpoint } from '../core/request-body.js';
import { endpointUrls } from '../core/target-url.js';
import { readWorkerHeaders } from '../core/worker-headers.js';
import type { Clock, Transport } from '../engine/ports.js';
import type { ReadWatch } from './client-monitor.js';
import { createDirectReads } from './direct-reads.js';
import { connectFailure, exchangeFailure } from './http-failure.js';
import { buildConnector, Client } from './http-undici.js';
import { buildRequestHeaders } from './request-headers.js';

export interface HttpTransportOptions {
  /** As {@link endpointUrls} takes it. */
  readonly baseUrl: string;
  /** Sent as they are with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `reuse`: kept-alive connections, opened before the trial. `per-request`: each request opens one and closes it; a
   * Kubernetes Service picks a pod per connection, so this decides what a baseline behind one is.
   */
  readonly connections: 'reuse' | 'per-request';
  readonly endpoint: Endpoint;
  readonly encode: BodyEncoder;
  readonly clock: Clock;
  /** Told of every read; stamps are the clock's own without one. */
  readonly watch?: ReadWatch;
}

/** How long a connection may take to open, TLS included. */
const CONNECT_TIMEOUT_MS = 10_000;
const CONNECT_OPTIONS = { timeout: CONNECT_TIMEOUT_MS, allowH2: false } as const;
/** Connections opened at the same time: a burst of a thousand would overflow listen backlogs and wait for retries. */
const OPENING_AT_ONCE = 64;
/** Idle connections are kept as long as the server keeps them, or half a second less where it says how long it does. */
const KEEP_ALIVE_MS = 3_600_000;
const KEEP_ALIVE_MARGIN_MS = 500;

/** One connection, or the right to one: undici's client opens its socket anew when the server has closed it. */
interface Connection {
  readonly client: UndiciClient;
  /** Opened before it is needed, and not yet given to the client. */
  ready: Socket | null;
  /** When its socket last had something to read. */
  readAtMs: number;
  /** The body of the answer is being read: its head is complete. */
  isInBody: boolean;
  /** How long opening took, when that happened for the request it carries; else null. */
  connectMs: number | null;
}

/**
 * A transport over HTTP/1.1, plain or TLS. One connection carries one request at a time (no pipelining, no queue): a
 * request that finds no idle connection opens one more. The connection idle the longest goes first, so that all see
 * traffic and none ages into the server's keep-alive timeout.
 *
 * `sent` is stamped just before the request is written to its open socket. Opening a connection, at first or because the
 * server closed it meanwhile, comes before that and is told apart ({@link Recorder.connected}). Arrivals are stamped when
 * the socket is read, before anything is parsed; all that one read carries has one stamp.
 *
 * Nothing is retried: a connection that the server closes just as it is used gives a `stream_error`, for the request
 * may have reached an engine and its prompt a cache. There are no timeouts here but that for connecting; the engine ends
 * requests. A `100 Continue` nobody asked for is a broken response to undici, and a `stream_error`.
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const { clock, encode } = options;
  const watch = options.watch ?? unwatched(clock);
  const urls = endpointUrls(options.baseUrl);
  const headers = buildRequestHeaders(options.headers);
  const address = addressOf(urls.origin, headers);
  const isPlain = address.protocol === 'http:';
  const connectTls = buildConnector(CONNECT_OPTIONS);
  const reuses = options.connections === 'reuse';
  const dispatchOptions = {
    origin: urls.origin,
    path: urls[options.endpoint],
    method: 'POST',
    headers,
    ...(reuses ? {} : { reset: true }),
  } as const;
  const all = new Set<Connection>();
  let idle: Connection[] = [];

  function createConnection(): Connection {
    const client = new Client(urls.origin, {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
      connect: (target, callback) => openSocket(connection, target, callback),
    });
    const connection: Connection = { client, ready: null, readAtMs: 0, isInBody: false, connectMs: null };
    all.add(connection);
    return connection;
  }

  /** Gives the client the socket that is ready, or opens one. undici must not be called back synchronously. */
  function openSocket(connection: Connection, target: Connector.Options, callback: Connector.Callback): void {
    const { ready } = connection;
    connection.ready = null;
    if (ready !== null && isOpen(ready)) {
      queueMicrotask(() => callback(null, ready));
      return;
    }
    const startMs = clock.now();
    connect(connection, target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      connection.connectMs = clock.now() - startMs;
      callback(null, socket);
    });
  }

  /** Connects so that every read is stamped before any parsing of what was read. */
  function connect(connection: Connection, target: Connector.Options, callback: Connector.Callback): void {
    const readBegins = (): boolean => {
      connection.readAtMs = watch.readable();
      return !connection.isInBody;
    };
    if (!isPlain) {
      connectTls(target, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        // This listener comes before undici's own.
        socket.on('readable', readBegins);
        callback(null, socket);
      });
      return;
    }
    const reads = createDirectReads(readBegins);
    // The address of each call goes before the port that the type wants here.
    buildConnector({ ...CONNECT_OPTIONS, port: 0, onread: reads.onread })(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      reads.attach(socket);
      callback(null, socket);
    });
  }

  function drop(connection: Connection): Promise<void> {
    all.delete(connection);
    connection.ready?.destroy();
    connection.ready = null;
    return connection.client.destroy();
  }

  function openOne(): Promise<boolean> {
    return new Promise((resolve) => {
      const connection = createConnection();
      connect(connection, address, (...[error, socket]) => {
        connection.ready = socket;
        if (error === null) idle.push(connection);
        else void drop(connection);
        resolve(error === null);
      });
    });
  }

  return {
    async open(connections) {
      await Promise.all(idle.map(drop));
      idle = [];
      if (!reuses) return;
      for (let left = connections; left > 0; left -= OPENING_AT_ONCE) {
        const opened = await Promise.all(Array.from({ length: Math.min(left, OPENING_AT_ONCE) }, openOne));
        // The requests will say what is wrong; trying on could take minutes.
        if (opened.includes(false)) return;
      }
    },

    send(request, recorder, done) {
      const connection = idle.shift() ?? createConnection();
      connection.connectMs = null;
      connection.isInBody = false;
      let isSent = false;
      let isAnswered = false;
      let isEnded = false;

      function finish(end: StreamEnd): void {
        if (isEnded) return;
        isEnded = true;
        if (end.kind === 'end' && reuses) idle.push(connection);
        else void drop(connection);
        queueMicrotask(() => done(end));
      }

      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {
          if (connection.connectMs !== null) recorder.connected(connection.connectMs);
          isSent = true;
          recorder.sent(clock.now());
        },
        onResponseStart(_controller, status, received) {
          if (status < 200) return;
          isAnswered = true;
          connection.isInBody = true;
          recorder.response(status, responseInfo(received), connection.readAtMs);
        },
        onResponseData(_controller, chunk) {
          const begun = watch.readingBegun();
          recorder.bytes(chunk, connection.readAtMs);
          watch.readingEnded(begun);
        },
        onResponseEnd() {
          finish({ kind: 'end' });
        },
        onResponseError(_controller, error) {
          const wasReused = connection.connectMs === null;
          finish(isSent ? exchangeFailure(error, isAnswered, wasReused) : connectFailure(error, urls.origin));
        },
      };
      connection.client.dispatch(
        { ...dispatchOptions, body: encode(request.prompt, request.outputTokens) },
        handler,
      );
      return finish;
    },

    async close() {
      idle = [];
      await Promise.all([...all].map(drop));
    },
  };
}

/** What undici would connect to, for connections opened without it. A given `host` header names the server for TLS too. */
function addressOf(origin: string, headers: Readonly<Record<string, string>>): Connector.Options {
  const url = new URL(origin);
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1];
  const servername = given?.replace(/:\d+$/, '');
  return {
    host: url.host,
    hostname: url.hostname.replace(/^\[|\]$/g, ''),
    protocol: url.protocol,
    port: url.port,
    ...(servername !== undefined && isIP(servername) === 0 ? { servername } : {}),
  };
}

function unwatched(clock: Clock): ReadWatch {
  return { readable: () => clock.now(), readingBegun: () => 0, readingEnded: () => {} };
}

function isOpen(socket: Socket): boolean {
  return !socket.destroyed && socket.writable && !socket.readableEnded;
}

function responseInfo(headers: Readonly<Record<string, string | string[] | undefined>>): ResponseInfo {
  const header = (name: string): string | null => {
    const value = headers[name];
    return (Array.isArray(value) ? value[0] : value) ?? null;
  };
  return {
    requestId: header('x-request-id'),
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
    location: header('location'),
    ...readWorkerHeaders(header),
  };
}
