// Published against simulated: deviations, their means, and whether the order of variants is kept.

import { KINDS } from './published.mjs';

/**
 * Joins published figures with simulated ones. `runs` is one object per seed: key of a figure's cell -> measures.
 * Gives for each figure the mean over seeds, least, greatest, standard deviation and the deviation from the published.
 */
export function compareFigures(figures, runs) {
  return figures.map((figure) => {
    const { scale, deviation } = KINDS[figure.measure];
    const values = runs.map((run) => run[cellKey(figure)][figure.measure] * scale);
    const simulated = mean(values);
    const difference = simulated - figure.published;
    return {
      ...figure,
      simulated,
      values,
      min: Math.min(...values),
      max: Math.max(...values),
      deviation: deviation === 'percent' ? (100 * difference) / figure.published : difference,
    };
  });
}

/** Where a figure's measures are in a run. */
export function cellKey({ variant, workers, prefixes, concurrency }) {
  return `${variant}/${workers}/p${prefixes}-c${concurrency}`;
}

/** Mean absolute deviation of each measure over the cells of a set. */
export function meanDeviations(compared, set) {
  return Object.keys(KINDS)
    .map((measure) => {
      const own = compared.filter((figure) => figure.measure === measure && figure.set === set);
      return { measure, cells: own.length, deviation: mean(own.map((figure) => Math.abs(figure.deviation))) };
    })
    .filter(({ cells }) => cells > 0);
}

/**
 * Pairs of variants in one published cell whose gap is larger than its noise: twice the standard deviation over seeds of
 * their simulated difference, each figure being one run as the published ones are. `kept` tells whether the mean
 * simulated gap has the same sign.
 */
export function compareOrders(compared) {
  const orders = [];
  for (const [i, a] of compared.entries()) {
    for (const b of compared.slice(i + 1)) {
      const sameCell =
        a.measure === b.measure &&
        a.workers === b.workers &&
        a.prefixes === b.prefixes &&
        a.concurrency === b.concurrency;
      if (!sameCell) continue;
      const gap = a.published - b.published;
      const noise = 2 * deviationOf(a.values.map((value, seed) => value - b.values[seed]));
      if (Math.abs(gap) <= noise || gap === 0) continue;
      orders.push({ a, b, gap, kept: Math.sign(a.simulated - b.simulated) === Math.sign(gap) });
    }
  }
  return orders;
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function deviationOf(values) {
  const middle = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)));
}
