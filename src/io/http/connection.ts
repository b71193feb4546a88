import { readHeaderExtras, type WorkerNames } from '../../core/answer/dialects.js';
import type { ResponseInfo, StreamEnd } from '../../core/answer/exchange.js';
import type { Recorder } from '../../core/answer/recorder.js';
import type { Clock } from '../../engine/ports.js';
import type { ReadWatch } from '../client-monitor.js';
import { codeOf, connectFailure, exchangeFailure } from './failure.js';
import { createResponseReader, type ResponseHead } from './response-parser.js';
import { type Address, openSocket } from './socket.js';

/** One request with its answer. */
export interface Exchange {
  readonly recorder: Recorder;
  /** The request's bytes. */
  readonly head: Uint8Array;
  /** In parts. */
  readonly body: readonly Uint8Array[];
  /** Called once. */
  ended(end: StreamEnd): void;
}

/** One connection; it carries one exchange at a time. */
export interface HttpConnection {
  /** Whether it can carry an exchange now. */
  isUsable(): boolean;
  carry(exchange: Exchange): void;
  /** Closes it at once; what it carries ends so. */
  abort(end: StreamEnd): void;
  /** Closes it at once. What it carries is not told. */
  destroy(): void;
}

/** Told what becomes of a connection. */
export interface ConnectionOwner {
  /** It waits for an exchange: just opened without one, or after an answer. */
  idle(connection: HttpConnection): void;
  /** It is closed, or was never open. */
  gone(connection: HttpConnection): void;
}

export interface ConnectionSettings {
  readonly address: Address;
  /** For messages. */
  readonly origin: string;
  readonly clock: Clock;
  readonly watch: ReadWatch;
  /** As {@link ResponseInfo} takes it; null when no secret is sent. */
  readonly hide: ((text: string) => string) | null;
  readonly names: WorkerNames;
  /** How long a connection may take to open. */
  readonly connectTimeoutMs: number;
}

/** An idle connection is left half a second before the time that the server says it keeps one. */
const KEEP_ALIVE_MARGIN_MS = 500;

/** Opens a connection, and sends `first` on it as soon as it is open; null for one that waits. */
export function openConnection(
  settings: ConnectionSettings,
  first: Exchange | null,
  owner: ConnectionOwner,
): HttpConnection {
  const { address, origin, clock, watch } = settings;
  let carried: Exchange | null = first;
  /** It was opened for what it carries, and took so long; null when it was open before. */
  let connectMs: number | null = null;
  let isAnswered = false;
  let isOpen = false;
  let isGone = false;
  /** When its last bytes were read. */
  let readAtMs = 0;
  /** How long the server keeps it while idle, and until when: from the end of an answer on. */
  let keptMs = Number.POSITIVE_INFINITY;
  let expiresMs = Number.POSITIVE_INFINITY;
  const startMs = clock.now();

  const reader = createResponseReader({
    head(head) {
      isAnswered = true;
      keptMs = keptForMs(head);
      carried?.recorder.response(head.status, responseInfo(head, settings), readAtMs);
    },
    body(bytes, start, end) {
      carried?.recorder.bytes(bytes, readAtMs, start, end);
    },
  });
  const socket = openSocket(address, settings.connectTimeoutMs, { opened, read, ended, failed });
  const connection: HttpConnection = {
    // An answer may come before its request is written: the next one would wait behind the rest.
    isUsable: () =>
      isOpen && !isGone && socket.writable && socket.writableLength === 0 && clock.now() < expiresMs,
    carry(exchange) {
      carried = exchange;
      connectMs = null;
      send(exchange);
    },
    abort: (end) => finish(end, false),
    destroy,
  };
  return connection;

  function opened(): void {
    isOpen = true;
    if (carried === null) {
      owner.idle(connection);
      return;
    }
    connectMs = clock.now() - startMs;
    carried.recorder.connected(connectMs);
    send(carried);
  }

  function send({ recorder, head, body }: Exchange): void {
    isAnswered = false;
    reader.reset();
    // TLS keeps a buffer until it is sent, however fast that goes.
    const whole = address.isTls ? null : putTogether(head, body);
    recorder.sent(clock.now());
    if (whole !== null) {
      socket.write(whole);
      // The socket has it until the kernel has taken all of it, which it mostly does at once.
      if (socket.writableLength > 0) outgoing = Buffer.allocUnsafeSlow(OUTGOING_BYTES);
      return;
    }
    socket.cork();
    socket.write(head);
    for (const part of body) socket.write(part);
    socket.uncork();
  }

  function read(bytes: Uint8Array, length: number): void {
    readAtMs = watch.readable();
    // Bytes that answer no request would be taken for the next answer.
    if (carried === null) {
      destroy();
      return;
    }
    const begun = watch.readingBegun();
    const state = reader.push(bytes, length);
    watch.readingEnded(begun);
    if (state.kind === 'done') finish({ kind: 'end' }, state.isKept);
    else if (state.kind === 'broken') breakOff('bad_response', state.reason);
  }

  function ended(): void {
    if (carried === null) destroy();
    else if (reader.close().kind === 'done') finish({ kind: 'end' }, false);
    else breakOff('closed', '');
  }

  function failed(error: Error): void {
    if (isOpen) breakOff(codeOf(error), error.message);
    else finish(connectFailure(error, origin), false);
  }

  function breakOff(code: string, reason: string): void {
    finish(exchangeFailure({ code, reason }, isAnswered, connectMs === null), false);
  }

  function finish(end: StreamEnd, isKept: boolean): void {
    const exchange = carried;
    carried = null;
    expiresMs = readAtMs + keptMs;
    if (isKept) owner.idle(connection);
    else destroy();
    exchange?.ended(end);
  }

  function destroy(): void {
    carried = null;
    if (isGone) return;
    isGone = true;
    socket.destroy();
    owner.gone(connection);
  }
}

/** Longer requests are written in parts: copying them would cost more than it saves. */
const OUTGOING_BYTES = 1 << 16;
/** Requests are put together here: one write of one buffer costs the half of a write of five. */
let outgoing = Buffer.allocUnsafeSlow(OUTGOING_BYTES);

/** Null when it is too long. */
function putTogether(head: Uint8Array, body: readonly Uint8Array[]): Uint8Array | null {
  let length = head.length;
  for (const part of body) length += part.length;
  if (length > OUTGOING_BYTES) return null;
  outgoing.set(head);
  let at = head.length;
  for (const part of body) {
    outgoing.set(part, at);
    at += part.length;
  }
  return outgoing.subarray(0, length);
}

/** From `keep-alive: timeout=5`; infinite where the server does not say. */
function keptForMs(head: ResponseHead): number {
  const said = /(?:^|[\s,;])timeout=(\d+)/i.exec(head.header('keep-alive') ?? '')?.[1];
  return said === undefined ? Number.POSITIVE_INFINITY : Number(said) * 1000 - KEEP_ALIVE_MARGIN_MS;
}

function responseInfo({ header }: ResponseHead, { hide, names }: ConnectionSettings): ResponseInfo {
  return {
    requestId: header('x-request-id'),
    contentType: header('content-type'),
    contentEncoding: header('content-encoding'),
    location: header('location'),
    extras: readHeaderExtras(header, names),
    ...(hide === null ? {} : { hide }),
  };
}
