import type { Outcome } from '../answer/request-record.js';

/** How late a client was for a TTFT of this p50, all in ms; null of what was good enough, which is not all. */
export interface ClientLateness {
  /** A first token's stamp, of half of them. */
  readonly stampedHalf: number | null;
  /** The same at p99. */
  readonly stampedTail: number | null;
  /** A request that left, after it was due, at p99. */
  readonly leftTail: number | null;
  readonly ttftP50: number;
}

/** What was seen of one trial or cell, or left out to read it: see {@link EVIDENCE}. */
export const TRIAL_EVIDENCE = {
  unsent: (of: { readonly unsent: number; readonly requests: number }) =>
    `${of.unsent} of ${of.requests} requests were never sent`,
  /** `error`: the code and message of the first; null for none. */
  'none-ok': (of: { readonly requests: number; readonly error: string | null }) =>
    `0 of ${of.requests} requests ok; first error: ${of.error ?? 'none'}`,
  'records-missing': (of: { readonly records: number; readonly requests: number }) =>
    `${of.records} records of ${of.requests} requests`,
  'too-few-requests': (of: { readonly requests: number; readonly concurrency: number }) =>
    `${of.requests} requests cannot keep ${of.concurrency} in flight`,
  'tails-cached': (of: { readonly requests: number; readonly most: number; readonly prefixTokens: number }) =>
    `${of.requests} requests had more cached than their prefix (up to ${of.most} tokens, prefix ${of.prefixTokens})`,
  'primers-hit': (of: { readonly hit: number; readonly prefixes: number; readonly tokens: number }) =>
    `the primers of ${of.hit} of ${of.prefixes} prefixes hit (${of.tokens} cached tokens)`,
  /** `prefix` and `tokens`: of the first that hit. */
  'first-requests-hit': (of: {
    readonly hit: number;
    readonly prefixes: number;
    readonly prefix: number;
    readonly tokens: number;
  }) =>
    `the first request of ${of.hit} of ${of.prefixes} prefixes hit (prefix ${of.prefix}: ${of.tokens} cached tokens)`,
  failed: (of: {
    readonly failed: number;
    readonly requests: number;
    readonly outcomes: readonly (readonly [Outcome, number])[];
  }) =>
    `${of.failed} of ${of.requests} failed: ${of.outcomes.map(([outcome, count]) => `${count} ${outcome}`).join(', ')}`,
  /** `lacksZero`: some answers do, and what they carry is never 0. */
  'cached-tokens-carried': (of: {
    readonly reported: number;
    readonly answers: number;
    readonly lacksZero: boolean;
  }) =>
    `${of.reported} of ${of.answers} answers carry cached_tokens${of.lacksZero ? ', none of them 0' : ''}`,
  'prompt-tokens': (of: { readonly least: number; readonly most: number }) =>
    `prompt_tokens from ${of.least} to ${of.most}`,
  'other-lengths': (of: {
    readonly other: number;
    readonly answers: number;
    readonly asked: number;
    readonly least: number;
    readonly most: number;
  }) => `${of.other} of ${of.answers} answers are not ${of.asked} tokens long (${of.least}-${of.most})`,
  'whole-in-one-read': (of: { readonly whole: number; readonly answers: number }) =>
    `${of.whole} of ${of.answers} answers of several tokens came in one read`,
  /** Times in ms. */
  'first-tokens-held': (of: {
    readonly held: number;
    readonly answers: number;
    readonly sooner: number;
    readonly from: number;
    readonly until: number;
    readonly together: number;
  }) =>
    `${of.held} of ${of.answers} first tokens came ${of.from}-${of.until} ms after the head of their answer, ${of.sooner} between ${of.together} and ${of.from} ms`,
  /** Null of what was good enough. */
  'client-limit': (of: {
    readonly late: ClientLateness | null;
    readonly inFlight: { readonly mean: number; readonly asked: number } | null;
    readonly cpuShare: number;
    readonly threads: number;
  }) => {
    const clauses = [
      ...(of.late === null ? [] : latenessClauses(of.late)),
      ...(of.inFlight === null
        ? []
        : [`${of.inFlight.mean} of ${of.inFlight.asked} requests were in flight on average`]),
    ];
    return `${clauses.join(', ')} (CPU ${of.cpuShare} of a core, ${of.threads} thread${of.threads === 1 ? '' : 's'})`;
  },
  'trials-kept': (of: { readonly kept: number; readonly repeats: number; readonly dropped: number }) =>
    `${of.kept} of ${of.repeats} trials kept, ${of.dropped} dropped`,
  'said-by-grid': () => 'as grid.csv says',

  'grid-without': (of: { readonly file: string }) => `no ${of.file}: only its grid.csv is read`,
  'columns-missing': (of: { readonly columns: readonly string[] }) =>
    `no column ${of.columns.join(', ')}: not compared`,
  'no-requests-file': () => 'no requests.jsonl: the run was killed before its first request',
  'records-unended': (of: { readonly records: number }) =>
    `requests.jsonl: ${of.records} records of trials that never ended, left out`,
  'last-line-cut': (of: { readonly line: number }) =>
    `requests.jsonl: its last line (${of.line}) is cut short, 1 record left out`,
  'lines-broken': (of: { readonly lines: number; readonly first: number }) =>
    `requests.jsonl: ${of.lines} lines are no records (first: line ${of.first}), left out`,
} as const;

function latenessClauses({ stampedHalf, stampedTail, leftTail, ttftP50 }: ClientLateness): string[] {
  return [
    ...(stampedHalf === null
      ? []
      : [`half of the first tokens may have been stamped ${stampedHalf} ms late or more`]),
    ...(stampedTail === null ? [] : [`a stamp may be ${stampedTail} ms late at p99`]),
    ...(leftTail === null ? [] : [`requests left ${leftTail} ms after they were due at p99`]),
    `TTFT p50 is ${ttftP50} ms`,
  ];
}
