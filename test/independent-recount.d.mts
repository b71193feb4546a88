export function recount(
  markdown: string,
  directories: readonly string[],
  workerCapacity?: number | null,
): { readonly checked: number; readonly tables: string[]; readonly problems: string[] };
