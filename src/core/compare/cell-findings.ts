import type { Evidence } from '../base/evidence.js';
import { type ComparedCell, type ComparedVariant, keptTrials } from './compared-variant.js';
import { comparisonEvidence } from './comparison-evidence.js';
import type { ComparisonFindingCode } from './comparison-finding-codes.js';
import { sameText } from './run-differences.js';

/** Adds a finding with its evidence; does nothing when that is null. `where` are cell ids. */
export type AddFinding = (
  code: ComparisonFindingCode,
  evidence: Evidence | null,
  where?: readonly string[],
) => void;

/** Adds what the cells of two sides show: `common` are those measured by both. */
export function addCellFindings(
  baseline: ComparedVariant,
  candidate: ComparedVariant,
  common: readonly (readonly [ComparedCell, ComparedCell])[],
  add: AddFinding,
): void {
  if (common.length === 0) add('no-common-cell', comparisonEvidence('no-common-cell', null));
  const lone = [
    ...[...baseline.cells.keys()].filter((id) => !candidate.cells.has(id)),
    ...[...candidate.cells.keys()].filter((id) => !baseline.cells.has(id)),
  ];
  if (common.length > 0 && lone.length > 0) {
    add('cells-differ', comparisonEvidence('lone-cells', { cells: lone.length }), lone);
  }

  const outputs = common.flatMap(([a, b]) => compareOutputs(a, b) ?? []);
  add(
    'output-lengths-differ',
    outputs[0]?.evidence ?? null,
    outputs.map((output) => output.where),
  );

  const sets = common.flatMap(([a, b]) => compareSuccess(a, b) ?? []);
  for (const [code, own] of [
    ['success-sets-differ', sets.filter((set) => set.share >= SUCCESS_SHARE)],
    ['few-failures-differ', sets.filter((set) => set.share < SUCCESS_SHARE)],
  ] as const) {
    add(
      code,
      own[0]?.evidence ?? null,
      own.map((set) => set.where),
    );
  }

  const left = common.filter(([a, b]) => {
    const kept = (cell: ComparedCell) => keptTrials(cell).map((trial) => trial.repeat);
    return !sameText(kept(a), kept(b));
  });
  add(
    'repeats-left-out',
    left.length === 0 ? null : comparisonEvidence('other-repeats', null),
    left.map(([a]) => a.cell.id),
  );
  const single = common.filter(([a, b]) => a.trials.length === 1 && b.trials.length === 1);
  if (common.length > 0 && single.length === common.length) {
    add('one-repeat', comparisonEvidence('single-trials', null));
  }
}

/** Ok in one run but not in the other, of the requests of a cell: from this share on the figures are of other requests. */
const SUCCESS_SHARE = 0.01;

function compareSuccess(
  a: ComparedCell,
  b: ComparedCell,
): { readonly share: number; readonly evidence: Evidence; readonly where: string } | null {
  let differ = 0;
  let requests = 0;
  const failed: [number, number] = [0, 0];
  for (const first of keptTrials(a)) {
    const second = keptTrials(b).find((trial) => trial.repeat === first.repeat);
    if (second === undefined) continue;
    first.facts.planned.forEach((record, i) => {
      const ok = [record.outcome === 'ok', second.facts.planned[i]?.outcome === 'ok'];
      requests++;
      if (ok[0] !== ok[1]) differ++;
      if (!ok[0]) failed[0]++;
      if (!ok[1]) failed[1]++;
    });
  }
  if (differ === 0) return null;
  return {
    share: differ / requests,
    evidence: comparisonEvidence('ok-in-one', { differ, requests, failed }),
    where: a.cell.id,
  };
}

/** Mean answers further apart than this share are not the same work. */
const OUTPUT_SHARE = 0.01;

function compareOutputs(
  a: ComparedCell,
  b: ComparedCell,
): { readonly evidence: Evidence; readonly where: string } | null {
  const means = [a, b].map((cell) => {
    const outputs = keptTrials(cell).flatMap((trial) =>
      trial.facts.ok.flatMap((record) => record.output_tokens ?? []),
    );
    return outputs.length === 0 ? null : outputs.reduce((sum, value) => sum + value, 0) / outputs.length;
  });
  const [first = null, second = null] = means;
  if (first === null || second === null) return null;
  if (Math.abs(second - first) <= OUTPUT_SHARE * Math.max(first, second)) return null;
  return {
    evidence: comparisonEvidence('answer-lengths', { first: first.toFixed(1), second: second.toFixed(1) }),
    where: a.cell.id,
  };
}
