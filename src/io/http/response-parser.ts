/**
 * Longest head of a response, and longest trailers, in bytes. Node's own parser stops at 16 KiB, proxies at 8 to 64.
 */
export const MAX_HEAD_BYTES = 1 << 16;

/** The head of a response. */
export interface ResponseHead {
  readonly status: number;
  /** The first value of a header, name in lower case; null when there is none. */
  header(name: string): string | null;
}

/** Gets one response after another. */
export interface ResponseHandler {
  /** The head of a response is complete. Interim ones (1xx) are passed over. */
  head(head: ResponseHead): void;
  /** Part of its body: `bytes` from `start` to `end`, valid during the call only. */
  body(bytes: Uint8Array, start: number, end: number): void;
}

/**
 * What a push or a close came to: the response goes on (`more`), is complete (`done`), or is broken, in a few words.
 * `isKept`: the connection can carry another request.
 */
export type ResponseState =
  | { readonly kind: 'more' }
  | { readonly kind: 'done'; readonly isKept: boolean }
  | { readonly kind: 'broken'; readonly reason: string }
  /** The connection ended within the response. */
  | { readonly kind: 'cut' };

/** Reads the responses of one connection out of its bytes. */
export interface ResponseReader {
  /** Makes ready for the next response. */
  reset(): void;
  /** Takes the next bytes, the first `length` of `bytes`, cut anywhere. After `done` or `broken` nothing more is read until a reset. */
  push(bytes: Uint8Array, length?: number): ResponseState;
  /** The connection ended cleanly. */
  close(): ResponseState;
}

const LF = 0x0a;
const CR = 0x0d;
const MORE: ResponseState = { kind: 'more' };
const KEPT: ResponseState = { kind: 'done', isKept: true };
const CLOSING: ResponseState = { kind: 'done', isKept: false };
/** 2^40 bytes: longer is no answer, and more digits would not count exactly. */
const MAX_SIZE_DIGITS = 10;

/**
 * What the bytes to come belong to. `data`: a body of known length, or the data of one chunk; `rest`: a body that ends with
 * the connection.
 */
type Place = 'head' | 'data' | 'chunk-size' | 'chunk-end' | 'trailers' | 'rest' | 'over';

/**
 * A reader of HTTP/1.1 responses (RFC 9112) over bytes: no I/O, nothing kept of a body. Strict where a lenient reading
 * could take one thing for another: bare line feeds, folded lines, a length beside a chunked body, two lengths that
 * differ, and a `100 Continue` or a change of protocol nobody asked for are broken responses.
 */
