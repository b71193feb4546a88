import { describe, expect, it } from 'vitest';
import { createTextBody } from '../../../src/core/answer/text-body.js';

describe('a body read as one text', () => {
  it('keeps what was pushed, although the memory is used again', () => {
    const body = createTextBody(100);
    const shared = Buffer.from('abc');
    body.push(shared);
    shared.write('xyz');
    body.push(shared.subarray(0, 2));
    shared.write('---');
    expect(body.text()).toBe('abcxy');
  });

  it('joins a character cut in two, and takes nothing beyond its limit', () => {
    const body = createTextBody(3);
    const letter = new TextEncoder().encode('é!');
    expect([body.push(letter.subarray(0, 1)), body.push(letter.subarray(1))]).toEqual([true, true]);
    expect(body.push(letter)).toBe(false);
    expect(body.text()).toBe('é!');
  });
});
