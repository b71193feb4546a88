import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OUTCOMES, type RequestRecord } from '../../src/core/answer/request-record.js';
import { parseCsvRows } from '../../src/core/base/csv-rows.js';
import { readRun } from '../../src/io/read-run.js';
import { openRecordFile } from '../../src/io/record-file.js';
import { renderCsv } from '../../src/report/csv.js';
import { recordOf } from '../support/records.js';
import { runOf } from '../support/runs.js';
import { check } from './arbitraries.js';

describe('CSV', () => {
  it('is read back as it was written', () => {
    // A cell that a spreadsheet would take for a formula may be written otherwise.
    const text = fc.string({ unit: 'binary', maxLength: 8 }).filter((cell) => !/^[=+\-@\t\r]/.test(cell));
    const cell = fc.oneof(
      text,
      fc
        .array(fc.constantFrom('"', ',', '\n', '\r', '\r\n', ';', ' ', 'a', '\ufeff'), { maxLength: 6 })
        .map((parts) => `x${parts.join('')}`),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.constant(null),
    );
    const tables = fc.integer({ min: 2, max: 5 }).chain((width) =>
      fc.record({
        names: fc.array(text, { minLength: width, maxLength: width }),
        rows: fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
      }),
    );
    return check(
      fc.property(tables, ({ names, rows }) => {
        const columns = names.map((name, i) => ({
          name,
          value: (row: readonly (string | number | null)[]) => row[i] ?? null,
        }));
        const expected = [
          names,
          ...rows.map((row) => row.map((value) => (value === null ? '' : String(value)))),
        ];
        expect(parseCsvRows(renderCsv(columns, rows))).toEqual(expected);
      }),
    );
  });
});

const RUN = runOf('kv', { prefixes: [2], repeats: 1, requests: 100 });
const nasty = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('\u2028', '\ud83d', '\r\n', '{"trial":', '}\n{', '\0', '\ufeff'),
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const ms = fc.integer({ min: 0, max: 1e9 }).map((us) => us / 1000);
const records: fc.Arbitrary<RequestRecord> = fc
  .record({
    seq: fc.nat(99),
    outcome: fc.constantFrom(...OUTCOMES),
    status: maybe(fc.integer({ min: 100, max: 999 })),
    error: maybe(fc.record({ code: nasty, message: nasty })),
    sent_ms: maybe(ms),
    ttft_ms: maybe(ms),
    cached_tokens: maybe(fc.nat()),
    worker: maybe(nasty),
    finish_reason: maybe(nasty),
    request_id: maybe(nasty),
  })
  .map((over) => recordOf({ trial: RUN.run.trials[0]?.id ?? '', ...over }));

/** Writes `written` as a run does, cuts the file to `share` of its bytes, and reads it. */
async function writeAndRead(written: readonly RequestRecord[], share: number) {
  const folder = mkdtempSync(join(tmpdir(), 'kvbench-property-'));
  try {
    const path = join(folder, 'requests.jsonl');
    const file = await openRecordFile(path, () => {});
    for (const record of written) file.write(record);
    await file.close();
    const ends: number[] = [];
    for (const record of written) {
      const line = Buffer.byteLength(JSON.stringify(record));
      ends.push((ends.at(-1) ?? -1) + 1 + line);
    }
    const size = Math.floor(share * ((ends.at(-1) ?? -1) + 1));
    truncateSync(path, size);
    writeFileSync(join(folder, 'run.json'), JSON.stringify(RUN.run));
    const run = await readRun(folder);
    const whole = written.filter((_, i) => (ends[i] as number) <= size);
    return { read: run.kind === 'run' ? run.records : [], notes: run.notes.map(({ key }) => key), whole };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe('requests.jsonl', () => {
  it('is read back as it was written, whatever a server says', () =>
    check(
      fc.asyncProperty(fc.array(records, { maxLength: 10 }), async (written) => {
        const { read, notes } = await writeAndRead(written, 1);
        expect({ read, notes }).toEqual({ read: written, notes: [] });
      }),
      100,
    ));

  it('cut at any byte, gives every line that is whole, and nothing else', () =>
    check(
      fc.asyncProperty(
        fc.array(records, { minLength: 1, maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (written, share) => {
          const { read, whole } = await writeAndRead(written, share);
          expect(read).toEqual(whole);
        },
      ),
      200,
    ));
});
