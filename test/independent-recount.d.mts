export function recount(
  markdown: string,
  directories: readonly string[],
): { readonly checked: number; readonly tables: string[]; readonly problems: string[] };
