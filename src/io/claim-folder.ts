import { mkdir, readdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { KvbenchError, usageError } from '../core/base/errors.js';
import { unwritable } from './files.js';

/** A run directory that no other command writes to meanwhile. */
export interface FolderClaim {
  /** Lets others in again, and removes the folder if it was made for this claim and is still empty. */
  release(): Promise<void>;
}

const LOCK = 'run.lock';

/**
 * Claims `path` for this process, making the folder if there is none. A claim that a dead process left behind does not
 * count. `isNew` asks for an empty folder.
 *
 * @throws KvbenchError (exit code 2) when another process holds it, when it is not empty, or when it cannot be made.
 */
export async function claimFolder(path: string, isNew: boolean): Promise<FolderClaim> {
  const lock = join(path, LOCK);
  let made: string | undefined;
  try {
    made = await mkdir(path, { recursive: true });
    await takeLock(path, lock);
  } catch (error) {
    throw error instanceof KvbenchError ? error : unwritable(path, error);
  }
  const claim: FolderClaim = {
    release: async () => {
      await rm(lock, { force: true });
      if (made !== undefined) await rmdir(path).catch(() => {});
    },
  };
  const content = (await readdir(path)).filter((name) => name !== LOCK);
  if (!isNew || content.length === 0) return claim;
  await claim.release();
  throw notEmpty(path, content);
}

async function takeLock(path: string, lock: string): Promise<void> {
  const write = () => writeFile(lock, `${process.pid} ${hostname()}\n`, { flag: 'wx' });
  try {
    return await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const [pid = '', host = ''] = (await readFile(lock, 'utf8').catch(() => '')).trim().split(' ');
  if (isHeld(Number(pid), host)) {
    throw usageError(
      'out-in-use',
      `${path} is being written to by another kvbench (process ${pid} on ${host})`,
      `wait for it, or give another --out; if it no longer runs, delete ${lock}`,
    );
  }
  await rm(lock, { force: true });
  await write();
}

/** Whether the process that wrote a lock may still run. Of another host nothing is known, so it may. */
function isHeld(pid: number, host: string): boolean {
  if (host !== hostname()) return host !== '';
  if (pid === process.pid) return false;
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function notEmpty(path: string, content: readonly string[]): Error {
  return usageError(
    'out-not-empty',
    `${path} is not empty (${content.slice(0, 3).join(', ')}${content.length > 3 ? ', …' : ''})`,
    content.includes('run.json')
      ? 'it holds a run: give another --out, or --resume to continue it'
      : 'give --out a new folder',
  );
}
