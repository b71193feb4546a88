/**
 * Longest line and longest event accepted, in bytes. A token event is a few hundred; only a broken server sends a
 * megabyte without a line end, and it must not be able to fill the client's memory.
 */
export const MAX_EVENT_BYTES = 1 << 20;

/** Gets the events of a stream. */
export interface StreamHandler {
  /** The data of one event: `bytes` from `start` to `end`, valid during the call only. `isNamed`: not a `message` event. */
  data(bytes: Uint8Array, start: number, end: number, isNamed: boolean): void;
  /**
   * An event whose name holds `error`: its data, else its comments. Servers built on axum, NVIDIA Dynamo's frontend among them,
   * send `event: error` with the message as a comment and no data, which the standard's dispatch would drop.
   */
  error(text: string): void;
}

/** Knows events by their bytes, so that they need not be split into lines. */
export interface KnownEvents {
  /** Where the data ends that begins at `start`, if it is known, before `stop`; -1 when it is not. */
  endOf(bytes: Uint8Array, start: number, stop: number): number;
  /** The data found last is that of an event. */
  found(): void;
}

/** Splits server-sent events out of bytes. */
export interface StreamReader {
  /** Takes the next bytes, of `chunk` from `start` to `end`, cut anywhere. False once the stream broke {@link MAX_EVENT_BYTES}: nothing more is read. */
  push(chunk: Uint8Array, start?: number, end?: number): boolean;
  /** The body ended cleanly: a last event without its blank line is delivered too. */
  end(): void;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const COMMENT_CHARS_KEPT = 1000;

/**
 * A reader of server-sent events (WHATWG HTML, section 9.2) over bytes: no I/O, no promise, no text made of data. An
 * event that lies whole in one chunk, on one `data` line, is handed over in place, without a copy. One that
 * `known` knows, framed as most servers do (`data: `, one line, a blank line), is not even looked through.
 */
export function createStreamReader(handler: StreamHandler, known: KnownEvents | null = null): StreamReader {
  return new SseReader(handler, known);
}

/**
 * A class, as all that is touched for each event: hundreds of streams are read in turn, and what closures hold lies in
 * too many places to be in the processor's cache when a stream's next event comes.
 */
class SseReader implements StreamReader {
  /** The line begun in an earlier chunk. */
  private line: Bytes | null = null;
  /** The event's data when it could not stay in place: several lines, or begun in an earlier chunk. */
  private kept: Bytes | null = null;
  private data: Uint8Array | null = null;
  private dataStart = 0;
  private dataEnd = 0;
  private eventName = '';
  private comments = '';
  private isFirstLine = true;
  private skipsLf = false;
  private isBroken = false;

  constructor(
    private readonly handler: StreamHandler,
    private readonly known: KnownEvents | null,
  ) {}

  push(chunk: Uint8Array, start = 0, stop = chunk.length): boolean {
    let at = start;
    if (this.skipsLf && at < stop) {
      this.skipsLf = false;
      if (chunk[at] === LF) at++;
    }
    while (at < stop && !this.isBroken) {
      if (this.isBetweenEvents()) {
        at = this.passKnown(chunk, at, stop);
        if (at === stop) break;
      }
      const end = findLineEnd(chunk, at, stop);
      this.takeLine(chunk, at, end === -1 ? stop : end, end !== -1);
      if (end === -1) break;
      at = end + 1;
      if (chunk[end] === CR) {
        if (at === stop) this.skipsLf = true;
        else if (chunk[at] === LF) at++;
      }
    }
    this.keepData();
    return !this.isBroken;
  }

  end(): void {
    if (this.isBroken) return;
    const { line } = this;
    if (line !== null && line.length > 0) this.readLine(line.bytes, 0, line.length);
    this.endEvent();
  }

  /** After the first line, for a byte order mark may stand before that. */
  private isBetweenEvents(): boolean {
    const { data, line, isFirstLine, eventName, comments } = this;
    const isLineBegun = line !== null && line.length > 0;
    return data === null && !isLineBegun && !isFirstLine && eventName === '' && comments === '';
  }

  /** Behind the known events that stand at `from`, as many as there are. */
  private passKnown(bytes: Uint8Array, from: number, stop: number): number {
    const { known } = this;
    let at = from;
    while (known !== null && startsWithData(bytes, at, stop)) {
      const end = blankLineEnd(bytes, known.endOf(bytes, at + PLAIN.length, stop), stop);
      if (end === -1) return at;
      known.found();
      at = end;
    }
    return at;
  }

  /** Takes a line, or the part of one that the chunk ends with. */
  private takeLine(chunk: Uint8Array, from: number, to: number, isWhole: boolean): void {
    const before = this.line?.length ?? 0;
    if (to - from + before > MAX_EVENT_BYTES) {
      this.isBroken = true;
    } else if (before === 0 && isWhole) {
      this.readLine(chunk, from, to);
    } else {
      if (!isWhole) this.keepData();
      this.line ??= new Bytes();
      this.line.add(chunk, from, to);
      if (!isWhole) return;
      const { bytes, length } = this.line;
      this.readLine(bytes, 0, length);
      // The data may still lie in the line's buffer; only the chunk's unfinished end writes there, after keepData.
      this.line.length = 0;
    }
  }

