import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KvbenchError } from '../../src/core/base/errors.js';
import type { RunData, RunInput } from '../../src/core/measure/run-input.js';
import { summarizeRun } from '../../src/core/measure/run-summary.js';
import { readRun } from '../../src/io/read-run.js';
import { CELL_COLUMNS } from '../../src/report/columns.js';
import { renderCsv } from '../../src/report/csv.js';
import { inEnglish } from '../support/english.js';
import { runOf } from '../support/runs.js';

const SMALL = { requests: 20, repeats: 2 };
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kvbench-read-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

function writeRun(data: RunData = runOf('kv', SMALL), requests?: string): string {
  const directory = join(folder, 'run');
  mkdirSync(directory);
  writeFileSync(join(directory, 'run.json'), JSON.stringify(data.run));
  const lines = data.records.map((record) => `${JSON.stringify(record)}\n`).join('');
  writeFileSync(join(directory, 'requests.jsonl'), requests ?? lines);
  return directory;
}

/** What had to be left out, in English. */
function notesOf(read: RunInput): string[] {
  return read.notes.map((note) => inEnglish(note));
}

function gridCsv(): string {
  const data = runOf('kv', SMALL);
  return renderCsv(CELL_COLUMNS, summarizeRun(data.run, data.records).cells);
}

async function refusal(path: string): Promise<string> {
  try {
    await readRun(path);
  } catch (error) {
    const { message, hint, exitCode } = error as KvbenchError;
    expect(exitCode).toBe(2);
    expect(message).not.toContain('\n');
    return `${message.replaceAll(folder, 'DIR')}; ${hint?.replaceAll(folder, 'DIR')}`;
  }
  throw new Error('it was read');
}

describe('readRun, of a run directory', () => {
  it('gives the run and every record', async () => {
    const data = runOf('kv', SMALL);
    const read = await readRun(writeRun(data));
    expect(read).toEqual({ ...data, source: join(folder, 'run') });
    expect(await readRun(join(folder, 'run', 'run.json'))).toMatchObject({ kind: 'run', run: data.run });
  });

  it('leaves out a last line cut short, and says so', async () => {
    const { records } = runOf('kv', SMALL);
    const lines = records.map((record) => JSON.stringify(record)).join('\n');
    const read = await readRun(writeRun(undefined, lines.slice(0, -40)));
    expect(read.kind === 'run' && read.records.length).toBe(records.length - 1);
    expect(notesOf(read)).toEqual(['requests.jsonl: its last line (80) is cut short, 1 record left out']);
  });

  it('leaves out lines within that are no records, and counts them', async () => {
    const { records } = runOf('kv', SMALL);
    const lines = records.map((record) => JSON.stringify(record));
    lines.splice(3, 0, '{"trial":"p2-c', '[]');
    const read = await readRun(writeRun(undefined, `${lines.join('\n')}\n`));
    expect(read.kind === 'run' && read.records.length).toBe(records.length);
    expect(notesOf(read)).toEqual(['requests.jsonl: 2 lines are not records (first: line 4), left out']);
  });

  it('reads what an interrupted run has, without the trial that never ended', async () => {
    const data = runOf('kv', SMALL);
    const ended = data.run.trials.slice(0, 3);
    const read = await readRun(writeRun({ ...data, run: { ...data.run, status: 'running', trials: ended } }));
    expect(read.kind === 'run' && read.records.length).toBe(60);
    expect(notesOf(read)).toEqual(['requests.jsonl: 20 records of trials that never ended, left out']);
  });

  it('falls back to grid.csv when the requests are gone', async () => {
    const directory = writeRun();
    rmSync(join(directory, 'requests.jsonl'));
    writeFileSync(join(directory, 'grid.csv'), gridCsv());
    const read = await readRun(directory);
    expect(read.kind).toBe('grid');
    expect(notesOf(read)).toEqual(['no requests.jsonl: only its grid.csv is read']);
  });

  it('refuses what is no run, in one line that says what to do', async () => {
    expect(await refusal(join(folder, 'none'))).toBe(
      'cannot read DIR/none: no such file or directory; undefined',
    );
    expect(await refusal(folder)).toBe(
      'DIR is an empty directory; give a directory that kvbench grid --out wrote, or a grid.csv',
    );
    writeRun();
    expect(await refusal(folder)).toBe(
      'DIR is no run directory: it has no run.json; did you mean one of the directories in it, such as DIR/run?',
    );
  });

  it('refuses a newer schema, and a run.json that is none', async () => {
    const directory = writeRun();
    const write = (content: string) => writeFileSync(join(directory, 'run.json'), content);
    write('{"schema":"kvbench/2"}');
    expect(await refusal(directory)).toBe(
      'DIR/run/run.json has schema kvbench/2, this kvbench reads kvbench/1; read it with the kvbench that wrote it, or a newer one',
    );
    write('{"schema":');
    expect(await refusal(directory)).toMatch(/^DIR\/run\/run.json is not JSON/);
    write('{"a":1}');
    expect(await refusal(directory)).toMatch(/it has no schema kvbench\/1/);
    write('{"schema":"kvbench/1"}');
    expect(await refusal(directory)).toMatch(/it has no scenario, workload, variants, provenance, trials/);
  });
});

