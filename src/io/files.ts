import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { usageError } from '../core/base/errors.js';

/**
 * Replaces a file atomically: a reader or a crash finds the old content or the new, never part of it.
 *
 * @throws KvbenchError (exit code 2) when it cannot be written.
 */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const next = `${path}.next`;
  try {
    await writeFile(next, content);
    await rename(next, path);
  } catch (error) {
    // On a full disk the part that was written is in the way of what else must be.
    await rm(next, { force: true });
    throw unwritable(path, error);
  }
}

/**
 * Makes the folder if there is none and lists its content.
 *
 * @throws KvbenchError (exit code 2) when it cannot be made or is a file.
 */
export async function makeFolder(path: string): Promise<readonly string[]> {
  try {
    await mkdir(path, { recursive: true });
    return await readdir(path);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** The error for a path that cannot be written, in one line. */
export function unwritable(path: string, error: unknown): Error {
  const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
  const reasons: Readonly<Record<string, string>> = {
    EACCES: 'permission denied',
    EROFS: 'the file system is read-only',
    ENOSPC: 'the disk is full',
    EFBIG: 'the file would be larger than allowed (ulimit -f)',
    EMFILE: 'too many open files (ulimit -n)',
    ENOTDIR: 'a part of the path is a file',
    EEXIST: 'it is a file, not a folder',
    EDQUOT: 'the quota is used up',
  };
  return usageError(
    'unwritable-out',
    `cannot write to ${path}: ${reasons[code] ?? code}`,
    NO_ROOM.includes(code)
      ? 'make room, then continue the run with --resume'
      : `give --out a folder that can be written; ${join(dirname(path), 'NAME')} is made if it does not exist`,
  );
}

const NO_ROOM = ['ENOSPC', 'EDQUOT', 'EFBIG'];
