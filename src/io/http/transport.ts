import { KNOWN_NAMES_ONLY, type WorkerNames } from '../../core/answer/dialects.js';
import type { StreamEnd } from '../../core/answer/exchange.js';
import type { BodyEncoder, Endpoint } from '../../core/answer/request-body.js';
import { SETTINGS } from '../../core/scenario/settings.js';
import { endpointUrls } from '../../core/scenario/target-url.js';
import type { Clock, OutgoingRequest, Transport } from '../../engine/ports.js';
import type { ReadWatch } from '../client-monitor.js';
import { type ConnectionSettings, type Exchange, type HttpConnection, openConnection } from './connection.js';
import { createHider } from './hide-secrets.js';
import { buildRequestHeaders } from './request-headers.js';
import { addressOf } from './socket.js';

export interface HttpTransportOptions {
  /** As {@link endpointUrls} takes it. */
  readonly baseUrl: string;
  /** Sent with every request; `{prefix}`, `{seq}` and `{group}` in a value stand for the request's. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * `reuse`: kept-alive connections, opened before the trial. `per-request`: each request opens one and closes it; a
   * Kubernetes Service picks a pod per connection, so this decides what a baseline behind one is.
   */
  readonly connections: 'reuse' | 'per-request';
  readonly endpoint: Endpoint;
  readonly encode: BodyEncoder;
  /** How long a connection may take to open; the setting's default without it. */
  readonly connectTimeoutMs?: number;
  /** What else must not be repeated in records: secrets of the body. */
  readonly secrets?: readonly string[];
  /** Headers that name workers; those that the dialects know without it. */
  readonly names?: WorkerNames;
  readonly clock: Clock;
  /** Told of every read; stamps are the clock's own without one. */
  readonly watch?: ReadWatch;
}

/** Connections opened at the same time: a burst of a thousand would overflow listen backlogs and wait for retries. */
const OPENING_AT_ONCE = 64;
/** In a header's value: a session-affinity router keys on it. */
const PLACEHOLDER = /\{(prefix|seq|group)\}/g;
const CLOSED: StreamEnd = { kind: 'aborted', message: 'the client closed its connections' };

/**
 * A transport over HTTP/1.1, plain or TLS. One connection carries one request at a time (no pipelining, no queue): a
 * request that finds no idle connection opens one more. The connection idle the longest goes first, so that all see
 * traffic and none ages into the server's keep-alive timeout.
 *
 * `sent` is stamped just before the request is written to its open socket. Opening a connection, at first or because the
 * server closed it meanwhile, comes before that and is reported separately ({@link Recorder.connected}). Arrivals are stamped when
 * the socket is read, before anything is parsed; all that one read carries has one stamp.
 *
 * Nothing is retried: a connection that the server closes just as it is used gives a `stream_error`, for the request
 * may have reached an engine and its prompt a cache. There are no timeouts here but that for connecting; the engine ends
 * requests.
 */
export function createHttpTransport(options: HttpTransportOptions): Transport {
  const { clock, encode } = options;
  const urls = endpointUrls(options.baseUrl);
  const reuses = options.connections === 'reuse';
  const headers = buildRequestHeaders(options.headers);
  const host = Object.entries(headers).find(([name]) => name.toLowerCase() === 'host')?.[1] ?? null;
  const headOf = createHeadWriter([
    `POST ${urls[options.endpoint]} HTTP/1.1`,
    `host: ${host ?? new URL(urls.origin).host}`,
    `connection: ${reuses ? 'keep-alive' : 'close'}`,
    ...Object.entries(headers)
      .filter(([name]) => name.toLowerCase() !== 'host')
      .map(([name, value]) => `${name}: ${value}`),
  ]);
  const settings: ConnectionSettings = {
    address: addressOf(urls.origin, host),
    origin: urls.origin,
    clock,
    hide: createHider(options.headers, options.secrets),
    names: options.names ?? KNOWN_NAMES_ONLY,
    connectTimeoutMs: options.connectTimeoutMs ?? SETTINGS.connectTimeout.initial,
    watch: options.watch ?? { readable: () => clock.now(), readingBegun: () => 0, readingEnded: () => {} },
  };
  const all = new Set<HttpConnection>();
  let idle: HttpConnection[] = [];

  function connect(first: Exchange | null, settled: (isOpen: boolean) => void = () => {}): HttpConnection {
    const made = openConnection(settings, first, {
      idle(connection) {
        if (reuses) idle.push(connection);
        else connection.destroy();
        settled(reuses);
      },
      gone(connection) {
        all.delete(connection);
        settled(false);
      },
    });
    all.add(made);
    return made;
  }

  /** The connection idle the longest that is still usable; null when there is none. */
  function takeIdle(): HttpConnection | null {
    for (let connection = idle.shift(); connection !== undefined; connection = idle.shift()) {
      if (connection.isUsable()) return connection;
      connection.destroy();
    }
    return null;
  }

  function closeAll(): void {
    idle = [];
    for (const connection of all) connection.abort(CLOSED);
  }

  return {
    async open(connections) {
      closeAll();
      if (!reuses) return;
      for (let left = connections; left > 0; left -= OPENING_AT_ONCE) {
        const opened = await Promise.all(
          Array.from(
            { length: Math.min(left, OPENING_AT_ONCE) },
            () => new Promise<boolean>((resolve) => connect(null, resolve)),
          ),
        );
        // The requests will say what is wrong; trying on could take minutes.
        if (opened.includes(false)) return;
      }
    },

    send(request, recorder, done) {
      const body = encode(request.prompt, request.outputTokens);
      let isEnded = false;
      const exchange: Exchange = {
        recorder,
        head: headOf(
          body.reduce((length, part) => length + part.length, 0),
          request,
        ),
        body,
        ended(end) {
          isEnded = true;
          queueMicrotask(() => done(end));
        },
      };
      const waiting = takeIdle();
      waiting?.carry(exchange);
      const connection = waiting ?? connect(exchange);
      return (end: StreamEnd) => {
        if (!isEnded) connection.abort(end);
      };
    },

    async close() {
      closeAll();
    },
  };
}

/** Heads differ in the length of the body alone, and most bodies are of one length; or in what their placeholders stand for. */
function createHeadWriter(
  lines: readonly string[],
): (bodyLength: number, request: OutgoingRequest) => Uint8Array {
  const start = `${lines.join('\r\n')}\r\ncontent-length: `;
  const isFilled = lines.some((line) => line.search(PLACEHOLDER) !== -1);
  // Header values are bytes: what Node accepts in one is Latin-1.
  const write = (text: string, bodyLength: number) => Buffer.from(`${text}${bodyLength}\r\n\r\n`, 'latin1');
  let length = -1;
  let head: Uint8Array = new Uint8Array(0);
  return (bodyLength, { meta }) => {
    if (isFilled) {
      const fill = (_: string, key: 'prefix' | 'seq' | 'group') => String(meta?.[key] ?? 'none');
      return write(start.replace(PLACEHOLDER, fill), bodyLength);
    }
    if (bodyLength !== length) {
      length = bodyLength;
      head = write(start, bodyLength);
    }
    return head;
  };
}
