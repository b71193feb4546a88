/** Four bytes at a time: what a stream spends most of its time on is looking at every byte of it. */

const LINE_FEEDS = 0x0a0a0a0a;
const CARRIAGE_RETURNS = 0x0d0d0d0d;
const LOW_BITS = 0x01010101;
const HIGH_BITS = 0x80808080;
const LF = 0x0a;
const CR = 0x0d;

let viewed: Uint8Array | null = null;
let view: DataView = new DataView(new ArrayBuffer(0));

/** The view of `bytes`, kept for the next call: sockets read into one buffer over and over. */
function viewOf(bytes: Uint8Array): DataView {
  if (bytes !== viewed) {
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    viewed = bytes;
  }
  return view;
}

/** The first LF or CR of `bytes` between `from` and `to`; -1 when there is none. */
export function findLineEnd(bytes: Uint8Array, from: number, to: number): number {
  const words = viewOf(bytes);
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = words.getInt32(at, true);
    const lf = word ^ LINE_FEEDS;
    const cr = word ^ CARRIAGE_RETURNS;
    // Nonzero when one of the four bytes is zero: subtracting 1 from it borrows into its high bit.
    if ((((lf - LOW_BITS) & ~lf) | ((cr - LOW_BITS) & ~cr)) & HIGH_BITS) break;
  }
  for (; at < to; at++) {
    const byte = bytes[at];
    if (byte === LF || byte === CR) return at;
  }
  return -1;
}

/** Bytes to be looked for, in words. */
export interface BytePattern {
  readonly length: number;
  readonly words: Int32Array;
  /** The up to three bytes behind the last whole word. */
  readonly rest: Uint8Array;
}

/** A pattern of its own memory. */
export function createBytePattern(bytes: Uint8Array): BytePattern {
  const words = new Int32Array(bytes.length >> 2);
  const from = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < words.length; i++) words[i] = from.getInt32(4 * i, true);
  return { length: bytes.length, words, rest: new Uint8Array(bytes.subarray(4 * words.length)) };
}

/** Whether the pattern stands at `at`; it must lie within `bytes`. */
export function hasPatternAt(bytes: Uint8Array, at: number, { words, rest }: BytePattern): boolean {
  const own = viewOf(bytes);
  let next = at;
  for (let i = 0; i < words.length; i++, next += 4) {
    if (own.getInt32(next, true) !== words[i]) return false;
  }
  for (let i = 0; i < rest.length; i++, next++) if (bytes[next] !== rest[i]) return false;
  return true;
}