  private readLine(bytes: Uint8Array, from: number, to: number): void {
    let start = from;
    if (this.isFirstLine) {
      this.isFirstLine = false;
      if (startsWithBom(bytes, start, to)) start += 3;
    }
    const dataAt = fieldValueAt(bytes, start, to, DATA);
    if (dataAt !== -1) this.addData(bytes, dataAt, to);
    else if (start === to) this.endEvent();
    else if (bytes[start] === COLON) this.addComment(bytes, start + 1, to);
    else {
      const nameAt = fieldValueAt(bytes, start, to, EVENT);
      if (nameAt !== -1) this.eventName = DECODER.decode(bytes.subarray(nameAt, to));
    }
  }

  private addData(bytes: Uint8Array, start: number, end: number): void {
    if (this.data === null) {
      this.data = bytes;
      this.dataStart = start;
      this.dataEnd = end;
      return;
    }
    this.keepData();
    if (this.kept === null) return;
    this.kept.add(NEWLINE, 0, 1);
    this.kept.add(bytes, start, end);
    this.pointAt(this.kept);
  }

  private addComment(bytes: Uint8Array, start: number, end: number): void {
    if (this.comments.length >= COMMENT_CHARS_KEPT) return;
    this.comments += `${this.comments === '' ? '' : ' '}${DECODER.decode(bytes.subarray(start, end)).trim()}`;
  }

  /** Moves the data to its own memory: the chunk it lies in is the caller's again after the push. */
  private keepData(): void {
    if (this.data === null || this.data === this.kept?.bytes) return;
    this.kept ??= new Bytes();
    this.kept.length = 0;
    this.kept.add(this.data, this.dataStart, this.dataEnd);
    this.pointAt(this.kept);
  }

  private pointAt({ bytes, length }: Bytes): void {
    this.data = bytes;
    this.dataStart = 0;
    this.dataEnd = length;
    if (length > MAX_EVENT_BYTES) this.isBroken = true;
  }

  private endEvent(): void {
    const { data, eventName, comments } = this;
    this.data = null;
    this.eventName = '';
    this.comments = '';
    if (this.isBroken) return;
    if (eventName !== '' && /error/i.test(eventName)) {
      this.handler.error(
        data === null ? comments : DECODER.decode(data.subarray(this.dataStart, this.dataEnd)),
      );
    } else if (data !== null) {
      this.handler.data(data, this.dataStart, this.dataEnd, eventName !== '' && eventName !== 'message');
    }
  }
}

/** Bytes that grow; the memory is kept for the next use. */
class Bytes {
  bytes = new Uint8Array(0);
  length = 0;

  add(from: Uint8Array, start: number, end: number): void {
    const needed = this.length + end - start;
    if (needed > this.bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.bytes.length, 512));
      grown.set(this.bytes.subarray(0, this.length));
      this.bytes = grown;
    }
    this.bytes.set(from.subarray(start, end), this.length);
    this.length = needed;
  }
}

/** Shared: it holds no state between whole texts. */
const DECODER = new TextDecoder();
const DATA = Uint8Array.from('data', (letter) => letter.charCodeAt(0));
const EVENT = Uint8Array.from('event', (letter) => letter.charCodeAt(0));
const NEWLINE = Uint8Array.of(LF);

const PLAIN = Uint8Array.from('data: ', (letter) => letter.charCodeAt(0));

function startsWithData(bytes: Uint8Array, at: number, stop: number): boolean {
  if (at + PLAIN.length > stop) return false;
  for (let i = 0; i < PLAIN.length; i++) if (bytes[at + i] !== PLAIN[i]) return false;
  return true;
}

/** Behind the end of the line that ends at `at` and the blank line after it; -1 where that is not there, or `at` is -1. */
function blankLineEnd(bytes: Uint8Array, at: number, stop: number): number {
  if (at === -1) return -1;
  if (at + 2 <= stop && bytes[at] === LF && bytes[at + 1] === LF) return at + 2;
  const isDos = at + 4 <= stop && bytes[at] === CR && bytes[at + 1] === LF;
  return isDos && bytes[at + 2] === CR && bytes[at + 3] === LF ? at + 4 : -1;
}

/** The first LF or CR between `from` and `to`; -1 when there is none. */
function findLineEnd(bytes: Uint8Array, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte === LF || byte === CR) return at;
  }
  return -1;
}

/** Where the value of the line's field begins when the field is `name`, else -1. One space after the colon is no part of it. */
function fieldValueAt(bytes: Uint8Array, start: number, end: number, name: Uint8Array): number {
  const colonAt = start + name.length;
  if (colonAt > end) return -1;
  for (let i = 0; i < name.length; i++) if (bytes[start + i] !== name[i]) return -1;
  if (colonAt === end) return end;
  if (bytes[colonAt] !== COLON) return -1;
  return colonAt + 1 < end && bytes[colonAt + 1] === SPACE ? colonAt + 2 : colonAt + 1;
}

function startsWithBom(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf;
}
