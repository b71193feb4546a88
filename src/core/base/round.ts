/** Rounds milliseconds to 1 µs, the resolution of a record. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
