import { type FileHandle, open } from 'node:fs/promises';
import type { RecordSink } from '../engine/ports.js';
import { unwritable } from './files.js';

/** A sink that appends one line per record. */
export interface RecordFile extends RecordSink {
  /**
   * Waits until everything written so far is in the file.
   *
   * @throws KvbenchError when a write failed (disk full): then and on every later call.
   */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** The longest that lines wait in memory: what a kill -9 can lose. */
const FLUSH_AFTER_MS = 100;

/**
 * Opens requests.jsonl for appending. Lines are written in batches, outside the request path: one write per line would
 * cost more than a small request does. `onFailure` is called once a write failed, when nothing more is written.
 */
export async function openRecordFile(path: string, onFailure: () => void): Promise<RecordFile> {
  const file: FileHandle = await open(path, 'a').catch((error: unknown) => {
    throw unwritable(path, error);
  });
  let waiting: string[] = [];
  let timer: NodeJS.Timeout | null = null;
  let writing: Promise<void> = Promise.resolve();
  let failure: Error | null = null;

  function drain(): Promise<void> {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (waiting.length > 0) {
      const batch = waiting.join('');
      waiting = [];
      writing = writing
        .then(async () => {
          if (failure === null) await append(batch);
        })
        .catch((error: unknown) => {
          failure = unwritable(path, error);
          onFailure();
        });
    }
    return writing;
  }

  /** In one go: `appendFile` writes half a megabyte in a turn of the loop, less than the simulator makes in one. */
  async function append(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at)).bytesWritten;
  }

  async function flush(): Promise<void> {
    await drain();
    if (failure !== null) throw failure;
  }

  return {
    write: (record) => {
      waiting.push(`${JSON.stringify(record)}\n`);
      timer ??= setTimeout(drain, FLUSH_AFTER_MS);
    },
    flush,
    close: async () => {
      try {
        await flush();
      } finally {
        await file.close();
      }
    },
  };
}
