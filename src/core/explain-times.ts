import type { MeasureChange } from './comparison.js';
import { type Actor, changeOf, firstOf, type Rule, type Scene } from './explain-scene.js';
import type { ReasonCode } from './reasons.js';
import { median, percentile, type Sorted, sortedOf } from './statistics.js';

export const hotWorker: Rule = ({ candidate }) => {
  const { load } = candidate.side;
  const busiest = load?.workers[0];
  if (load === null || busiest === undefined || load.workers.length < 2) return null;
  return busiest.share >= Math.min(0.75, 2 / load.workers.length) && load.cv > 3 * load.cvByChance
    ? [
        'hot-worker',
        `${candidate.label}: ${busiest.worker} served ${percent(busiest.share)} of the requests, an even share is ${percent(1 / load.workers.length)}`,
      ]
    : null;
};

/** Its requests ran on fewer workers, and each of them more slowly. */
export const loadConcentrated: Rule = (scene) => {
  const { baseline, candidate } = scene;
  const [before, after] = [baseline.side.load, candidate.side.load];
  const output = changeOf(scene, 'tpot_p50_ms');
  const busiest = after?.workers[0];
  if (before === null || after === null || busiest === undefined || output?.verdict !== 'worse') return null;
  return after.cv > after.cvByChance && after.cv > 1.5 * before.cv
    ? [
        'load-concentrated',
        `${candidate.label}: TPOT p50 ${signed(output.change ?? 0)} ${output.unit}; its busiest worker served ${percent(busiest.share)} of the requests (an even share is ${percent(1 / after.workers.length)}), the load varies by ${after.cv.toFixed(2)} (${baseline.label} ${before.cv.toFixed(2)})`,
      ]
    : null;
};

/** The median request hits in both, or misses in both: its TTFT compares like with like. */
const medianOfOneKind: Rule = ({ baseline, candidate }) => {
  const [before, after] = [baseline, candidate].map(({ side }) => side.values.request_hit_rate ?? 0.5);
  if (before === undefined || after === undefined) return null;
  const rates = `${baseline.label} hits with ${percent(before)} of the requests, ${candidate.label} with ${percent(after)}`;
  if (Math.min(before, after) > 0.5) return ['median-hits-in-both', rates];
  return Math.max(before, after) < 0.5 ? ['median-misses-in-both', rates] : null;
};

/** It hits more, but is not faster. */
export function slowReasons(scene: Scene): [ReasonCode, string][] {
  return [
    ...firstOf(scene, [hotWorker]),
    ...firstOf(scene, [queueingHidesGain, hitSavesLittle, medianOfOneKind]),
  ];
}

const queueingHidesGain: Rule = ({ candidate }) => {
  const hits = ttftOf(candidate, true);
  const [fastest, usual] = [percentile(hits, 0.05), percentile(hits, 0.5)];
  if (fastest === null || usual === null || usual < 2 * fastest) return null;
  const waits = median(candidate.ok.map((record) => record.server?.prefill_wait_ms ?? null));
  const told = waits === null ? '' : `; the server reports a wait of ${waits.toFixed(1)} ms at the median`;
  return [
    'queueing-hides-gain',
    `${candidate.label}: a hit takes ${usual.toFixed(1)} ms to its first token at the median, ${fastest.toFixed(1)} ms at best${told}`,
  ];
};

const hitSavesLittle: Rule = ({ candidate }) => {
  const [usual, missed] = [true, false].map((hit) => percentile(ttftOf(candidate, hit), 0.5));
  return usual != null && missed != null && missed < 1.1 * usual
    ? [
        'hit-saves-little',
        `${candidate.label}: TTFT p50 is ${usual.toFixed(1)} ms of hits, ${missed.toFixed(1)} ms of misses`,
      ]
    : null;
};

function ttftOf({ reported }: Actor, hit: boolean): Sorted {
  return sortedOf(reported.filter((fact) => fact.hit === hit).map((fact) => fact.record.ttft_ms));
}

/** A change as large as someone would care for, that repeats do not bear out. */
export function noiseReason(change: MeasureChange | undefined): [ReasonCode, string][] {
  if (change?.verdict !== 'not distinguishable' || change.change === null || change.interval === null)
    return [];
  const { low, high } = change.interval;
  if (Math.abs(change.change) < (change.unit === 'pp' ? 2 : 5)) return [];
  return [
    [
      'repeats-differ',
      `${change.measure} ${signed(change.change)} ${change.unit}, 95 % interval ${signed(low)} to ${signed(high)}`,
    ],
  ];
}

function signed(value: number): string {
  return `${value > 0 ? '+' : ''}${value.toFixed(1)}`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
