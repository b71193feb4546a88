import { createTimeHistogram, type TimeHistogram } from '../base/time-histogram.js';
import type { ClientCheck } from './client-check.js';
import type { Found } from './finding-codes.js';
import { trialEvidence } from './trial-evidence.js';

/**
 * In how many socket reads the tokens of one trial's ok answers came; in run.json. Many tokens in few reads, with waits
 * between them, were gathered by something on the way: their times are those of the bursts.
 */
export interface TokenReads {
  /** Answers of {@link FEWEST_TOKENS} token events or more. */
  readonly answers: number;
  /** Of those, that came whole at once, or at least half of it in the first read: their first token waited for many others. */
  readonly whole: number;
  /** Of the rest, that came in bursts of several tokens, each after a wait. */
  readonly bursts: number;
  /** Medians over the whole ones and those in bursts; over all answers where there are none. */
  readonly tokens_per_read_p50: number;
  readonly reads_p50: number;
  readonly first_read_tokens_p50: number;
  /** Between two reads; null where answers came in one. */
  readonly gap_p50_ms: number | null;
}

/** How the token events of one answer came. */
export interface AnswerReads {
  readonly tokens: number;
  readonly reads: number;
  /** Tokens of the first read. */
  readonly firstRead: number;
  /** From the first read to the last, ms. */
  readonly spanMs: number;
}

/** Fewer tokens may well come together. */
const FEWEST_TOKENS = 8;
/** A fast server may write a short answer in one go. */
const MANY_TOKENS = 16;
const TOKENS_AT_ONCE = 8;
/** Tokens in a read: fewer may have met in a socket that was read a little late. */
const BURST_TOKENS = 4;
/** No engine makes tokens faster than this, and those of one that takes longer do not come together by themselves. */
const FASTEST_MS = 0.1;
const SLOW_MS = 1;
/** A client that is late reads several tokens at once: gaps count beyond so many times its usual lateness. */
const CLIENT_LATE = 4;

/** Counts how answers came; of any number of them only counts are kept. */
export function createTokenReadCount() {
  const gathered = createMiddles();
  const others = createMiddles();
  let whole = 0;
  let bursts = 0;
  let answers = 0;
  return {
    add(answer: AnswerReads): void {
      if (answer.tokens < FEWEST_TOKENS) return;
      answers++;
      if (isWhole(answer)) whole++;
      else if (isInBursts(answer)) bursts++;
      else {
        others.add(answer);
        return;
      }
      gathered.add(answer);
    },
    /** Null when no answer had tokens enough. */
    counts(): TokenReads | null {
      if (answers === 0) return null;
      return { answers, whole, bursts, ...(whole + bursts > 0 ? gathered : others).medians() };
    },
  };
}

/** Medians of how some answers came, to three digits. */
function createMiddles() {
  const perRead = createTimeHistogram();
  const reads = createTimeHistogram();
  const firstRead = createTimeHistogram();
  const gapMs = createTimeHistogram();
  const middle = (values: TimeHistogram) => values.percentile(0.5);
  return {
    add(answer: AnswerReads): void {
      perRead.add(answer.tokens / answer.reads);
      reads.add(answer.reads);
      firstRead.add(answer.firstRead);
      if (answer.reads > 1) gapMs.add(answer.spanMs / (answer.reads - 1));
    },
    medians: () => ({
      tokens_per_read_p50: round(middle(perRead) ?? 0),
      reads_p50: round(middle(reads) ?? 0),
      first_read_tokens_p50: round(middle(firstRead) ?? 0),
      gap_p50_ms: gapMs.size() === 0 ? null : round(middle(gapMs) ?? 0),
    }),
  };
}

function isWhole({ tokens, reads, firstRead, spanMs }: AnswerReads): boolean {
  if (tokens < MANY_TOKENS) return false;
  const atOnce = tokens >= TOKENS_AT_ONCE * reads && spanMs < FASTEST_MS * (tokens - 1);
  return atOnce || (firstRead >= TOKENS_AT_ONCE && firstRead >= tokens / 2);
}

function isInBursts({ tokens, reads, firstRead, spanMs }: AnswerReads): boolean {
  return tokens >= BURST_TOKENS * reads && spanMs >= SLOW_MS * (tokens - firstRead);
}

/** What shows that most answers were gathered, or null; `client` is null where its lateness is not known. */
export function findGathered(
  reads: TokenReads,
  client: Pick<ClientCheck, 'loop_delay_p90_ms'> | null,
): Found | null {
  const { answers, whole, bursts, gap_p50_ms: gapMs } = reads;
  const evidence = trialEvidence('tokens-gathered', {
    gathered: whole + bursts,
    answers,
    perRead: reads.tokens_per_read_p50,
    reads: reads.reads_p50,
    firstRead: reads.first_read_tokens_p50,
    gapMs,
  });
  if (whole > answers / 2) return { code: 'not-streamed', evidence };
  const isClient = (gapMs ?? 0) <= CLIENT_LATE * (client?.loop_delay_p90_ms ?? 0);
  return whole + bursts > answers / 2 && !isClient ? { code: 'stream-gathered', evidence } : null;
}

function round(value: number): number {
  return Number(value.toFixed(1));
}

/** The reads of one answer of `tokens` token events; a gap of 0 ms is between two tokens that one read carried. */
export function readsOf(tokens: number, gapsMs: readonly number[]): AnswerReads {
  const second = gapsMs.findIndex((ms) => ms > 0);
  return {
    tokens,
    reads: 1 + gapsMs.filter((ms) => ms > 0).length,
    firstRead: second === -1 ? tokens : 1 + second,
    spanMs: gapsMs.reduce((sum, ms) => sum + ms, 0),
  };
}
