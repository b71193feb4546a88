import type { Prompt } from '../core/workload/prompts.js';
import type { Segment } from './worker/kv-cache.js';

/** Turns prompts into segments of full cache blocks. */
export interface PromptSegments {
  /** The prompt's full blocks: those of its prefix, then those that hold any of its tail. */
  of(prompt: Prompt): Segment[];
}

/**
 * Equal prefix ids give equal keys, and so do equal (prefix, tail) pairs. The block that holds the prefix's end and the
 * tail's beginning belongs to the tail.
 */
export function createPromptSegments(blockSize: number): PromptSegments {
  const keys = new Map<string, number>();

  function keyOf(id: string): number {
    const known = keys.get(id);
    if (known !== undefined) return known;
    const key = keys.size;
    keys.set(id, key);
    return key;
  }

  return {
    of(prompt) {
      const prefixBlocks = Math.floor(prompt.prefixTokens / blockSize);
      const blocks = Math.floor((prompt.prefixTokens + prompt.tailTokens) / blockSize);
      const segments: Segment[] = [];
      if (prefixBlocks > 0) segments.push({ key: keyOf(prompt.prefixId), blocks: prefixBlocks });
      if (blocks > prefixBlocks) {
        segments.push({ key: keyOf(`${prompt.prefixId}\n${prompt.tailId}`), blocks: blocks - prefixBlocks });
      }
      return segments;
    },
  };
}
