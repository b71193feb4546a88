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
  return new Reader(handler);
}

/** A class: connections are read in turn, and what closures hold lies in too many places to stay in the processor's cache. */
class Reader implements ResponseReader {
  private at: Place = 'head';
  /** The lines of a head, size or trailer begun in an earlier push. */
  private kept: Uint8Array | null = null;
  private left = 0;
  private isChunked = false;
  private isKept = true;
  private trailerBytes = 0;
  private broken: string | null = null;

  constructor(private readonly handler: ResponseHandler) {}

  private fail(reason: string): void {
    this.broken = reason;
    this.at = 'over';
  }

  /** Reads a head that ends before `end`, its last byte the LF of the empty line. This and the next ones say what is broken, or null. */
  private readHead(bytes: Uint8Array, start: number, end: number): string | null {
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
    const reason = this.frameBody(code, isOld, headers);
    if (reason === null) this.handler.head({ status: code, header: (name) => headers.get(name) ?? null });
    return reason;
  }

  /** How long the body is (RFC 9112, section 6.3), and whether the connection outlives it. */
  private frameBody(code: number, isOld: boolean, headers: ReadonlyMap<string, string>): string | null {
    const connection = headers.get('connection')?.toLowerCase() ?? '';
    this.isKept = isOld ? connection.includes('keep-alive') : !connection.includes('close');
    const coding = headers.get('transfer-encoding')?.toLowerCase();
    const length = headers.get('content-length');
    if (coding !== undefined && length !== undefined) return 'a length beside a transfer coding';
    if (code === 204 || code === 304) this.at = 'over';
    else if (coding !== undefined) {
      this.isChunked = /(^|,)\s*chunked$/.test(coding);
      this.at = this.isChunked ? 'chunk-size' : 'rest';
    } else if (length !== undefined) {
      if (!/^\d{1,15}$/.test(length)) return 'a length that is no number';
      this.left = Number(length);
      this.at = this.left === 0 ? 'over' : 'data';
    } else this.at = 'rest';
    if (this.at === 'rest') this.isKept = false;
    return null;
  }

  private readChunkSize(bytes: Uint8Array, start: number, end: number): string | null {
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
    this.left = size;
    this.trailerBytes = 0;
    this.at = size === 0 ? 'trailers' : 'data';
    return null;
  }

  /** Reads one line of a head's end, a size, or trailers: `bytes` from `start` to before its CR LF. */
  private readLine(bytes: Uint8Array, start: number, end: number): string | null {
    if (this.at === 'chunk-size') return this.readChunkSize(bytes, start, end);
    if (this.at === 'chunk-end') {
      this.at = 'chunk-size';
      return start === end ? null : 'a chunk longer than its size';
    }
    if (start === end) this.at = 'over';
    this.trailerBytes += end - start;
    return this.trailerBytes > MAX_HEAD_BYTES ? `trailers longer than ${MAX_HEAD_BYTES} bytes` : null;
  }

  /** Takes one line (of a head: all its lines) from `from`, and gives where the next thing begins; the end when it is not complete. */
  private takeLines(bytes: Uint8Array, from: number, stop: number): number {
    const end = this.at === 'head' ? headEnd(bytes, from, stop) : lineEnd(bytes, from, stop);
    if (this.kept === null && end !== -1) {
      this.takeWhole(bytes, from, end);
      return end;
    }
    const to = end === -1 ? stop : end;
    const before = this.kept?.length ?? 0;
    const joined = new Uint8Array(before + to - from);
    if (this.kept !== null) joined.set(this.kept);
    joined.set(bytes.subarray(from, to), before);
    const whole = this.at === 'head' ? headEnd(joined, 0, joined.length) : lineEnd(joined, 0, joined.length);
    if (whole === -1) {
      this.kept = joined;
      if (joined.length > MAX_HEAD_BYTES) this.fail(`a head longer than ${MAX_HEAD_BYTES} bytes`);
      else if (this.at === 'head' && !mayBeHead(joined)) this.fail('no head of HTTP/1');
      return to;
    }
    this.kept = null;
    this.takeWhole(joined, 0, whole);
    return from + whole - before;
  }

  private takeWhole(bytes: Uint8Array, from: number, end: number): void {
    const reason = this.readWhole(bytes, from, end);
    if (reason !== null) this.fail(reason);
  }

  private readWhole(bytes: Uint8Array, from: number, end: number): string | null {
    if (end - from > MAX_HEAD_BYTES) return `a head longer than ${MAX_HEAD_BYTES} bytes`;
    if (this.at === 'head') return this.readHead(bytes, from, end);
    return bytes[end - 2] === CR
      ? this.readLine(bytes, from, end - 2)
      : 'a line end without a carriage return';
  }

  private state(): ResponseState {
    if (this.broken !== null) return { kind: 'broken', reason: this.broken };
    if (this.at !== 'over') return MORE;
    return this.isKept ? KEPT : CLOSING;
  }

  reset(): void {
    this.at = 'head';
    this.kept = null;
    this.left = 0;
    this.isChunked = false;
    this.isKept = true;
    this.broken = null;
  }

  push(bytes: Uint8Array, length = bytes.length): ResponseState {
    let from = 0;
    while (from < length && this.at !== 'over') {
      if (this.at === 'rest') {
        this.handler.body(bytes, from, length);
        from = length;
      } else if (this.at === 'data') {
        const to = Math.min(length, from + this.left);
        this.left -= to - from;
        if (this.left === 0) this.at = this.isChunked ? 'chunk-end' : 'over';
        this.handler.body(bytes, from, to);
        from = to;
      } else from = this.takeLines(bytes, from, length);
    }
    // Bytes after a response answer no request: the connection cannot be reused.
    if (from < length) this.isKept = false;
    return this.state();
  }

  close(): ResponseState {
    if (this.at === 'rest') this.at = 'over';
    return this.at === 'over' ? this.state() : { kind: 'cut' };
  }
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
