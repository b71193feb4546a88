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
  /** The line begun in an earlier chunk. */
  const line = createByteBuffer();
  /** The event's data when it could not stay in place: several lines, or begun in an earlier chunk. */
  const kept = createByteBuffer();
  let data: Uint8Array | null = null;
  let dataStart = 0;
  let dataEnd = 0;
  let eventName = '';
  let comments = '';
  let isFirstLine = true;
  let skipsLf = false;
  let isBroken = false;

  function readLine(bytes: Uint8Array, from: number, to: number): void {
    let start = from;
    if (isFirstLine) {
      isFirstLine = false;
      if (startsWithBom(bytes, start, to)) start += 3;
    }
    const dataAt = fieldValueAt(bytes, start, to, DATA);
    if (dataAt !== -1) addData(bytes, dataAt, to);
    else if (start === to) endEvent();
    else if (bytes[start] === COLON) addComment(bytes, start + 1, to);
    else {
      const nameAt = fieldValueAt(bytes, start, to, EVENT);
      if (nameAt !== -1) eventName = DECODER.decode(bytes.subarray(nameAt, to));
    }
  }

  function addData(bytes: Uint8Array, start: number, end: number): void {
    if (data === null) {
      data = bytes;
      dataStart = start;
      dataEnd = end;
      return;
    }
    keepData();
    kept.add(NEWLINE, 0, 1);
    kept.add(bytes, start, end);
    pointAtKept();
  }

  function addComment(bytes: Uint8Array, start: number, end: number): void {
    if (comments.length >= COMMENT_CHARS_KEPT) return;
    comments += `${comments === '' ? '' : ' '}${DECODER.decode(bytes.subarray(start, end)).trim()}`;
  }

  /** Moves the data to its own memory: the chunk it lies in is the caller's again after the push. */
  function keepData(): void {
    if (data === null || data === kept.bytes()) return;
    kept.clear();
    kept.add(data, dataStart, dataEnd);
    pointAtKept();
  }

  function pointAtKept(): void {
    data = kept.bytes();
    dataStart = 0;
    dataEnd = kept.length();
    if (dataEnd > MAX_EVENT_BYTES) isBroken = true;
  }

  function endEvent(): void {
    const bytes = data;
    const name = eventName;
    const said = comments;
    data = null;
    eventName = '';
    comments = '';
    if (isBroken) return;
    if (/error/i.test(name)) {
      handler.error(bytes === null ? said : DECODER.decode(bytes.subarray(dataStart, dataEnd)));
    } else if (bytes !== null) {
      handler.data(bytes, dataStart, dataEnd, name !== '' && name !== 'message');
    }
  }

  /** Behind the known events that stand at `from`, as many as there are. */
  function passKnown(bytes: Uint8Array, from: number, stop: number): number {
    let at = from;
    while (known !== null && startsWithData(bytes, at, stop)) {
      const end = blankLineEnd(bytes, known.endOf(bytes, at + PLAIN.length, stop), stop);
      if (end === -1) return at;
      known.found();
      at = end;
    }
    return at;
  }

  return {
    push(chunk, start = 0, stop = chunk.length) {
      let at = start;
      if (skipsLf && at < stop) {
        skipsLf = false;
        if (chunk[at] === LF) at++;
      }
      while (at < stop && !isBroken) {
        // Between events: after the first, for a byte order mark may stand before that.
        if (data === null && !isFirstLine && line.length() === 0 && eventName === '' && comments === '') {
          at = passKnown(chunk, at, stop);
          if (at === stop) break;
        }
        const end = findLineEnd(chunk, at, stop);
        const to = end === -1 ? stop : end;
        if (to - at + line.length() > MAX_EVENT_BYTES) isBroken = true;
        else if (end === -1) {
          keepData();
          line.add(chunk, at, to);
        } else if (line.length() === 0) readLine(chunk, at, to);
        else {
          line.add(chunk, at, to);
          readLine(line.bytes(), 0, line.length());
          // The data may still lie in the line's buffer; only the chunk's unfinished end writes there, after keepData.
          line.clear();
        }
        at = to + 1;
        if (end !== -1 && chunk[end] === CR) {
          if (at === stop) skipsLf = true;
          else if (chunk[at] === LF) at++;
        }
      }
      keepData();
      return !isBroken;
    },
    end() {
      if (isBroken) return;
      if (line.length() > 0) readLine(line.bytes(), 0, line.length());
      endEvent();
    },
  };
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

/** Bytes that grow; the memory is kept for the next use. */
function createByteBuffer() {
  let bytes = new Uint8Array(0);
  let length = 0;
  return {
    bytes: () => bytes,
    length: () => length,
    clear() {
      length = 0;
    },
    add(from: Uint8Array, start: number, end: number) {
      const needed = length + end - start;
      if (needed > bytes.length) {
        const grown = new Uint8Array(Math.max(needed, 2 * bytes.length, 512));
        grown.set(bytes.subarray(0, length));
        bytes = grown;
      }
      bytes.set(from.subarray(start, end), length);
      length = needed;
    },
  };
}
