import { median, percentile, type Sorted, sortedOf } from '../base/statistics.js';
import type { MeasureChange } from './comparison.js';
import {
  changeOf,
  type ExplainedCell,
  type ExplainedVariant,
  firstOf,
  labelled,
  percent,
  type Reason,
  type ReasonRule,
} from './explain-context.js';
import { reasonEvidence } from './reason-evidence.js';

export const hotWorker: ReasonRule = ({ candidate }) => {
  const { load } = candidate.side;
  const busiest = load?.workers[0];
  if (load === null || busiest === undefined || load.workers.length < 2) return null;
  return busiest.share >= Math.min(0.75, 2 / load.workers.length) && load.cv > 3 * load.cvByChance
    ? [
        'hot-worker',
        labelled(
          candidate,
          reasonEvidence('busiest-worker', {
            worker: busiest.worker,
            share: percent(busiest.share),
            even: percent(1 / load.workers.length),
          }),
        ),
      ]
    : null;
};

/** Its requests ran on fewer workers, and each of them more slowly. */
export const loadConcentrated: ReasonRule = (scene) => {
  const { baseline, candidate } = scene;
  const [before, after] = [baseline.side.load, candidate.side.load];
  const output = changeOf(scene, 'tpot_p50_ms');
  const busiest = after?.workers[0];
  if (before === null || after === null || busiest === undefined || output?.verdict !== 'worse') return null;
  return after.cv > after.cvByChance && after.cv > 1.5 * before.cv
    ? [
        'load-concentrated',
        labelled(
          candidate,
          reasonEvidence('slower-on-fewer', {
            change: signed(output.change ?? 0),
            unit: output.unit,
            share: percent(busiest.share),
            even: percent(1 / after.workers.length),
            cv: after.cv.toFixed(2),
            baseline: baseline.label,
            cvBefore: before.cv.toFixed(2),
          }),
        ),
      ]
    : null;
};

/** The median request hits in both, or misses in both: its TTFT compares like with like. */
const medianOfOneKind: ReasonRule = ({ baseline, candidate }) => {
  const [before, after] = [baseline, candidate].map(({ side }) => side.values.request_hit_rate ?? 0.5);
  if (before === undefined || after === undefined) return null;
  const rates = reasonEvidence('hit-rates', {
    baseline: baseline.label,
    before: percent(before),
    candidate: candidate.label,
    after: percent(after),
  });
  if (Math.min(before, after) > 0.5) return ['median-hits-in-both', rates];
  return Math.max(before, after) < 0.5 ? ['median-misses-in-both', rates] : null;
};

/** It hits more, but is not faster. */
export function slowReasons(scene: ExplainedCell): Reason[] {
  return [
    ...firstOf(scene, [hotWorker]),
    ...firstOf(scene, [queueingHidesGain, hitSavesLittle, medianOfOneKind]),
  ];
}

const queueingHidesGain: ReasonRule = ({ candidate }) => {
  const hits = ttftOf(candidate, true);
  const [fastest, usual] = [percentile(hits, 0.05), percentile(hits, 0.5)];
  if (fastest === null || usual === null || usual < 2 * fastest) return null;
  const waits = median(candidate.ok.map((record) => record.server?.prefill_wait_ms ?? null));
  return [
    'queueing-hides-gain',
    labelled(
      candidate,
      reasonEvidence('hits-wait', {
        usual: usual.toFixed(1),
        best: fastest.toFixed(1),
        wait: waits === null ? null : waits.toFixed(1),
      }),
    ),
  ];
};

const hitSavesLittle: ReasonRule = ({ candidate }) => {
  const [usual, missed] = [true, false].map((hit) => percentile(ttftOf(candidate, hit), 0.5));
  return usual != null && missed != null && missed < 1.1 * usual
    ? [
        'hit-saves-little',
        labelled(
          candidate,
          reasonEvidence('hit-like-miss', { hits: usual.toFixed(1), misses: missed.toFixed(1) }),
        ),
      ]
    : null;
};

function ttftOf({ reported }: ExplainedVariant, hit: boolean): Sorted {
  return sortedOf(reported.filter((fact) => fact.hit === hit).map((fact) => fact.record.ttft_ms));
}

/** Why a change as large as someone would care for has no verdict: the client's lateness, or else the repeats. */
export function unsureReason(change: MeasureChange | undefined): Reason[] {
  if (change?.verdict !== 'not distinguishable' || change.change === null || change.interval === null)
    return [];
  const { low, high } = change.interval;
  if (Math.abs(change.change) < (change.unit === 'pp' ? 2 : 5)) return [];
  const { below, above } = change.clientMargin ?? { below: 0, above: 0 };
  // Only where the interval would exclude 0 without what the client may have done.
  if (change.change > 0 ? low <= 0 && low + below > 0 : high >= 0 && high - above < 0) {
    return [
      [
        'client-late',
        reasonEvidence('change-by-client', {
          measure: change.measure,
          change: signed(change.change),
          unit: change.unit,
          margin: (change.change > 0 ? below : above).toFixed(1),
        }),
      ],
    ];
  }
  return [
    [
      'repeats-differ',
      reasonEvidence('change-in-noise', {
        measure: change.measure,
        change: signed(change.change),
        unit: change.unit,
        low: signed(low),
        high: signed(high),
      }),
    ],
  ];
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(1)}`;
}
