import type { RequestMeta } from '../core/answer/recorder.js';
import type { RequestGroup } from '../core/scenario/request-groups.js';
import { loadColumns } from '../core/workload/load.js';
import type { Prompt, Workload } from '../core/workload/prompts.js';
import type { LoadPhase } from './ports.js';

/** The group of request `seq`. Primers go group by group; warm-up has none, nor has a scenario of one kind of request. */
export function requestGroup(
  { phase, trial }: LoadPhase,
  groups: readonly RequestGroup[],
  seq: number,
): RequestGroup | null {
  if (phase === 'warmup' || trial.groupOf === null) return null;
  const index = phase === 'prime' ? Math.floor(seq / trial.cell.prefixes) : (trial.groupOf[seq] ?? 0);
  return groups[index] ?? null;
}

/** What the record of request `seq` says before it is sent. Primers go prefix by prefix; warm-up has none. */
export function requestMeta(
  phase: LoadPhase,
  variant: string,
  group: RequestGroup | null,
  seq: number,
): RequestMeta {
  const { id, cell, repeat, prefixOf } = phase.trial;
  const primed = seq % cell.prefixes;
  return {
    trial: id,
    variant,
    prefixes: cell.prefixes,
    ...loadColumns(cell.load),
    ...(group === null ? {} : { group: group.group }),
    repeat,
    seq,
    prefix: phase.phase === 'warmup' ? null : phase.phase === 'prime' ? primed : (prefixOf[seq] ?? 0),
    phase: phase.phase,
  };
}

/** The prompt of request `seq`. */
export function requestPrompt(phase: LoadPhase, workload: Workload, seq: number): Prompt {
  if (phase.phase === 'measure') return workload.prompt(seq);
  if (phase.phase === 'warmup') return workload.warmup(seq);
  const { prefixes } = phase.trial.cell;
  return workload.primer(seq % prefixes, Math.floor(seq / prefixes));
}
