import type { Evidence } from '../base/evidence.js';
import { trialEvidence } from './trial-evidence.js';

/**
 * How the first tokens of one trial's ok requests came after the heads of their answers; in run.json. Tells whether a
 * server holds them back: see {@link findHeldFirstTokens}.
 */
export interface FirstTokenWait {
  /** Requests whose head and first token are both known. */
  readonly answers: number;
  /** Of those, whose first token came in the time in which a held one comes. */
  readonly held: number;
  /** Of those, whose first token came sooner, though in a later read than the head: nobody held it. */
  readonly sooner: number;
}

/**
 * A sender that uses Nagle's algorithm keeps a small segment back until what it sent before is acknowledged, and Linux
 * delays an acknowledgement by 40 ms when it has nothing to send (TCP_DELACK_MIN). The head of an answer goes out alone,
 * so its first token cannot come before 40 ms and a round trip after it. Longer: the round trip and timers that fire late.
 */
const HELD_FROM_MS = 39;
const HELD_UNTIL_MS = 48;
/** A first token this close behind its head may have left with it. */
const TOGETHER_MS = 2;
/** Enough to tell a rule from chance. */
const FEWEST_HELD = 10;
const HELD_SHARE = 0.1;
/** Of the held ones: a few that came sooner were acknowledged by accident. */
const SOONER_SHARE = 0.1;

/** Counts waits from the head of an answer to its first token. */
export function createFirstTokenCount() {
  let answers = 0;
  let held = 0;
  let sooner = 0;
  return {
    add(ms: number): void {
      answers++;
      if (ms >= HELD_FROM_MS && ms < HELD_UNTIL_MS) held++;
      else if (ms >= TOGETHER_MS && ms < HELD_FROM_MS) sooner++;
    },
    /** Null when nothing was added. */
    counts: (): FirstTokenWait | null => (answers === 0 ? null : { answers, held, sooner }),
  };
}

/** What shows that first tokens were held back, or null: many come after 40 ms, and hardly any before. */
export function findHeldFirstTokens({ answers, held, sooner }: FirstTokenWait): Evidence | null {
  if (held < Math.max(FEWEST_HELD, HELD_SHARE * answers) || sooner > SOONER_SHARE * held) return null;
  return trialEvidence('first-tokens-held', {
    held,
    answers,
    sooner,
    from: HELD_FROM_MS,
    until: HELD_UNTIL_MS,
    together: TOGETHER_MS,
  });
}
