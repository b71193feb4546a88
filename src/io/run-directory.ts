import { constants, copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { RunFile } from '../core/measure/run-file.js';
import { makeFolder, unwritable, writeAtomically } from './files.js';
import { openRecordFile, type RecordFile } from './record-file.js';

/** The files of one run (DESIGN.md, section 5), being written. */
export interface RunDirectory {
  readonly records: RecordFile;
  saveRun(run: RunFile): Promise<void>;
  /** Replaces a table: `trials.csv`, `grid.csv`, `tables.md`. */
  saveTable(name: string, content: string): Promise<void>;
}

const RECORDS = 'requests.jsonl';

/**
 * Opens a run directory: writes run.json first, then requests.jsonl with the records of an earlier part of the run that
 * are kept. A copy of the earlier file is put aside first: nothing that was measured is lost, whenever the process is killed.
 *
 * @throws KvbenchError (exit code 2) when it cannot be written.
 */
export async function openRunDirectory(
  path: string,
  run: RunFile,
  kept: readonly RequestRecord[],
  onWriteFailure: () => void,
): Promise<RunDirectory> {
  const save = (name: string, content: string) => writeAtomically(join(path, name), content);
  const content = await makeFolder(path);
  const saveRun = (file: RunFile) => save('run.json', `${JSON.stringify(file, null, 2)}\n`);
  await saveRun(run);
  if (content.includes(RECORDS)) {
    const parts = content.filter((name) => name.startsWith('requests.part')).length;
    const part = join(path, `requests.part${parts + 1}.jsonl`);
    try {
      await copyFile(join(path, RECORDS), part, constants.COPYFILE_FICLONE);
    } catch (error) {
      throw unwritable(part, error);
    }
    await save(RECORDS, kept.map((record) => `${JSON.stringify(record)}\n`).join(''));
  }
  return { records: await openRecordFile(join(path, RECORDS), onWriteFailure), saveRun, saveTable: save };
}
