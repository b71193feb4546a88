import { join } from 'node:path';
import { usageError } from '../core/errors.js';
import type { RunFile } from '../core/run-file.js';
import { makeFolder, unwritable, writeAtomically } from './files.js';
import { openRecordFile, type RecordFile } from './record-file.js';

/** The files of one run (DESIGN.md, section 5), being written. */
export interface RunDirectory {
  readonly path: string;
  readonly records: RecordFile;
  saveRun(run: RunFile): Promise<void>;
  /** Replaces a table: `trials.csv`, `grid.csv`, `tables.md`. */
  saveTable(name: string, content: string): Promise<void>;
}

/**
 * Starts a run directory: run.json first, then an empty requests.jsonl.
 *
 * @throws KvbenchError (exit code 2) when the folder is not empty or cannot be written.
 */
export async function createRunDirectory(path: string, run: RunFile): Promise<RunDirectory> {
  const content = await makeFolder(path);
  if (content.length > 0) {
    throw usageError(
      'out-not-empty',
      `${path} is not empty (${content.slice(0, 3).join(', ')}${content.length > 3 ? ', …' : ''})`,
      content.includes('run.json')
        ? 'it holds a run: give another --out, or --resume to go on with it'
        : 'give --out a new folder',
    );
  }
  return openRunDirectory(path, run);
}

/** Opens a directory whose run.json may exist already, and writes it. */
export async function openRunDirectory(path: string, run: RunFile): Promise<RunDirectory> {
  async function save(name: string, content: string): Promise<void> {
    try {
      await writeAtomically(join(path, name), content);
    } catch (error) {
      throw unwritable(join(path, name), error);
    }
  }
  const saveRun = (file: RunFile) => save('run.json', `${JSON.stringify(file, null, 2)}\n`);
  await saveRun(run);
  return { path, records: await openRecordFile(join(path, 'requests.jsonl')), saveRun, saveTable: save };
}
