import type { Prompt } from '../core/workload/prompts.js';
import type { Segment } from './worker/kv-cache.js';

/** Turns prompts into segments of full cache blocks. */
export interface PromptSegments {
  /** The prompt's full blocks: those of its shared parts, then those that hold any of its tail. */
  of(prompt: Prompt): Segment[];
}

/**
 * Equal ids from the prompt's start on give equal keys. The block that holds the end of one part and the beginning of the
 * next belongs to the next.
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
    of({ shared, tail }) {
      const segments: Segment[] = [];
      let path = '';
      let tokens = 0;
      let blocksBefore = 0;
      for (const part of [...shared, tail]) {
        path = path === '' ? part.id : `${path}\n${part.id}`;
        tokens += part.tokens;
        const blocks = Math.floor(tokens / blockSize) - blocksBefore;
        if (blocks > 0) segments.push({ key: keyOf(path), blocks });
        blocksBefore += blocks;
      }
      return segments;
    },
  };
}
