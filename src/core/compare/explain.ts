import type { Evidence } from '../base/evidence.js';
import { summaryContext } from '../measure/trial-rows.js';
import { lengthsOfGroup } from '../scenario/request-groups.js';
import { type ComparedVariant, keptTrials } from './compared-variant.js';
import type { CellComparison } from './comparison.js';
import {
  changeOf,
  type ExplainedCell,
  type ExplainedVariant,
  firstOf,
  type Reason,
} from './explain-context.js';
import {
  allOnOne,
  atTheCeiling,
  capacityShort,
  dealtOut,
  everythingMissed,
  fitsInOneWorker,
  fromDecode,
  notReported,
  oneWorker,
  prefixBelowBlock,
  roundRobinInPhase,
  workersNotReported,
} from './explain-hits.js';
import { hotWorker, loadConcentrated, slowReasons, unsureReason } from './explain-times.js';
import { type Explanation, REASONS, type ReasonCode } from './reasons.js';

/**
 * Why candidate `candidate` (from 0) gains nothing, or not more, over the baseline. Cells where it is better in both the
 * hit rate and TTFT p50 need no reason. Empty from grid.csv alone.
 */
export function explain(
  sides: readonly ComparedVariant[],
  candidate: number,
  cells: readonly CellComparison[],
): Explanation[] {
  const [first, second] = [sides[0], sides[candidate + 1]];
  if (first === undefined || second === undefined) return [];
  const found = new Map<ReasonCode, { readonly evidence: Evidence; readonly where: string[] }>();
  for (const cell of cells) {
    const scene = sceneOf(first, second, cell, candidate);
    if (scene === null) continue;
    for (const [code, evidence] of reasonsOf(scene)) {
      const known = found.get(code);
      if (known === undefined) found.set(code, { where: [cell.cell.id], evidence });
      else known.where.push(cell.cell.id);
    }
  }
  return REASONS.flatMap((code) => {
    const reason = found.get(code);
    return reason === undefined ? [] : { code, ...reason };
  });
}

function sceneOf(
  first: ComparedVariant,
  second: ComparedVariant,
  cell: CellComparison,
  candidate: number,
): ExplainedCell | null {
  const compared = cell.candidates[candidate] ?? null;
  const baseline = actorOf(first, cell, 0);
  const other = actorOf(second, cell, candidate + 1);
  return compared === null || baseline === null || other === null
    ? null
    : { baseline, candidate: other, changes: compared.changes };
}

function actorOf(side: ComparedVariant, cell: CellComparison, index: number): ExplainedVariant | null {
  const own = cell.sides[index] ?? null;
  const source = side.cells.get(cell.cell.id);
  if (own === null || source === undefined || side.origin === null) return null;
  // What holds of each group need not hold of the whole.
  const lengths = lengthsOfGroup(side.origin.run.scenario, cell.cell.group);
  if (lengths === null) return null;
  const trials = keptTrials(source);
  const ok = trials.flatMap((trial) => trial.facts.ok);
  if (ok.length === 0) return null;
  return {
    label: side.info.label,
    side: own,
    rules: summaryContext(side.origin.run.scenario, side.origin.variant, lengths).rules,
    trials,
    ok,
    reported: trials.flatMap((trial) => trial.facts.reported),
  };
}

/** Reasons in one cell. Those that make others meaningless come alone. */
function reasonsOf(scene: ExplainedCell): Reason[] {
  const hits = changeOf(scene, 'request_hit_rate');
  const ttft = changeOf(scene, 'ttft_p50_ms');
  const gained = hits?.verdict === 'better' || (hits?.verdict === null && (hits.change ?? 0) >= 2);
  if (gained) {
    const concentrated = firstOf(scene, [loadConcentrated]);
    return ttft?.verdict === 'better'
      ? concentrated
      : [...concentrated, ...slowReasons(scene), ...unsureReason(ttft)];
  }
  const blind = firstOf(scene, [fromDecode, notReported, prefixBelowBlock, everythingMissed]);
  // What is withheld says its own reason.
  if (blind.length > 0 || hits?.noVerdict === 'withheld') return blind;
  const reasons = [
    ...firstOf(scene, [workersNotReported, allOnOne, oneWorker]),
    ...firstOf(scene, [dealtOut]),
    ...firstOf(scene, [atTheCeiling, fitsInOneWorker]),
    ...firstOf(scene, [roundRobinInPhase]),
    ...firstOf(scene, [capacityShort]),
    ...firstOf(scene, [hotWorker, loadConcentrated]),
  ];
  return reasons.length > 0 ? reasons : unsureReason(hits);
}
