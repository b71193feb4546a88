import type { OnReadOpts, Socket } from 'node:net';

/** Reads of one plain TCP socket, without the machinery of a stream: an allocation and a tick for each read. */
export interface DirectReads {
  /** Goes into the options of `net.connect`. */
  readonly onread: OnReadOpts;
  /** Once connected: from now on what is read is announced by `readable` and had from `read`, at once. */
  attach(socket: Socket): void;
}

/** All sockets read into this: what was read is consumed before the next read, or copied. */
const SHARED = Buffer.allocUnsafeSlow(1 << 16);

/**
 * `readBegins` is told of every read, before anything is parsed, and answers whether its bytes must outlive the reading:
 * a parser keeps parts of a head that came in pieces. What nobody takes at once goes the usual way of a stream, and so do
 * the end and errors.
 */
export function createDirectReads(readBegins: () => boolean): DirectReads {
  let socket: Socket | null = null;
  let early: Buffer[] = [];
  let waiting: Buffer | null = null;

  function take(bytes: Buffer, from: Socket): void {
    if (from.readableLength > 0) {
      from.push(Buffer.from(bytes));
      return;
    }
    waiting = bytes;
    from.emit('readable');
    if (waiting === null) return;
    waiting = null;
    from.push(Buffer.from(bytes));
  }

  return {
    onread: {
      buffer: SHARED,
      callback(length) {
        const bytes = SHARED.subarray(0, length);
        if (socket === null) early.push(Buffer.from(bytes));
        else take(readBegins() ? Buffer.from(bytes) : bytes, socket);
        return true;
      },
    },
    attach(connected) {
      socket = connected;
      const readStream = connected.read;
      connected.read = (size?: number): Buffer | null => {
        if (waiting === null) return readStream.call(connected, size) as Buffer | null;
        const bytes = waiting;
        waiting = null;
        return bytes;
      };
      for (const bytes of early) connected.push(bytes);
      early = [];
    },
  };
}
