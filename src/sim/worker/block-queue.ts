/** A queue of blocks. */
export interface BlockQueue {
  push(block: number): void;
  unshift(block: number): void;
  /** Takes the first block out. The queue must not be empty. */
  shift(): number;
  /** Takes a block out that is in the queue. */
  remove(block: number): void;
  size(): number;
}

/** A queue of the blocks 0 to `capacity` − 1, as a doubly linked list in two arrays: removing one from the middle is cheap. */
export function createBlockQueue(capacity: number): BlockQueue {
  const before = new Int32Array(capacity + 1);
  const after = new Int32Array(capacity + 1);
  const end = capacity;
  before[end] = end;
  after[end] = end;
  let size = 0;

  function insert(block: number, left: number, right: number): void {
    after[left] = block;
    before[block] = left;
    after[block] = right;
    before[right] = block;
    size++;
  }

  function push(block: number): void {
    insert(block, before[end] as number, end);
  }

  function remove(block: number): void {
    const left = before[block] as number;
    const right = after[block] as number;
    after[left] = right;
    before[right] = left;
    size--;
  }

  for (let block = 0; block < capacity; block++) push(block);
  return {
    push,
    remove,
    unshift(block) {
      insert(block, end, after[end] as number);
    },
    shift() {
      const first = after[end] as number;
      remove(first);
      return first;
    },
    size: () => size,
  };
}
