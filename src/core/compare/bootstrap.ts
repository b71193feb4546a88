import type { RequestRecord } from '../answer/request-record.js';
import type { Rng } from '../base/rng.js';
import type { Sorted } from '../base/statistics.js';
import { type ChangeScale, COMPARED } from '../measure/measures.js';
import type { TrialFacts } from '../measure/trial-facts.js';
import type { Times, TrialSums } from '../measure/trial-sums.js';

/** The change from `baseline` to `candidate` on a scale; not finite when a ratio has no logarithm. */
export function scaledChange(scale: ChangeScale, baseline: number, candidate: number): number {
  return scale === 'points' ? candidate - baseline : Math.log(candidate / baseline);
}

/**
 * How much the change of each measure of {@link COMPARED} between two trials of one plan varies by the chance of its
 * requests: the variance (of the scaled change) under a paired bootstrap. Each of `draws` draws takes n requests of the
 * plan with replacement, the same ones of both trials, so what the plan decides (prefix, lengths, when it was due)
 * cancels out. NaN where a measure has no value.
 *
 * It says how the noise of a cell compares with that of another, not how large it is: requests of one trial share its
 * luck (which worker a connection got, what a cache kept), and only repeats show that.
 */
export function resampleVariances(
  baseline: TrialFacts,
  candidate: TrialFacts,
  draws: number,
  rng: Rng,
): Float64Array {
  const requests = baseline.planned.length;
  const weights = new Uint32Array(requests);
  const a = createDrawnSums(baseline, weights);
  const b = createDrawnSums(candidate, weights);
  const spreads = COMPARED.map(({ scale }) => createSpread(scale));
  for (let draw = 0; draw < draws; draw++) {
    weights.fill(0);
    for (let i = 0; i < requests; i++) {
      const drawn = rng.int(requests);
      weights[drawn] = (weights[drawn] as number) + 1;
    }
    a.add();
    b.add();
    COMPARED.forEach((measure, m) => {
      spreads[m]?.add(measure.of(a.sums) ?? Number.NaN, measure.of(b.sums) ?? Number.NaN);
    });
  }
  return Float64Array.from(spreads, (spread) => spread.variance());
}

/** Running variance of scaled changes (Welford); draws in which a measure has no value are passed over. */
function createSpread(scale: ChangeScale) {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(baseline: number, candidate: number): void {
      const change = scaledChange(scale, baseline, candidate);
      if (!Number.isFinite(change)) return;
      count++;
      const off = change - mean;
      mean += off / count;
      squares += off * (change - mean);
    },
    variance: () => (count < 2 ? Number.NaN : squares / (count - 1)),
  };
}

/**
 * The sums of a trial whose request i counts `weights[i]` times, i its position in the plan. `add` makes them anew after
 * the weights changed: once for all measures, since most of the time of a comparison goes here. A span is the sum of the
 * times between completions: each ok request brings its own.
 */