describe('readRun, of a grid.csv', () => {
  it('reads every value back as it was written', async () => {
    const data = runOf('kv', SMALL);
    const path = join(folder, 'grid.csv');
    writeFileSync(path, gridCsv());
    const read = await readRun(path);
    const { cells } = summarizeRun(data.run, data.records);
    expect(read).toMatchObject({ kind: 'grid', notes: [] });
    expect(read.kind === 'grid' && read.cells.map((cell) => cell.values)).toEqual(
      cells.map((cell) => cell.values),
    );
    expect(read.kind === 'grid' && renderCsv(CELL_COLUMNS, read.cells)).toBe(gridCsv());
    expect(await readRun(folder)).toMatchObject({ kind: 'grid' });
  });

  it('takes columns in any order, and leaves out measures that are not there', async () => {
    const path = join(folder, 'table.csv');
    writeFileSync(
      path,
      '\uFEFFttft_p50_ms,rate,prefixes,variant,extra\r\n41.5,,2,"round, robin",x\r\n,20,7,kv,\r\n',
    );
    const wrong = await refusal(path);
    expect(wrong).toMatch(/table.csv:2: no prefixes, or neither concurrency nor rate/);
    writeFileSync(
      path,
      'ttft_p50_ms,rate,prefixes,variant,extra\r\n41.5,5,2,"round, robin",x\r\n,20,7,kv,\r\n',
    );
    const read = await readRun(path);
    expect(
      read.kind === 'grid' &&
        read.cells.map(({ variant, cell, values }) => [variant, cell.id, values.ttft_p50_ms]),
    ).toEqual([
      ['round, robin', 'p2-q5', 41.5],
      ['kv', 'p7-q20', null],
    ]);
    expect(notesOf(read)[0]).toMatch(/^no column request_hit_rate, .*findings: not compared$/);
  });

  it('refuses a file that is another table, empty, or holds text for a number', async () => {
    const path = join(folder, 'x.csv');
    writeFileSync(path, 'a,b\n1,2\n');
    expect(await refusal(path)).toMatch(/is no grid.csv: it has no column variant/);
    writeFileSync(path, 'variant,prefixes,concurrency,repeat\nkv,2,4,1\n');
    expect(await refusal(path)).toMatch(/holds trials, not cells/);
    writeFileSync(path, 'variant,prefixes,concurrency\n');
    expect(await refusal(path)).toMatch(/has a header but no rows/);
    writeFileSync(path, 'variant,prefixes,concurrency,ttft_p50_ms\nkv,2,4,fast\n');
    expect(await refusal(path)).toMatch(/x.csv:2: ttft_p50_ms is "fast", expected a number/);
  });
});
