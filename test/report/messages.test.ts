import { describe, expect, it } from 'vitest';
import { COMPARISON_FINDINGS } from '../../src/core/compare/comparison-finding-codes.js';
import { REASONS } from '../../src/core/compare/reasons.js';
import { FINDINGS } from '../../src/core/measure/finding-codes.js';
import { MEASURES } from '../../src/core/measure/measures.js';
import { RECORD_FIELDS } from '../../src/core/scenario/experiment-fields.js';
import { EN } from '../../src/report/messages/en.js';
import { KO } from '../../src/report/messages/ko.js';
import { LANGUAGES, wordsOf } from '../../src/report/messages/languages.js';

/** Every key of a dictionary with what it holds, `a.b.c`. */
function leaves(node: unknown, path = ''): [string, unknown][] {
  if (typeof node !== 'object' || node === null) return [[path, node]];
  return Object.entries(node).flatMap(([key, value]) => leaves(value, path === '' ? key : `${path}.${key}`));
}

/** The same in both languages: names that Korean texts use as they are. */
const SHARED =
  /^axis\.ttft$|^measures\.(ttft|tpot|e2e)_|^provenance\.(dialect|kvbench|git)$|^record\.fields\.(gpu|nic)$/;

describe('dictionaries', () => {
  it('hold the same keys, each a text or a function in all of them', () => {
    const english = leaves(EN).map(([path, value]) => `${path}: ${typeof value}`);
    for (const language of LANGUAGES) {
      const own = leaves(wordsOf(language)).map(([path, value]) => `${path}: ${typeof value}`);
      expect(own.sort(), language).toEqual([...english].sort());
    }
  });

  it('name every measure, finding and field of the record', () => {
    for (const words of [EN, KO]) {
      expect(Object.keys(words.measures).sort()).toEqual(MEASURES.map(({ key }) => key).sort());
      expect(Object.keys(words.findings.codes).sort()).toEqual(
        Object.keys({ ...FINDINGS, ...COMPARISON_FINDINGS }).sort(),
      );
      expect(Object.keys(words.reasons).sort()).toEqual([...REASONS].sort());
      expect(Object.keys(words.record.fields).sort()).toEqual(RECORD_FIELDS.map(({ key }) => key).sort());
    }
  });

  it('leave no text empty and no Korean text in English', () => {
    const english = new Map(leaves(EN));
    for (const [path, value] of leaves(KO)) {
      expect(value, path).not.toBe('');
      if (typeof value !== 'string' || SHARED.test(path)) continue;
      expect(value, path).toMatch(/[가-힣]/);
      expect(value, path).not.toBe(english.get(path));
    }
  });
});
