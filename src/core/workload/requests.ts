import type { Scenario } from '../scenario/settings.js';
import type { TrialPlan } from './plan.js';
import {
  createFirstWords,
  createLonePrompt,
  createPrefix,
  createTail,
  type Prompt,
  type PromptPart,
} from './prompts.js';

/** When a request is sent. */
export type Due =
  /** `ms` after the start of its phase, whatever is still in flight. */
  | { readonly kind: 'at'; readonly ms: number }
  /** As soon as a slot is free. */
  | { readonly kind: 'slot' };

/** One request of a trial: what it is made of and when it is due. */
export interface PlannedRequest {
  /** Position in its sequence, from 0. */
  readonly seq: number;
  readonly prompt: Prompt;
  /** Output tokens asked for. */
  readonly outputTokens: number;
  /** Name of its group; null without groups, and for warm-up text. */
  readonly group: string | null;
  /** Prefix group, from 0; null for warm-up text. */
  readonly prefix: number | null;
  readonly due: Due;
}

/** Requests in the order of sending. Each is made when asked for and not kept, so a sequence may be of any length. */
export interface RequestSequence {
  readonly count: number;
  at(seq: number): PlannedRequest;
}

/** The requests of one trial by phase: `prime` sends each prefix once, `warmup` unrelated text; both may be empty. */
export interface TrialRequests {
  readonly warmup: RequestSequence;
  readonly prime: RequestSequence;
  readonly measure: RequestSequence;
}

/** The settings that decide the requests of a drawn trial. */
export type RequestSettings = Pick<
  Scenario,
  'seed' | 'salt' | 'prefixTokens' | 'tailTokens' | 'outputTokens' | 'groups' | 'start' | 'warmup'
>;

/** Prefixes whose text is kept ready; beyond that the oldest is made again when needed, so memory stays bounded. */
const PREFIXES_KEPT = 512;
const WHEN_FREE: Due = { kind: 'slot' };

/** What the prompts of one prefix are made of. */
interface PrefixText {
  readonly shared: readonly PromptPart[];
  readonly firstWord: (rank: number) => number;
}

/** Of each request, how many earlier ones have its prefix. */
function rankRequests({ prefixOf, groupOf, cell }: TrialPlan): Uint32Array {
  const counts = new Map<number, number>();
  return prefixOf.map((prefix, seq) => {
    const key = (groupOf?.[seq] ?? 0) * cell.prefixes + prefix;
    const rank = counts.get(key) ?? 0;
    counts.set(key, rank + 1);
    return rank;
  });
}

/** The requests of `trial`: a pure function of (seed, salt, cell, repeat), whatever the variant. */
export function createTrialRequests(settings: RequestSettings, trial: TrialPlan): TrialRequests {
  const { prefixOf, groupOf, dueMs } = trial;
  const { prefixes } = trial.cell;
  const { groups, salt } = settings;
  const base = `${settings.seed}/${trial.id}`;
  const kept = new Map<number, PrefixText>();
  let ranks: Uint32Array | null = null;

  /** How many earlier requests have the same prefix, one of them a primer, whether it is sent or not. */
  function rankOf(seq: number): number {
    ranks ??= rankRequests(trial);
    return 1 + (ranks[seq] ?? 0);
  }

  function prefixText(prefix: number, index: number): PrefixText {
    const key = index * prefixes + prefix;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const group = groups[index];
    const name = `${base}${group === undefined ? '' : `/group/${group.group}`}/prefix/${prefix}`;
    const shared = [createPrefix(name, (group ?? settings).prefixTokens, salt)];
    const made = { shared, firstWord: createFirstWords(name) };
    if (kept.size >= PREFIXES_KEPT) {
      const oldest = kept.keys().next();
      if (oldest.done !== true) kept.delete(oldest.value);
    }
    kept.set(key, made);
    return made;
  }

  function withPrefix(
    [seq, prefix, index]: readonly [seq: number, prefix: number, index: number],
    tail: string,
    rank: number,
    due: Due,
  ): PlannedRequest {
    const group = groups[index];
    const { tailTokens, outputTokens } = group ?? settings;
    const { shared, firstWord } = prefixText(prefix, index);
    return {
      seq,
      prompt: { shared, tail: createTail(`${base}/${tail}`, tailTokens, firstWord(rank)) },
      outputTokens,
      group: group?.group ?? null,
      prefix,
      due,
    };
  }

  return {
    warmup: {
      count: settings.warmup,
      at: (seq) => ({
        seq,
        prompt: createLonePrompt(`${base}/warmup/${seq}/salt/${salt}`, settings.tailTokens),
        outputTokens: settings.outputTokens,
        group: null,
        prefix: null,
        due: WHEN_FREE,
      }),
    },
    prime: {
      count: settings.start === 'primed' ? prefixes * Math.max(1, groups.length) : 0,
      at: (seq) => {
        const [prefix, index] = [seq % prefixes, Math.floor(seq / prefixes)];
        const tail = `primer/${index === 0 ? '' : `${index}/`}${prefix}`;
        return withPrefix([seq, prefix, index], tail, 0, WHEN_FREE);
      },
    },
    measure: {
      count: prefixOf.length,
      at: (seq) => {
        const due: Due = dueMs === null ? WHEN_FREE : { kind: 'at', ms: dueMs[seq] ?? 0 };
        const at = [seq, prefixOf[seq] ?? 0, groupOf?.[seq] ?? 0] as const;
        return withPrefix(at, `tail/${seq}`, rankOf(seq), due);
      },
    },
  };
}
