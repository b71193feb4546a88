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

/** Tokens in a cache block by all pages that tell; null when none does, or they differ. */
export function blockSizeOf(sources: readonly MetricsSource[]): number | null {
  const told = sources.flatMap(({ servers }) => servers.flatMap(({ block_size }) => block_size ?? []));
  return told.every((size) => size === told[0]) ? (told[0] ?? null) : null;
}
