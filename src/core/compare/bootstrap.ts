import type { RequestRecord } from '../answer/request-record.js';
import type { Rng } from '../base/rng.js';
import type { MeasureKey, TrialFacts } from '../measure/measures.js';

/** The measures that are compared: those of which more or less is better. */
export const COMPARED = [
  'request_hit_rate',
  'cached_token_ratio',
  'ttft_p50_ms',
  'ttft_p99_ms',
  'tpot_p50_ms',
  'e2e_p50_ms',
  'e2e_p99_ms',
  'throughput_rps',
  'output_tokens_per_s',
] as const satisfies readonly MeasureKey[];

export type ComparedMeasure = (typeof COMPARED)[number];

/** On which scale a change is measured and its error is even: points for rates, the logarithm of the ratio for the rest. */
export type ChangeScale = 'points' | 'log-ratio';

export function scaleOf(measure: ComparedMeasure): ChangeScale {
  return measure === 'request_hit_rate' || measure === 'cached_token_ratio' ? 'points' : 'log-ratio';
}

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
  const sides = [baseline, candidate].map((facts) => ({
    resample: createResample(facts),
    values: new Float64Array(COMPARED.length),
  }));
  const [a, b] = sides.map((side) => side.values);
  const spreads = COMPARED.map((measure) => createSpread(scaleOf(measure)));
  const weights = new Uint32Array(requests);
  for (let draw = 0; draw < draws; draw++) {
    weights.fill(0);
    for (let i = 0; i < requests; i++) {
      const drawn = rng.int(requests);
      weights[drawn] = (weights[drawn] as number) + 1;
    }
    for (const { resample, values } of sides) resample(weights, values);
    spreads.forEach((spread, m) => {
      spread.add(a?.[m] ?? Number.NaN, b?.[m] ?? Number.NaN);
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

type Resample = (weights: Uint32Array, into: Float64Array) => void;

/**
 * Every compared measure of a trial whose request i counts `weights[i]` times, i its position in the plan. Throughput is
 * a count over a span, and a span is the sum of the times between completions: each ok request brings its own.
 */
function createResample({ planned, reported, ok, ttft, tpot, e2e }: TrialFacts): Resample {
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

  const ttftAt = positionsByTime(ok, (record) => record.ttft_ms, position);
  const tpotAt = positionsByTime(ok, (record) => record.tpot_ms, position);
  const e2eAt = positionsByTime(ok, (record) => record.e2e_ms, position);

  return (weights, into) => {
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
    // In the order of COMPARED.
    into[0] = hits / reports;
    into[1] = cachedSum / promptSum;
    into[2] = weightedPercentile(ttft, ttftAt, weights, 0.5);
    into[3] = weightedPercentile(ttft, ttftAt, weights, 0.99);
    into[4] = weightedPercentile(tpot, tpotAt, weights, 0.5);
    into[5] = weightedPercentile(e2e, e2eAt, weights, 0.5);
    into[6] = weightedPercentile(e2e, e2eAt, weights, 0.99);
    into[7] = (oks * 1000) / spanMs;
    into[8] = allSayOutput ? (outputs * 1000) / spanMs : Number.NaN;
  };
}

/** Nearest rank, as in {@link TrialFacts}: the value at which ceil(p × Σ weights) is reached. NaN of nothing. */
function weightedPercentile(
  sorted: Float64Array,
  positions: Uint32Array,
  weights: Uint32Array,
  p: number,
): number {
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
    return Number.NaN;
  }
  // From the top: a p99 is reached a hundred times sooner.
  let above = 0;
  for (let i = positions.length - 1; i >= 0; i--) {
    above += weights[positions[i] as number] as number;
    if (total - above < rank) return sorted[i] as number;
  }
  return Number.NaN;
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
