/** A body that is read as one text. */
export interface TextBody {
  /** Copies the bytes, of `chunk` from `start` to `end`. False, and nothing kept of them, when they would go beyond the limit. */
  push(chunk: Uint8Array, start?: number, end?: number): boolean;
  /** What was kept, as UTF-8; bytes that are none become U+FFFD. */
  text(): string;
}

/** Collects at most `limitBytes`. */
export function createTextBody(limitBytes: number): TextBody {
  const parts: Uint8Array[] = [];
  let length = 0;
  return {
    push(chunk, start = 0, end = chunk.length) {
      if (length + end - start > limitBytes) return false;
      // Not slice(): that of a Node buffer is a view of memory that is the caller's again.
      parts.push(new Uint8Array(chunk.subarray(start, end)));
      length += end - start;
      return true;
    },
    text() {
      const decoder = new TextDecoder();
      return parts.map((part) => decoder.decode(part, { stream: true })).join('') + decoder.decode();
    },
  };
}
