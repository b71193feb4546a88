import { describe, expect, it } from 'vitest';
import { WORDS } from '../../../src/core/workload/words.js';
import { buildTextBlocks } from '../../../src/sim/http/text-blocks.js';

const text = (content: string) => [{ role: null, text: content }];

describe('text as blocks', () => {
  it('counts one token for each built-in word', () => {
    const words = WORDS.slice(0, 40).join(' ');
    expect(buildTextBlocks(text(words), 16).tokens).toBe(40);
    expect(buildTextBlocks(text(` ${words}\n`), 16).tokens).toBe(40);
    expect(buildTextBlocks(text(words), 16).segments.length).toBe(2);
  });

  it('counts one token for each four characters begun of anything else', () => {
    expect(buildTextBlocks(text('Zq!'), 16).tokens).toBe(1);
    expect(buildTextBlocks(text('Zq!x9'), 16).tokens).toBe(2);
    expect(buildTextBlocks(text('  \n '), 16).tokens).toBe(0);
  });

  it('counts one token for the role of each message after the first', () => {
    const messages = ['user', 'assistant', 'user'].map((role) => ({ role, text: 'about after' }));
    expect(buildTextBlocks(messages, 16).tokens).toBe(8);
  });

  it('gives equal keys to equal beginnings only', () => {
    const shared = WORDS.slice(0, 32).join(' ');
    const a = buildTextBlocks(text(`${shared} ${WORDS.slice(40, 56).join(' ')}`), 16).segments;
    const b = buildTextBlocks(text(`${shared} ${WORDS.slice(60, 76).join(' ')}`), 16).segments;
    expect(a.slice(0, 2)).toEqual(b.slice(0, 2));
    expect(a[2]?.key === b[2]?.key).toBe(false);
    // The same words later in a text are another block.
    const later = buildTextBlocks(text(`${WORDS.slice(40, 56).join(' ')} ${shared}`), 16).segments;
    expect(later.map(({ key }) => key).filter((key) => a.some((segment) => segment.key === key))).toEqual([]);
    expect(buildTextBlocks([{ role: 'system', text: shared }], 16).segments[0]?.key === a[0]?.key).toBe(
      false,
    );
  });

  it('gives 100,000 different blocks as many different keys', () => {
    const keys = new Set<number>();
    for (let i = 0; i < 100_000; i++) {
      for (const { key } of buildTextBlocks(text(`w${i}`), 1).segments) keys.add(key);
    }
    // "w99999" is two tokens, and "w9999" begins four-digit ones: count the distinct prefixes.
    const names = new Set<string>();
    for (let i = 0; i < 100_000; i++) {
      const name = `w${i}`;
      for (let at = 4; at - 4 < name.length; at += 4) names.add(name.slice(0, at));
    }
    expect(keys.size).toBe(names.size);
  });
});
