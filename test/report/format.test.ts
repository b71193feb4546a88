import { describe, expect, it } from 'vitest';
import { MEASURES, type MeasureKey } from '../../src/core/measure/measures.js';
import {
  formatCount,
  formatMs,
  formatPercent,
  formatSigned,
  formatValue,
  valueStyle,
} from '../../src/report/format.js';

function shown(key: MeasureKey, value: number): string {
  const measure = MEASURES.find((candidate) => candidate.key === key);
  if (measure === undefined) throw new Error(key);
  return `${formatValue(measure, value)} ${valueStyle(measure).unit}`.trim();
}

describe('formatValue', () => {
  it('shows each kind of measure with the digits of the published tables', () => {
    expect(shown('request_hit_rate', 0.95)).toBe('95.0 %');
    expect(shown('cached_token_ratio', 0.8571)).toBe('0.857');
    expect(shown('ttft_p50_ms', 34.16)).toBe('34.2 ms');
    expect(shown('ttft_p99_ms', 1352.6)).toBe('1353 ms');
    expect(shown('throughput_rps', 21.08)).toBe('21.1 req/s');
    expect(shown('output_tokens_per_s', 1349.4)).toBe('1349 tokens/s');
    expect(shown('workers_per_prefix', 2.857143)).toBe('2.86 workers');
    expect(shown('workers_seen', 6)).toBe('6 workers');
    expect(shown('duration_s', 12.34)).toBe('12.3 s');
  });

  it('drops the decimal of milliseconds where it would round to three digits', () => {
    expect(formatMs(99.94)).toBe('99.9');
    expect(formatMs(99.96)).toBe('100');
  });
});

describe('formatSigned', () => {
  it('gives every change a sign, and a change that rounds to nothing none', () => {
    expect(formatSigned(2.46)).toBe('+2.5');
    expect(formatSigned(-0.31)).toBe('-0.3');
    expect(formatSigned(-0.04)).toBe('0.0');
    expect(formatSigned(0)).toBe('0.0');
  });
});

describe('formatPercent and formatCount', () => {
  it('read as in a sentence', () => {
    expect(formatPercent(0.9833)).toBe('98.3 %');
    expect(formatCount(25920)).toBe('25,920');
  });
});
