import { asSeen, type Seen } from '../base/evidence.js';
import { summaryContext } from '../measure/trial-rows.js';
import { lengthsOfGroup } from '../scenario/request-groups.js';
import { keptTrials, type Side } from './compared-variant.js';
import type { CellComparison } from './comparison.js';
import { type Actor, changeOf, firstOf, type Reason, type Scene } from './explain-context.js';
import {
  atTheCeiling,
  capacityShort,
  everythingMissed,
  fitsInOneWorker,
  fromDecode,
  notReported,
  oneWorker,
  prefixBelowBlock,
  roundRobinInPhase,
  workersNotReported,
} from './explain-hits.js';
import { hotWorker, loadConcentrated, noiseReason, slowReasons } from './explain-times.js';
import { REASONS, type ReasonCode } from './reasons.js';

/** One reason why there is no difference between two variants, or not more of it, as the records show it. */
export interface Explanation extends Seen {
  readonly code: ReasonCode;
  /** Cells in which it was seen, in table order; what was seen is of the first. */
  readonly where: readonly string[];
  readonly advice: string;
}

/**
 * Why candidate `candidate` (from 0) is not, or not more, better than the baseline. Cells where it is better in both the
 * hit rate and TTFT p50 need no reason. Empty from grid.csv alone.
 */
export function explain(
  sides: readonly Side[],
  candidate: number,
  cells: readonly CellComparison[],
): Explanation[] {
  const [first, second] = [sides[0], sides[candidate + 1]];
  if (first === undefined || second === undefined) return [];
  const found = new Map<ReasonCode, Seen & { where: string[] }>();
  for (const cell of cells) {
    const scene = sceneOf(first, second, cell, candidate);
    if (scene === null) continue;
    for (const [code, evidence] of reasonsOf(scene)) {
      const known = found.get(code);
      if (known === undefined) found.set(code, { where: [cell.cell.id], ...asSeen(evidence) });
      else known.where.push(cell.cell.id);
    }
  }
  return (Object.keys(REASONS) as ReasonCode[]).flatMap((code) => {
    const reason = found.get(code);
    return reason === undefined ? [] : { code, ...reason, advice: REASONS[code] };
  });
}

function sceneOf(first: Side, second: Side, cell: CellComparison, candidate: number): Scene | null {
  const compared = cell.candidates[candidate] ?? null;
  const baseline = actorOf(first, cell, 0);
  const other = actorOf(second, cell, candidate + 1);
  return compared === null || baseline === null || other === null
    ? null
    : { baseline, candidate: other, changes: compared.changes };
}

function actorOf(side: Side, cell: CellComparison, index: number): Actor | null {
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
    reading: summaryContext(side.origin.run.scenario, side.origin.variant, lengths).reading,
    trials,
    ok,
    reported: trials.flatMap((trial) => trial.facts.reported),
  };
}

/** Reasons in one cell. Those that make others meaningless come alone. */
function reasonsOf(scene: Scene): Reason[] {
  const hits = changeOf(scene, 'request_hit_rate');
  const ttft = changeOf(scene, 'ttft_p50_ms');
  const gained = hits?.verdict === 'better' || (hits?.verdict === null && (hits.change ?? 0) >= 2);
  if (gained) {
    const concentrated = firstOf(scene, [loadConcentrated]);
    return ttft?.verdict === 'better'
      ? concentrated
      : [...concentrated, ...slowReasons(scene), ...noiseReason(ttft)];
  }
  const blind = firstOf(scene, [notReported, fromDecode, prefixBelowBlock, everythingMissed]);
  if (blind.length > 0) return blind;
  const reasons = [
    ...firstOf(scene, [workersNotReported, oneWorker]),
    ...firstOf(scene, [atTheCeiling, fitsInOneWorker]),
    ...firstOf(scene, [roundRobinInPhase]),
    ...firstOf(scene, [capacityShort]),
    ...firstOf(scene, [hotWorker, loadConcentrated]),
  ];
  return reasons.length > 0 ? reasons : noiseReason(hits);
}
