import type { RequestMeta } from '../core/answer/recorder.js';
import { loadColumns } from '../core/workload/load.js';
import type { PlannedRequest } from '../core/workload/requests.js';
import type { TrialPhase } from './ports.js';

/** What the record of a planned request says before it is sent. */
export function requestMeta(
  { trial, phase }: TrialPhase,
  variant: string,
  { seq, prefix, group }: PlannedRequest,
): RequestMeta {
  return {
    trial: trial.id,
    variant,
    prefixes: trial.cell.prefixes,
    ...loadColumns(trial.cell.load),
    ...(group === null ? {} : { group }),
    repeat: trial.repeat,
    seq,
    prefix,
    phase,
  };
}
