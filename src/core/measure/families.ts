/** Tables that share a subject, in the order in which they are printed. */
export const FAMILIES = [
  'hit-rate',
  'cached-ratio',
  'ttft',
  'tpot',
  'e2e',
  'throughput',
  'output',
  'workers',
  'load',
] as const;

/** What measures of one kind have in common: their table, and what withholds them. */
export type Family = (typeof FAMILIES)[number];
