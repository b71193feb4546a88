import { describe, expect, it } from 'vitest';
import { parseCsvRows } from '../../../src/core/base/csv-rows.js';

describe('parseCsvRows', () => {
  it('splits rows and cells, with either line end and without a last one', () => {
    expect(parseCsvRows('a,b\r\n1,\n,2')).toEqual([
      ['a', 'b'],
      ['1', ''],
      ['', '2'],
    ]);
  });

  it('keeps commas, quotes and line ends within quotes', () => {
    expect(parseCsvRows('"a,b","say ""yes""","two\nlines"\n')).toEqual([['a,b', 'say "yes"', 'two\nlines']]);
  });

  it('passes over a byte order mark and empty lines', () => {
    expect(parseCsvRows('\uFEFFa\n\n\nb\n')).toEqual([['a'], ['b']]);
    expect(parseCsvRows('')).toEqual([]);
  });
});
