import { mkdir, open, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { usageError } from '../core/base/errors.js';

/** Replaces a file atomically: a reader or a crash finds the old content or the new, never part of it. */
export async function writeAtomically(path: string, content: string): Promise<void> {
  const next = `${path}.next`;
  const file = await open(next, 'w');
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
  await rename(next, path);
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
    ENOTDIR: 'a part of the path is a file',
    EEXIST: 'it is a file, not a folder',
    EDQUOT: 'the quota is used up',
  };
  return usageError(
    'unwritable-out',
    `cannot write to ${path}: ${reasons[code] ?? code}`,
    `give --out a folder that can be written; ${join(dirname(path), 'NAME')} is made if it does not exist`,
  );
}
