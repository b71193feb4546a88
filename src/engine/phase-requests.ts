import type { RequestMeta } from '../core/recorder.js';
import type { Prompt, Workload } from '../core/workload.js';
import type { LoadPhase } from './ports.js';

/** What the record of request `seq` says before it is sent. Primer `seq` is the one of prefix `seq`; warm-up has none. */
export function requestMeta(phase: LoadPhase, variant: string, seq: number): RequestMeta {
  const { id, cell, repeat, prefixOf } = phase.trial;
  return {
    trial: id,
    variant,
    prefixes: cell.prefixes,
    concurrency: cell.load.kind === 'closed' ? cell.load.concurrency : null,
    rate: cell.load.kind === 'open' ? cell.load.rate : null,
    repeat,
    seq,
    prefix: phase.phase === 'warmup' ? null : phase.phase === 'prime' ? seq : (prefixOf[seq] ?? 0),
    phase: phase.phase,
  };
}

/** The prompt of request `seq`. */
export function requestPrompt(phase: LoadPhase, workload: Workload, seq: number): Prompt {
  if (phase.phase === 'measure') return workload.prompt(seq);
  return phase.phase === 'prime' ? workload.primer(seq) : workload.warmup(seq);
}
