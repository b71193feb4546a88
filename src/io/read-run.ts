import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RequestRecord } from '../core/answer/request-record.js';
import { usageError } from '../core/base/errors.js';
import type { Evidence } from '../core/base/evidence.js';
import { parseGridTable } from '../core/measure/grid-table.js';
import { type RunFile, SCHEMA, trialKey } from '../core/measure/run-file.js';
import type { RunInput } from '../core/measure/run-input.js';
import { trialEvidence } from '../core/measure/trial-evidence.js';

/**
 * Reads a run directory, or a grid.csv by itself (given as a file, or alone in a directory). What can be read is read:
 * a last line cut short and the records of trials that never ended are left out, as `notes` says.
 *
 * @throws KvbenchError (exit code 2), one line, when it is neither, or was written by a newer kvbench.
 */
export async function readRun(path: string): Promise<RunInput> {
  const kind = await kindOf(path);
  if (kind === 'file' && basename(path) !== 'run.json') {
    return parseGridTable(await readFile(path, 'utf8'), path);
  }
  const directory = kind === 'file' ? join(path, '..') : path;
  const files = await readdir(directory);
  if (files.includes('run.json') && (files.includes('requests.jsonl') || !files.includes('grid.csv'))) {
    return readRunDirectory(path, directory, files);
  }
  if (files.includes('grid.csv')) {
    const table = parseGridTable(await readFile(join(directory, 'grid.csv'), 'utf8'), path);
    const lost = files.includes('run.json') ? 'requests.jsonl' : 'run.json';
    return { ...table, notes: [trialEvidence('grid-without', { file: lost }), ...table.notes] };
  }
  throw noRun(path, directory, files);
}

async function readRunDirectory(
  source: string,
  directory: string,
  files: readonly string[],
): Promise<RunInput> {
  const run = parseRunFile(await readFile(join(directory, 'run.json'), 'utf8'), join(directory, 'run.json'));
  const { records, notes } = files.includes('requests.jsonl')
    ? await readRecords(join(directory, 'requests.jsonl'))
    : { records: [], notes: [trialEvidence('no-requests-file', null)] };
  const ended = new Set(run.trials.map(trialKey));
  const kept = records.filter(({ variant, trial }) => ended.has(trialKey({ variant, id: trial })));
  if (kept.length < records.length) {
    notes.push(trialEvidence('records-unended', { records: records.length - kept.length }));
  }
  return { kind: 'run', source, run, records: kept, notes };
}

/**
 * Reads the text of a run.json.
 *
 * @throws KvbenchError (exit code 2) when it is none, or of a schema that this version does not know.
 */
export function parseRunFile(text: string, source: string): RunFile {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    throw usageError('bad-run-json', `${source} is not JSON`, 'was it cut short, or edited by hand?');
  }
  const file = (typeof content === 'object' && content !== null ? content : {}) as Partial<RunFile>;
  const schema: unknown = file.schema;
  if (typeof schema === 'string' && /^kvbench\/\d+$/.test(schema) && schema !== SCHEMA) {
    throw usageError(
      'newer-schema',
      `${source} has schema ${schema}, this kvbench reads ${SCHEMA}`,
      'read it with the kvbench that wrote it, or a newer one',
    );
  }
  const missing = (['scenario', 'workload', 'variants', 'provenance', 'trials'] as const).filter(
    (key) => typeof file[key] !== 'object' || file[key] === null,
  );
  const damaged = missing.length > 0 ? [] : damagedParts(file);
  if (schema !== SCHEMA || missing.length > 0 || damaged.length > 0) {
    const lacks =
      missing.length > 0 ? `it has no ${missing.join(', ')}` : `its ${damaged.join(', ')} is damaged`;
    const what = schema === SCHEMA ? lacks : 'it has no schema kvbench/1';
    throw usageError('bad-run-json', `${source} is not a kvbench run.json: ${what}`);
  }
  return { record: null, ...file } as RunFile;
}

/** Parts of a run.json that are there but not as this version writes them. */
function damagedParts(file: Partial<RunFile>): string[] {
  const { scenario, variants, provenance, trials } = file;
  const lists = [scenario?.prefixes, scenario?.concurrency, scenario?.rate];
  const numbers = [scenario?.requests, scenario?.repeats, scenario?.prefixTokens, scenario?.tailTokens];
  const good = {
    scenario: lists.every(Array.isArray) && numbers.every((value) => Number.isSafeInteger(value)),
    variants: Array.isArray(variants) && variants.every((variant) => typeof variant?.target === 'object'),
    provenance: typeof provenance?.kvbench === 'string' && Array.isArray(provenance.argv),
    trials: Array.isArray(trials) && trials.every((trial) => typeof trial?.id === 'string'),
  };
  return Object.entries(good).flatMap(([part, isGood]) => (isGood ? [] : part));
}

async function readRecords(path: string): Promise<{ records: RequestRecord[]; notes: Evidence[] }> {
  const records: RequestRecord[] = [];
  const broken: number[] = [];
  let line = 0;
  const rest = await eachLine(path, (text) => {
    line++;
    if (text.trim() === '') return;
    const record = parseRecord(text);
    if (record === null) broken.push(line);
    else records.push(record);
  });
  const cut = rest !== '' && broken.at(-1) === line;
  const within = cut ? broken.slice(0, -1) : broken;
  return {
    records,
    notes: [
      ...(cut ? [trialEvidence('last-line-cut', { line })] : []),
      ...(within[0] === undefined
        ? []
        : [trialEvidence('lines-broken', { lines: within.length, first: within[0] })]),
    ],
  };
}

/** Streams the lines: a long run does not fit one string. Gives what stood after the last line end, which was a line too. */
async function eachLine(path: string, take: (text: string) => void): Promise<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1 << 20 })) {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const text of lines) take(text);
  }
  if (rest !== '') take(rest);
  return rest;
}

function parseRecord(text: string): RequestRecord | null {
  try {
    const record = JSON.parse(text) as Partial<RequestRecord> | null;
    const whole =
      typeof record?.trial === 'string' &&
      typeof record.variant === 'string' &&
      typeof record.seq === 'number';
    return whole ? (record as RequestRecord) : null;
  } catch {
    return null;
  }
}

async function kindOf(path: string): Promise<'file' | 'directory'> {
  try {
    return (await stat(path)).isDirectory() ? 'directory' : 'file';
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    throw usageError(
      'no-run',
      `cannot read ${path}: ${code === 'ENOENT' ? 'no such file or directory' : code}`,
    );
  }
}

function noRun(path: string, directory: string, files: readonly string[]): Error {
  const what = files.length === 0 ? 'is an empty directory' : 'is no run directory: it has no run.json';
  const example = files.find((name) => !name.includes('.'));
  return usageError(
    'no-run',
    `${path} ${what}`,
    example === undefined
      ? 'give a directory that kvbench grid --out wrote, or a grid.csv'
      : `did you mean one of the directories in it, such as ${join(directory, example)}?`,
  );
}
