import type { Comparison } from '../core/compare/comparison.js';
import type { FailResult } from '../core/compare/fail-rule.js';
import type { MeasureKey } from '../core/measure/measures.js';
import { measuresShown } from '../core/measure/measures.js';
import { buildAnswer } from './answer.js';
import type { Block } from './document/document.js';
import { formatSigned } from './format.js';
import { EN } from './messages/en.js';
import { buildFindingNotices, buildReasonNotices, reasonHeading } from './notices.js';
import {
  buildCapacityTable,
  buildLossTable,
  buildWorkerPrefixCounts,
  buildWorkerTable,
} from './tables/cause-tables.js';
import { buildChangeTables } from './tables/change-tables.js';

/** What of a comparison is shown. */
export interface DiffView {
  /** Whose changes are printed with their intervals; null for none unless `all` is asked for. */
  readonly measures: readonly MeasureKey[] | null;
  /** Every table, what to do about each reason, and the method. */
  readonly all: boolean;
  /** The requests of every worker and prefix, too. */
  readonly workers: boolean;
  readonly gates: readonly FailResult[];
}

/** A comparison, the answer first: before → after, what must be known, why not more; then what `view` asks for. */
export function buildDiff(comparison: Comparison, view: DiffView): Block[] {
  const { sides } = comparison;
  const findings = buildFindingNotices(comparison, EN);
  const reasons = buildReasonNotices(comparison, EN);
  const measures = view.measures ?? (view.all ? measuresShown('changes') : []);
  const causes = [
    ...(view.all ? [buildLossTable(comparison, EN), buildWorkerTable(comparison, EN)] : []),
    buildCapacityTable(comparison, EN),
  ];
  return [
    { kind: 'heading', level: 2, text: sides.map((side) => side.label).join(' → ') },
    ...buildAnswer(comparison, EN),
    ...(findings.length === 0 ? [] : [{ kind: 'notices', notices: findings } as const]),
    ...view.gates.map((gate): Block => ({ kind: 'list', items: describeGate(gate) })),
    ...(reasons.length === 0
      ? []
      : ([
          { kind: 'heading', level: 3, text: reasonHeading(comparison, EN) },
          {
            kind: 'notices',
            notices: view.all ? reasons : reasons.map((reason) => ({ ...reason, advice: '' })),
          },
        ] as const)),
    ...(measures.length === 0 ? [] : buildChangeTables(comparison, measures, EN)),
    ...causes.flatMap((table) => table ?? []),
    ...(view.workers ? buildWorkerPrefixCounts(comparison, EN) : []),
    { kind: 'list', items: sides.map((_, index) => describeSide(comparison, index)) },
    { kind: 'paragraph', text: view.all ? describeMethod(comparison) : MORE },
  ];
}

const MORE =
  'kvbench diff --all adds intervals, lost hits by cause, the load of the workers, what to do, and the method.';

function describeSide({ sides }: Comparison, index: number): string {
  const side = sides[index];
  if (side === undefined) return '';
  const size =
    side.repeats === null ? 'grid.csv alone' : `${side.repeats} x ${side.requests} requests, ${side.model}`;
  return `${index === 0 ? 'baseline' : 'candidate'} ${side.label}: ${side.source} (${size})`;
}

function describeGate({ rule, broken, judged }: FailResult): string[] {
  if (judged === 0) return [`FAILED --fail-on ${rule.text}: no change to hold it against`];
  if (broken.length === 0) return [`passed --fail-on ${rule.text}: ${judged} changes held against it`];
  return [
    `FAILED --fail-on ${rule.text}`,
    ...broken.map(
      ({ candidate, cell, change }) =>
        `${candidate} ${cell}: ${formatSigned(change.change ?? 0)} ${change.unit}${change.verdict === null ? ' (no verdict)' : ''}`,
    ),
  ];
}

/** How intervals and verdicts came about. */
function describeMethod({ method, candidates }: Comparison): string {
  const most = Math.max(0, ...candidates.map((candidate) => candidate.comparisons));
  if (most === 0) return EN.method.unpaired;
  return `${EN.method.verdicts(method)} ${EN.method.family(most)}`;
}
