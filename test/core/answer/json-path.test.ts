import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idAt, jsonTextAt } from '../../../src/core/answer/json-path.js';

const TEXT = ' { "a" : [ 1 , {"b\\"c": "x,}]"} , [] ] ,"d":{"a":18446744073709551615,"e":-1.5e3,"f":null}}\n';

describe('a value at a path', () => {
  it.each([
    ['a.0', '1'],
    ['a.1', '{"b\\"c": "x,}]"}'],
    ['a.1.b"c', '"x,}]"'],
    ['a.2', '[]'],
    ['d.a', '18446744073709551615'],
    ['d.e', '-1.5e3'],
    ['d.f', 'null'],
    ['d.g', null],
    ['a.3', null],
    ['a.2.0', null],
    ['a.0.b', null],
    ['e', null],
  ])('at %s is %s', (path, expected) => {
    expect(jsonTextAt(TEXT, path.split('.'))).toBe(expected);
  });

  it('is what a parser finds there, whatever the text', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        for (const [path, inner] of everyPath(value)) {
          expect(JSON.parse(jsonTextAt(text, path) ?? 'missing')).toEqual(JSON.parse(JSON.stringify(inner)));
        }
      }),
    );
  });

  it('is an id when it is text or a number', () => {
    const id = (path: string) => idAt('{"a":"w","b":18446744073709551615,"c":"","d":null,"e":[1]}', [path]);
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map(id)).toEqual([
      'w',
      '18446744073709551615',
      null,
      null,
      null,
      null,
    ]);
  });
});

function everyPath(value: unknown, path: readonly string[] = []): (readonly [readonly string[], unknown])[] {
  const inner = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return [[path, value], ...inner.flatMap(([key, member]) => everyPath(member, [...path, key]))];
}