function createDrawnSums(trial: TrialFacts, weights: Uint32Array) {
  const { planned, reported, ok } = trial;
  const at = new Map(planned.map((record, position) => [record, position]));
  const position = (record: RequestRecord) => at.get(record) ?? 0;

  const cacheAt = Uint32Array.from(reported, (fact) => position(fact.record));
  const hit = Uint8Array.from(reported, (fact) => (fact.hit ? 1 : 0));
  const cached = Float64Array.from(reported, (fact) => fact.cachedTokens);
  const prompt = Float64Array.from(reported, (fact) => fact.promptTokens);

  const okAt = Uint32Array.from(ok, position);
  const gapMs = completionGaps(planned, ok);
  const allSayOutput = ok.every((record) => record.output_tokens !== null);
  const output = Float64Array.from(ok, (record) => record.output_tokens ?? 0);

  const timesOf = (sorted: Sorted, time: (record: RequestRecord) => number | null) =>
    // Withheld times are of no request.
    createDrawnTimes(sorted, positionsByTime(sorted.length === 0 ? [] : ok, time, position), weights);
  const sums: { -readonly [K in keyof TrialSums]: TrialSums[K] } = {
    ok: 0,
    reported: 0,
    hits: 0,
    cachedTokens: 0,
    promptTokens: 0,
    outputTokens: null,
    spanS: null,
    ttft: timesOf(trial.ttft, (record) => record.ttft_ms),
    tpot: timesOf(trial.tpot, (record) => record.tpot_ms),
    e2e: timesOf(trial.e2e, (record) => record.e2e_ms),
  };

  const add = () => {
    let reports = 0;
    let hits = 0;
    let cachedSum = 0;
    let promptSum = 0;
    for (let i = 0; i < cacheAt.length; i++) {
      const weight = weights[cacheAt[i] as number] as number;
      reports += weight;
      hits += weight * (hit[i] as number);
      cachedSum += weight * (cached[i] as number);
      promptSum += weight * (prompt[i] as number);
    }
    let oks = 0;
    let spanMs = 0;
    let outputs = 0;
    for (let i = 0; i < okAt.length; i++) {
      const weight = weights[okAt[i] as number] as number;
      oks += weight;
      spanMs += weight * (gapMs[i] as number);
      outputs += weight * (output[i] as number);
    }
    sums.reported = reports;
    sums.hits = hits;
    sums.cachedTokens = cachedSum;
    sums.promptTokens = promptSum;
    sums.ok = oks;
    sums.spanS = spanMs / 1000;
    sums.outputTokens = allSayOutput ? outputs : null;
  };
  return { sums: sums as TrialSums, add };
}

/** A time of the drawn requests; `positions` in the plan, aligned with the sorted times. */
function createDrawnTimes(sorted: Sorted, positions: Uint32Array, weights: Uint32Array): Times {
  return {
    mean() {
      let total = 0;
      let count = 0;
      for (let i = 0; i < positions.length; i++) {
        const weight = weights[positions[i] as number] as number;
        count += weight;
        total += weight * (sorted[i] as number);
      }
      return count === 0 ? null : total / count;
    },
    percentile: (p) => weightedPercentile(sorted, positions, weights, p),
  };
}

/** Nearest rank, as in {@link TrialFacts}: the value at which ceil(p × Σ weights) is reached; null for no requests. */
function weightedPercentile(
  sorted: Sorted,
  positions: Uint32Array,
  weights: Uint32Array,
  p: number,
): number | null {
  // Weights sum to their number, so where every request has this time there is nothing to count.
  let total = weights.length;
  if (positions.length < weights.length) {
    total = 0;
    for (let i = 0; i < positions.length; i++) total += weights[positions[i] as number] as number;
  }
  const rank = Math.max(1, Math.ceil(p * total - 1e-9));
  if (p < 0.75) {
    let below = 0;
    for (let i = 0; i < positions.length; i++) {
      below += weights[positions[i] as number] as number;
      if (below >= rank) return sorted[i] as number;
    }
    return null;
  }
  // From the top: a p99 is reached a hundred times sooner.
  let above = 0;
  for (let i = positions.length - 1; i >= 0; i--) {
    above += weights[positions[i] as number] as number;
    if (total - above < rank) return sorted[i] as number;
  }
  return null;
}

/** Positions in the plan of the requests that have this time, shortest time first: aligned with the sorted times. */
function positionsByTime(
  ok: readonly RequestRecord[],
  time: (record: RequestRecord) => number | null,
  position: (record: RequestRecord) => number,
): Uint32Array {
  const timed = ok.filter((record) => time(record) !== null);
  return Uint32Array.from(
    timed.sort((a, b) => (time(a) ?? 0) - (time(b) ?? 0)),
    position,
  );
}

/** For each ok request, in plan order: its completion − the completion before it (the first: − the first send), ms. */
function completionGaps(planned: readonly RequestRecord[], ok: readonly RequestRecord[]): Float64Array {
  let lastMs = Number.POSITIVE_INFINITY;
  for (const record of planned) if (record.sent_ms !== null) lastMs = Math.min(lastMs, record.sent_ms);
  const ends = ok.map((record, index) => ({ index, endMs: (record.sent_ms ?? 0) + (record.e2e_ms ?? 0) }));
  const gaps = new Float64Array(ok.length);
  for (const { index, endMs } of ends.sort((a, b) => a.endMs - b.endMs)) {
    gaps[index] = endMs - lastMs;
    lastMs = endMs;
  }
  return gaps;
}
