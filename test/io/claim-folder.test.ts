import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { claimFolder } from '../../src/io/claim-folder.js';
import { temporaryFolder } from '../support/cli.js';

const lockOf = (folder: string, pid: number) =>
  writeFileSync(join(folder, 'run.lock'), `${pid} ${hostname()}\n`);

describe('claimFolder', () => {
  it('makes the folder, holds it, and leaves nothing when nothing was written', async () => {
    const path = join(temporaryFolder(), 'run');
    const claim = await claimFolder(path, true);
    expect(readdirSync(path)).toEqual(['run.lock']);
    await claim.release();
    expect(existsSync(path)).toBe(false);
  });

  it('keeps what was written, and an empty folder that was there before', async () => {
    const path = join(temporaryFolder(), 'run');
    const claim = await claimFolder(path, true);
    writeFileSync(join(path, 'run.json'), '{}');
    await claim.release();
    expect(readdirSync(path)).toEqual(['run.json']);
    const before = join(temporaryFolder(), 'before');
    mkdirSync(before);
    await (await claimFolder(before, true)).release();
    expect(readdirSync(before)).toEqual([]);
  });

  it('refuses a folder that a running process holds, new or resumed', async () => {
    const path = temporaryFolder();
    lockOf(path, process.ppid);
    for (const isNew of [true, false]) {
      await expect(claimFolder(path, isNew)).rejects.toThrow(
        `${path} is being written to by another kvbench (process ${process.ppid} on ${hostname()})`,
      );
    }
  });

  it('takes over from a process that is dead', async () => {
    const path = temporaryFolder();
    // Beyond what a pid can be.
    lockOf(path, 99_999_999);
    const claim = await claimFolder(path, true);
    await claim.release();
    expect(readdirSync(path)).toEqual([]);
  });

  it('refuses a new run in a folder with content, and lets a resumed one in', async () => {
    const path = temporaryFolder();
    writeFileSync(join(path, 'run.json'), '{}');
    await expect(claimFolder(path, true)).rejects.toThrow(`${path} is not empty (run.json)`);
    expect(readdirSync(path)).toEqual(['run.json']);
    await (await claimFolder(path, false)).release();
    expect(readdirSync(path)).toEqual(['run.json']);
  });
});
