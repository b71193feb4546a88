// What the client is to reach, on streams as Dynamo sends them.

const LOOP = 'undici loop';
const RUST = "vLLM's Rust client";
/** `at`: where it counts, everywhere when left out; `other`: the client it is held against. */
export const GOALS = [
  {
    goal: "requests/s at least the bare undici loop's",
    ...{ table: 'instant', other: LOOP, digits: 0 },
    figure: (run) => run.rps,
    isMet: (mine, theirs) => mine >= theirs,
  },
  {
    goal: "requests/s at least the Rust client's (stretch)",
    ...{ table: 'instant', other: RUST, digits: 0 },
    figure: (run) => run.rps,
    isMet: (mine, theirs) => mine >= theirs,
  },
  {
    goal: "CPU per event at most the bare undici loop's, µs",
    ...{ table: 'timed', other: LOOP, digits: 1 },
    figure: (run) => run.cpuPerEventUs,
    isMet: (mine, theirs) => mine <= theirs,
  },
  {
    goal: "CPU per event at most 1.3 times the Rust client's, µs",
    ...{ table: 'timed', other: RUST, digits: 1 },
    figure: (run) => run.cpuPerEventUs,
    isMet: (mine, theirs) => mine <= 1.3 * theirs,
  },
  {
    goal: 'TTFT p50 error under 1 ms',
    ...{ table: 'timed', at: [500], digits: 2 },
    figure: (run, { timed }) => Math.abs(ttftError(run, timed, 'p50')),
    isMet: (mine) => mine < 1,
  },
  {
    goal: "TTFT p99 error no worse than the Rust client's, ms",
    ...{ table: 'timed', at: [500], other: RUST, digits: 1 },
    figure: (run, { timed }) => Math.abs(ttftError(run, timed, 'p99')),
    isMet: (mine, theirs) => mine <= theirs,
  },
  {
    goal: 'peak memory under 150 MB',
    ...{ table: 'timed', at: [1000], digits: 0 },
    figure: (run) => run.peakMb,
    isMet: (mine) => mine < 150,
  },
  {
    goal: 'start to first request under 1 s, s',
    ...{ table: 'instant', digits: 2 },
    figure: (run) => run.firstRequestS,
    isMet: (mine) => mine < 1,
  },
];

/** The client's TTFT less what the server delivered at the same percentile, ms; null when the client tells no TTFT. */
export function ttftError(run, spec, p) {
  return run.ttftMs === null ? null : run.ttftMs[p] - spec.ttftMs - run.lateFirstMs[`${p}_ms`];
}