export function createResponseReader(handler: ResponseHandler): ResponseReader {
  let at: Place = 'head';
  /** The lines of a head, size or trailer begun in an earlier push. */
  let kept: Uint8Array | null = null;
  let left = 0;
  let isChunked = false;
  let isKept = true;
  let trailerBytes = 0;
  let broken: string | null = null;

  function fail(reason: string): void {
    broken = reason;
    at = 'over';
  }

  /** Reads a head that ends before `end`, its last byte the LF of the empty line. This and the next ones say what is broken, or null. */
  function readHead(bytes: Uint8Array, start: number, end: number): string | null {
    const lines = DECODER.decode(bytes.subarray(start, end)).split('\r\n');
    const status = readStatusLine(lines[0] ?? '');
    if (status === null) return 'no status line of HTTP/1';
    const headers = new Map<string, string>();
    for (let i = 1; i < lines.length - 2; i++) {
      const line = lines[i] as string;
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      if (colon < 1 || !TOKEN.test(name)) return 'a header line without a name';
      if (CONTROL.test(line)) return 'a control character within a header';
      const value = line.slice(colon + 1).trim();
      const known = headers.get(name);
      if (known === undefined) headers.set(name, value);
      else if (name === 'content-length' && known !== value) return 'two lengths that differ';
      else if (name === 'transfer-encoding' || name === 'connection') headers.set(name, `${known}, ${value}`);
    }
    const { code, isOld } = status;
    if (code === 100 || code === 101) return `status ${code}, which nobody asked for`;
    if (code < 200) return null;
    const reason = frameBody(code, isOld, headers);
    if (reason === null) handler.head({ status: code, header: (name) => headers.get(name) ?? null });
    return reason;
  }

  /** How long the body is (RFC 9112, section 6.3), and whether the connection outlives it. */
  function frameBody(code: number, isOld: boolean, headers: ReadonlyMap<string, string>): string | null {
    const connection = headers.get('connection')?.toLowerCase() ?? '';
    isKept = isOld ? connection.includes('keep-alive') : !connection.includes('close');
    const coding = headers.get('transfer-encoding')?.toLowerCase();
    const length = headers.get('content-length');
    if (coding !== undefined && length !== undefined) return 'a length beside a transfer coding';
    if (code === 204 || code === 304) at = 'over';
    else if (coding !== undefined) {
      isChunked = /(^|,)\s*chunked$/.test(coding);
      at = isChunked ? 'chunk-size' : 'rest';
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) return 'a length that is no number';
      left = Number(length);
      at = left === 0 ? 'over' : 'data';
    } else at = 'rest';
    if (at === 'rest') isKept = false;
    return null;
  }

  function readChunkSize(bytes: Uint8Array, start: number, end: number): string | null {
    let size = 0;
    let i = start;
    for (; i < end; i++) {
      const digit = hexDigit(bytes[i] as number);
      if (digit === -1) break;
      size = size * 16 + digit;
    }
    const next = bytes[i];
    const hasExtension = next === SEMICOLON || next === SPACE || next === TAB;
    if (i === start || i - start > MAX_SIZE_DIGITS || (i < end && !hasExtension)) {
      return 'a chunk without a size';
    }
    left = size;
    trailerBytes = 0;
    at = size === 0 ? 'trailers' : 'data';
    return null;
  }

  /** Reads one line of a head's end, a size, or trailers: `bytes` from `start` to before its CR LF. */
  function readLine(bytes: Uint8Array, start: number, end: number): string | null {
    if (at === 'chunk-size') return readChunkSize(bytes, start, end);
    if (at === 'chunk-end') {
      at = 'chunk-size';
      return start === end ? null : 'a chunk longer than its size';
    }
    if (start === end) at = 'over';
    trailerBytes += end - start;
    return trailerBytes > MAX_HEAD_BYTES ? `trailers longer than ${MAX_HEAD_BYTES} bytes` : null;
  }

  /** Takes one line (of a head: all its lines) from `from`, and gives where the next thing begins; the end when it is not complete. */
  function takeLines(bytes: Uint8Array, from: number, stop: number): number {
    const end = at === 'head' ? headEnd(bytes, from, stop) : lineEnd(bytes, from, stop);
    if (kept === null && end !== -1) {
      takeWhole(bytes, from, end);
      return end;
    }
    const to = end === -1 ? stop : end;
    const before = kept?.length ?? 0;
    const joined = new Uint8Array(before + to - from);
    if (kept !== null) joined.set(kept);
    joined.set(bytes.subarray(from, to), before);
    const whole = at === 'head' ? headEnd(joined, 0, joined.length) : lineEnd(joined, 0, joined.length);
    if (whole === -1) {
      kept = joined;
      if (joined.length > MAX_HEAD_BYTES) fail(`a head longer than ${MAX_HEAD_BYTES} bytes`);
      else if (at === 'head' && !mayBeHead(joined)) fail('no head of HTTP/1');
      return to;
    }
    kept = null;
    takeWhole(joined, 0, whole);
    return from + whole - before;
  }

  function takeWhole(bytes: Uint8Array, from: number, end: number): void {
    const reason = readWhole(bytes, from, end);
    if (reason !== null) fail(reason);
  }

  function readWhole(bytes: Uint8Array, from: number, end: number): string | null {
    if (end - from > MAX_HEAD_BYTES) return `a head longer than ${MAX_HEAD_BYTES} bytes`;
    if (at === 'head') return readHead(bytes, from, end);
    return bytes[end - 2] === CR ? readLine(bytes, from, end - 2) : 'a line end without a carriage return';
  }

  function state(): ResponseState {
    if (broken !== null) return { kind: 'broken', reason: broken };
    if (at !== 'over') return MORE;
    return isKept ? KEPT : CLOSING;
  }

  return {
    reset() {
      at = 'head';
      kept = null;
      left = 0;
      isChunked = false;
      isKept = true;
      broken = null;
    },
    push(bytes, length = bytes.length) {
      let from = 0;
      while (from < length && at !== 'over') {
        if (at === 'rest') {
          handler.body(bytes, from, length);
          from = length;
        } else if (at === 'data') {
          const to = Math.min(length, from + left);
          left -= to - from;
          if (left === 0) at = isChunked ? 'chunk-end' : 'over';
          handler.body(bytes, from, to);
          from = to;
        } else from = takeLines(bytes, from, length);
      }
      // Bytes after a response answer no request: the connection cannot be reused.
      if (from < length) isKept = false;
      return state();
    },
    close() {
      if (at === 'rest') at = 'over';
      return at === 'over' ? state() : { kind: 'cut' };
    },
  };
}

/** Shared: it holds no state between whole texts. */
const DECODER = new TextDecoder();
const SEMICOLON = 0x3b;
const SPACE = 0x20;
const TAB = 0x09;
/** A line end that is none, or what would speak to the reader's terminal. */
const CONTROL = /[^\t\P{Cc}]/u;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9a-z]+$/;

function readStatusLine(line: string): { readonly code: number; readonly isOld: boolean } | null {
  const found = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [^\r\n]*)?$/.exec(line);
  return found === null ? null : { code: Number(found[2]), isOld: found[1] === '0' };
}

const START = 'HTTP/1.';

/** Whether a head could begin so: one that could not would be waited for until the request times out. */
function mayBeHead(bytes: Uint8Array): boolean {
  for (let i = 0; i < bytes.length; i++) {
    if (i < START.length && bytes[i] !== START.charCodeAt(i)) return false;
    if (bytes[i] === LF && bytes[i - 1] !== CR) return false;
  }
  return true;
}

/** Behind the LF of the empty line that ends a head; -1 when there is none. */
function headEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from + 3; i < to; i++) {
    if (bytes[i] === LF && bytes[i - 1] === CR && bytes[i - 2] === LF && bytes[i - 3] === CR) return i + 1;
  }
  return -1;
}

/** Behind the next LF; -1 when there is none. */
function lineEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let i = from; i < to; i++) if (bytes[i] === LF) return i + 1;
  return -1;
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
