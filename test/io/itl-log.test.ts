import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HistogramLogReader } from 'hdr-histogram-js';
import { describe, expect, it } from 'vitest';
import { createTimeHistogram, type TimeCounts } from '../../src/core/base/time-histogram.js';
import { createItlLog } from '../../src/io/itl-log.js';
import { temporaryFolder } from '../support/cli.js';

const EPOCH_MS = 1_700_000_000_000;

function gapsOf(...ms: number[]): TimeCounts {
  const histogram = createTimeHistogram();
  for (const one of ms) histogram.add(one);
  return histogram.counts();
}

/** The intervals as a reader of the standard format sees them. */
function readLog(path: string) {
  const reader = new HistogramLogReader(readFileSync(path, 'utf8'));
  const seen: (readonly [string, number, number, number, number])[] = [];
  for (let one = reader.nextIntervalHistogram(); one !== null; one = reader.nextIntervalHistogram()) {
    const { tag, totalCount } = one;
    seen.push([tag, totalCount, one.getValueAtPercentile(50), one.maxValue, one.startTimeStampMsec]);
  }
  return seen;
}

describe('itl.hlog', () => {
  it('is read by HdrHistogram, one interval for each trial', async () => {
    const path = join(temporaryFolder(), 'itl.hlog');
    const log = createItlLog(path, () => false);
    const trial = { startMs: EPOCH_MS, endMs: EPOCH_MS + 1500 };
    await log.add({ ...trial, tag: 'kv/p2-c4-r1', gaps: gapsOf(10, 10.001, 0, 20) });
    await log.add({ ...trial, startMs: EPOCH_MS + 500, tag: 'kv/p2-c4-r2', gaps: gapsOf() });
    expect(readLog(path)).toEqual([
      // 20,000 µs lie in a bucket 16 µs wide.
      ['kv/p2-c4-r1', 4, 10_007, 20_015, EPOCH_MS],
      ['kv/p2-c4-r2', 0, 0, 0, EPOCH_MS + 500],
    ]);
    const lines = readFileSync(path, 'utf8').split('\n');
    expect(lines[1]).toBe('#[Histogram log format version 1.3]');
    expect(lines[4]).toMatch(/^Tag=kv\/p2-c4-r1,0\.000,1\.500,20\.000,HISTFAAAA/);
  });

  it('goes on with an earlier part of the run, without the trials that run again', async () => {
    const path = join(temporaryFolder(), 'itl.hlog');
    const add = (log: ReturnType<typeof createItlLog>, tag: string, atS: number) =>
      log.add({
        tag,
        startMs: EPOCH_MS + 1000 * atS,
        endMs: EPOCH_MS + 1000 * (atS + 1),
        gaps: gapsOf(1),
      });
    const first = createItlLog(path, () => false);
    await add(first, 'kv/whole', 0);
    await add(first, 'kv/stopped', 1);
    await add(
      createItlLog(path, (tag) => tag === 'kv/whole'),
      'kv/stopped',
      10,
    );
    expect(readLog(path).map(([tag, , , , startMs]) => [tag, (startMs - EPOCH_MS) / 1000])).toEqual([
      ['kv/whole', 0],
      ['kv/stopped', 10],
    ]);
  });
});
