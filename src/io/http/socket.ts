import { createRequire } from 'node:module';
import { connect as connectPlain, isIP, type Socket } from 'node:net';

const require = createRequire(import.meta.url);

/** Where connections go. */
export interface Address {
  readonly isTls: boolean;
  readonly host: string;
  readonly port: number;
  /** The name that a TLS server is asked for and must prove; null where there is none to ask for. */
  readonly serverName: string | null;
}

/** Told what happens to a connection. */
export interface SocketListener {
  opened(): void;
  /** The first `length` of `bytes` were read; valid during the call only. */
  read(bytes: Uint8Array, length: number): void;
  /** The server ended it. */
  ended(): void;
  /** It could not be opened, or broke. */
  failed(error: Error): void;
}

const KEEP_ALIVE_PROBE_MS = 60_000;
/** All plain sockets read into this: what was read is consumed before the next read, or copied. */
const SHARED = Buffer.allocUnsafeSlow(1 << 16);

/**
 * Opens a connection, TLS included, within `timeoutMs`. The listener is told of an end or a failure once, and of nothing
 * after the socket is destroyed. Plain sockets read past the machinery of a stream, which costs an allocation and a tick for each read; the bytes of TLS come
 * decrypted from its own layer.
 */
export function openSocket(address: Address, timeoutMs: number, listener: SocketListener): Socket {
  const socket = address.isTls ? startTls(address, listener) : startPlain(address, listener);
  const timer = setTimeout(() => socket.destroy(new ConnectTimeout(timeoutMs)), timeoutMs);
  let isOver = false;
  const over = (tell: () => void) => {
    clearTimeout(timer);
    if (isOver) return;
    isOver = true;
    tell();
  };
  socket.setNoDelay(true);
  socket.setKeepAlive(true, KEEP_ALIVE_PROBE_MS);
  socket.once(address.isTls ? 'secureConnect' : 'connect', () => {
    clearTimeout(timer);
    // Not before: the end of a handshake comes with an error that says more.
    socket.once('end', () => over(listener.ended));
    listener.opened();
  });
  socket.once('error', (error) => over(() => listener.failed(error)));
  socket.once('close', () => over(listener.ended));
  return socket;
}

class ConnectTimeout extends Error {
  readonly code = 'connect_timeout';
  constructor(timeoutMs: number) {
    super(`not open within ${timeoutMs / 1000} s`);
  }
}

function startPlain({ host, port }: Address, listener: SocketListener): Socket {
  return connectPlain({
    host,
    port,
    onread: {
      buffer: SHARED,
      callback(length) {
        listener.read(SHARED, length);
        return true;
      },
    },
  });
}

/** Sessions are remembered by server, so that a connection for each request need not shake hands in full. */
const SESSIONS = new Map<string, Buffer>();

function startTls({ host, port, serverName }: Address, listener: SocketListener): Socket {
  // Loaded when needed: it costs a plain run more than its first requests.
  const { connect: connectTls } = require('node:tls') as typeof import('node:tls');
  const key = `${host}:${port} ${serverName}`;
  const session = SESSIONS.get(key);
  const socket = connectTls({
    host,
    port,
    ALPNProtocols: ['http/1.1'],
    ...(serverName === null ? {} : { servername: serverName }),
    ...(session === undefined ? {} : { session }),
  });
  socket.on('session', (made) => SESSIONS.set(key, made));
  socket.on('data', (bytes) => listener.read(bytes, bytes.length));
  return socket;
}

/** What a URL's origin stands for. A `host` header names the server for TLS too. */
export function addressOf(origin: string, hostHeader: string | null): Address {
  const url = new URL(origin);
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const names = [hostHeader?.replace(/:\d+$/, '').replace(/^\[|\]$/g, '') ?? host, host];
  return {
    isTls,
    host,
    port: url.port === '' ? (isTls ? 443 : 80) : Number(url.port),
    serverName: names.find((name) => isIP(name) === 0) ?? null,
  };
}
