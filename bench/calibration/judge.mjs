import { createRng } from '../../dist/core/base/rng.js';
import { median } from '../../dist/core/base/statistics.js';
import { studentTwoSidedP } from '../../dist/core/base/student-t.js';
import { resampleVariances, scaledChange } from '../../dist/core/compare/bootstrap.js';
import { compareVariants } from '../../dist/core/compare/compare.js';
import { buildComparedVariants, keptTrials } from '../../dist/core/compare/compared-variant.js';
import { medianError } from '../../dist/core/compare/interval.js';
import { COMPARED, COMPARED_KEYS, measureOf } from '../../dist/core/measure/measures.js';

/** Every comparison of two runs as `kvbench diff` judges it, beside what two simpler methods would say. */
export function judgePair(baseline, candidate) {
  const sides = buildComparedVariants([baseline, candidate]);
  const comparison = compareVariants(sides, { workerCapacity: null });
  return comparison.cells.flatMap(({ cell, candidates }) => {
    const simpler = judgeSimply(sides[0].cells.get(cell.id), sides[1].cells.get(cell.id));
    return (candidates[0]?.changes ?? []).flatMap((change) => {
      if (change.verdict === null) return [];
      return { cell: cell.id, ...describe(change), ...simpler[COMPARED_KEYS.indexOf(change.measure)] };
    });
  });
}

/** A change on its scale (points as a share, log ratio). */
function describe({ measure, change, interval, verdict }) {
  const unscale = (value) => (measureOf(measure).scale === 'points' ? value / 100 : Math.log1p(value / 100));
  return {
    measure,
    change: unscale(change),
    low: unscale(interval.low),
    high: unscale(interval.high),
    called: verdict !== 'not distinguishable',
  };
}

/** By the bootstrap of requests alone, and by the paired t over repeats alone: whether each excludes no change. */
function judgeSimply(a, b) {
  const pairs = keptTrials(a).flatMap((first) => {
    const second = keptTrials(b).find((trial) => trial.repeat === first.repeat);
    return second === undefined ? [] : [[first, second]];
  });
  const variances = pairs.map(([first, second]) =>
    resampleVariances(first.facts, second.facts, 100, createRng(`calibrate/${first.summary.id}`)),
  );
  return COMPARED.map(({ key: measure, scale }, m) => {
    const changes = pairs.map(([first, second]) =>
      scaledChange(scale, first.summary.values[measure], second.summary.values[measure]),
    );
    const of = (side) => median(pairs.map((pair) => pair[side].summary.values[measure]));
    const change = scaledChange(scale, of(0), of(1));
    const within = Math.sqrt(mean(variances.map((values) => values[m])));
    const spread = Math.sqrt(mean(changes.map((own) => (own - mean(changes)) ** 2)) / (changes.length - 1));
    return {
      byRequests: excludes(change, medianError(pairs.length) * within, 1e6),
      byRepeats: excludes(mean(changes), spread, changes.length - 1),
    };
  });
}

function excludes(change, standardError, df) {
  if (change === 0) return false;
  return standardError === 0 || studentTwoSidedP(change / standardError, df) < 0.05;
}

function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
