import { describe, expect, it } from 'vitest';
import { parseMetricsPage } from '../../../../src/core/measure/servers/metrics-page.js';

function samplesOf(body: string) {
  const page = parseMetricsPage(body);
  return page.kind === 'page'
    ? page.samples.map(({ name, labels, value }) => [name, Object.fromEntries(labels), value])
    : page.why;
}

describe('parseMetricsPage', () => {
  it('reads names without colon and _total, labels and values', () => {
    expect(samplesOf('# TYPE vllm:a counter\nvllm:a_total{x="1",y="b"} 3.0\nplain 4\n')).toEqual([
      ['vllm_a', { x: '1', y: 'b' }, 3],
      ['plain', {}, 4],
    ]);
  });

  it('reads escapes, a brace and a comma within a label, and a comma at the end', () => {
    expect(samplesOf('a{x="q\\"b\\\\s\\nn},",} 1\n')).toEqual([['a', { x: 'q"b\\s\nn},' }, 1]]);
  });

  it('leaves timestamps and exemplars out', () => {
    expect(
      samplesOf('a 1 1700000000000\nb_total{x="1"} 2 # {trace="z"} 0.5 1700.1\nc 3 1700.5 # {} 1\n# EOF\n'),
    ).toEqual([
      ['a', {}, 1],
      ['b', { x: '1' }, 2],
      ['c', {}, 3],
    ]);
  });

  it('leaves NaN and the infinities out, and reads exponents', () => {
    expect(samplesOf('a NaN\nb +Inf\nc -Inf\nd 1.5e+06\n')).toEqual([['d', {}, 1_500_000]]);
  });

  it('leaves out a last line that was cut', () => {
    expect(samplesOf('a 12\nb 34')).toEqual([['a', {}, 12]]);
  });

  it('reads lines that end in CRLF', () => {
    expect(samplesOf('a 1\r\nb{x="y"} 2\r\n')).toEqual([
      ['a', {}, 1],
      ['b', { x: 'y' }, 2],
    ]);
  });

  it.each([
    ['', 'an empty body'],
    ['{"detail":"Not Found"}', 'no metrics page: {"detail":"Not Found"}'],
    ['<html>\n<body>\n', 'no metrics page: <html>'],
    ['a{x=1} 2\n', 'no metrics page: a{x=1} 2'],
    ['a{x="1} 2\n', 'no metrics page: a{x="1} 2'],
    ['a twelve\n', 'no metrics page: a twelve'],
    ['# HELP a nothing\n', 'a page without a number'],
  ])('says why %j is no page', (body, why) => {
    expect(samplesOf(body)).toBe(why);
  });
});
