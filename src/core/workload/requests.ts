import type { Scenario } from '../scenario/settings.js';
import type { TrialPlan } from './plan.js';
import { createLonePrompt, createPrefix, createTail, type Prompt, type PromptPart } from './prompts.js';

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

/** The requests of `trial`: a pure function of (seed, salt, cell, repeat), whatever the variant. */
export function createTrialRequests(settings: RequestSettings, trial: TrialPlan): TrialRequests {
  const { prefixOf, groupOf, dueMs } = trial;
  const { prefixes } = trial.cell;
  const { groups, salt } = settings;
  const base = `${settings.seed}/${trial.id}`;
  const kept = new Map<number, readonly PromptPart[]>();

  function prefixText(prefix: number, index: number): readonly PromptPart[] {
    const key = index * prefixes + prefix;
    const known = kept.get(key);
    if (known !== undefined) return known;
    const group = groups[index];
    const name = `${base}${group === undefined ? '' : `/group/${group.group}`}/prefix/${prefix}`;
    const made = [createPrefix(name, (group ?? settings).prefixTokens, salt)];
    if (kept.size >= PREFIXES_KEPT) {
      const oldest = kept.keys().next();
      if (oldest.done !== true) kept.delete(oldest.value);
    }
    kept.set(key, made);
    return made;
  }

  function withPrefix(seq: number, prefix: number, index: number, tail: string, due: Due): PlannedRequest {
    const group = groups[index];
    const { tailTokens, outputTokens } = group ?? settings;
    return {
      seq,
      prompt: { shared: prefixText(prefix, index), tail: createTail(`${base}/${tail}`, tailTokens) },
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
        return withPrefix(seq, prefix, index, `primer/${index === 0 ? '' : `${index}/`}${prefix}`, WHEN_FREE);
      },
    },
    measure: {
      count: prefixOf.length,
      at: (seq) => {
        const due: Due = dueMs === null ? WHEN_FREE : { kind: 'at', ms: dueMs[seq] ?? 0 };
        return withPrefix(seq, prefixOf[seq] ?? 0, groupOf?.[seq] ?? 0, `tail/${seq}`, due);
      },
    },
  };
}
