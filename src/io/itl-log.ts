import { readFile } from 'node:fs/promises';
import { lowestUsOf, type TimeCounts } from '../core/base/time-histogram.js';
import { writeAtomically } from './files.js';

/** The gaps between tokens of one trial. */
export interface ItlInterval {
  /** `variant/trial`; no commas or spaces. */
  readonly tag: string;
  /** ms since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly gaps: TimeCounts;
}

/** A histogram log, one interval for each trial. */
export interface ItlLog {
  /** Adds a trial and replaces the file. */
  add(interval: ItlInterval): Promise<void>;
}

/**
 * The log at `path`, in the format of HdrHistogram's HistogramLog (version 1.3), values in µs. An earlier log
 * is continued: its trials that `isKept` stay. Nothing is written before the first trial is added.
 */
export function createItlLog(path: string, isKept: (tag: string) => boolean): ItlLog {
  let lines: string[] | null = null;
  let startedMs = 0;

  async function begin(firstMs: number): Promise<string[]> {
    const earlier = await readFile(path, 'utf8').catch(() => '');
    startedMs = 1000 * Number(/^#\[StartTime: (\d+\.\d+)/m.exec(earlier)?.[1] ?? firstMs / 1000);
    return [
      '#[gaps between tokens in microseconds, one interval for each trial]',
      '#[Histogram log format version 1.3]',
      `#[StartTime: ${seconds(startedMs)} (seconds since epoch), ${new Date(startedMs).toISOString()}]`,
      '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"',
      ...earlier.split('\n').filter((line) => isKept(/^Tag=([^,]+),/.exec(line)?.[1] ?? '')),
    ];
  }

  return {
    async add({ tag, startMs, endMs, gaps }) {
      lines ??= await begin(startMs);
      const times = `${seconds(startMs - startedMs)},${seconds(endMs - startMs)},${seconds(gaps.maxUs)}`;
      lines.push(`Tag=${tag},${times},${await encode(gaps)}`);
      await writeAtomically(path, `${lines.join('\n')}\n`);
    },
  };
}

/** Loaded when a trial has ended: its half-megabyte of code would delay the first request. */
async function encode(gaps: TimeCounts): Promise<string> {
  const { build, encodeIntoCompressedBase64 } = await import('hdr-histogram-js');
  const histogram = build({
    highestTrackableValue: Math.max(2, gaps.maxUs),
    numberOfSignificantValueDigits: 3,
    useWebAssembly: false,
  });
  for (const [bucket, count] of gaps.buckets.entries()) {
    if (count > 0) histogram.recordValueWithCount(lowestUsOf(bucket), count);
  }
  return encodeIntoCompressedBase64(histogram);
}

/** Of milliseconds; of µs it gives milliseconds, which is how the log shows a maximum. */
function seconds(ms: number): string {
  return (ms / 1000).toFixed(3);
}
