/** A metrics page of a target, and what it told before the first trial; in run.json beside the target. */
export interface MetricsSource {
  readonly name: string;
  readonly url: string;
  /** `metrics-url`: the user named it; else the path at the target that led to it. */
  readonly from: string;
  /** Why it could not be read; null when it was. */
  readonly unread: string | null;
  /** Empty when it was not read. */
  readonly servers: readonly {
    readonly server: string;
    readonly kind: string;
    readonly role: 'engine' | 'router';
    /** Tokens; null where it is not told. */
    readonly block_size: number | null;
    /** Capacity in blocks; null where it is not told. */
    readonly blocks: number | null;
  }[];
}

/** Of a target whose cache blocks nothing tells: vLLM's size on a GPU. */
const USUAL_BLOCK_SIZE = 16;

/** Tokens in a cache block of a target: as the user states it, else as its metrics say, else the usual. */
export function blockSizeIn(
  { blockSize }: { readonly blockSize: number | 'auto' },
  { metrics }: { readonly metrics?: readonly MetricsSource[] | undefined },
): number {
  return blockSize === 'auto' ? (blockSizeOf(metrics ?? []) ?? USUAL_BLOCK_SIZE) : blockSize;
}

/** Tokens in a cache block by all pages that tell; null when none does, or they differ. */
export function blockSizeOf(sources: readonly MetricsSource[]): number | null {
  const told = sources.flatMap(({ servers }) => servers.flatMap(({ block_size }) => block_size ?? []));
  return told.every((size) => size === told[0]) ? (told[0] ?? null) : null;
}
