import type { FactRecord } from '../answer/request-record.js';
import { WHOLE } from '../scenario/request-groups.js';
import type { TrialPart } from '../workload/plan-rows.js';

/** The records that a row is made from. */
export function recordsIn<R extends FactRecord>(part: TrialPart, records: readonly R[]): readonly R[] {
  const { group } = part.plan.cell;
  return group === undefined || group === WHOLE
    ? records
    : records.filter((record) => record.group === group);
}
