import type { MeasureKey, TrialFacts } from './measures.js';
import type { RequestRecord } from './record.js';
import type { Rng } from './rng.js';

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

/** Values of one trial under redrawn requests: `values[m][d]` is measure m of {@link COMPARED} in draw d; NaN for null. */
export type TrialDraws = readonly Float64Array[];

/**
 * Redraws the requests of two trials with the same plan, with replacement, `draws` times. Each draw takes the same
 * requests of both: what the plan decides (a request's prefix, its length, when it was due) cancels out of their
 * difference.
 */
export function redrawPair(
  baseline: TrialFacts,
  candidate: TrialFacts,
  draws: number,
  rng: Rng,
): { readonly baseline: TrialDraws; readonly candidate: TrialDraws } {
  const requests = baseline.planned.length;
  const sides = [baseline, candidate].map((facts) => ({
    resample: createResample(facts),
    values: COMPARED.map(() => new Float64Array(draws)),
  }));
  const weights = new Uint32Array(requests);
  for (let draw = 0; draw < draws; draw++) {
    weights.fill(0);
    for (let i = 0; i < requests; i++) {
      const drawn = rng.int(requests);
      weights[drawn] = (weights[drawn] as number) + 1;
    }
    for (const { resample, values } of sides) resample(weights, values, draw);
  }
  const [a, b] = sides;
  return { baseline: a?.values ?? [], candidate: b?.values ?? [] };
}

type Resample = (weights: Uint32Array, into: readonly Float64Array[], draw: number) => void;

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

  return (weights, into, draw) => {
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
    const values = [
      hits / reports,
      cachedSum / promptSum,
      weightedPercentile(ttft, ttftAt, weights, 0.5),
      weightedPercentile(ttft, ttftAt, weights, 0.99),
      weightedPercentile(tpot, tpotAt, weights, 0.5),
      weightedPercentile(e2e, e2eAt, weights, 0.5),
      weightedPercentile(e2e, e2eAt, weights, 0.99),
      (oks * 1000) / spanMs,
      allSayOutput ? (outputs * 1000) / spanMs : Number.NaN,
    ];
    for (let m = 0; m < values.length; m++) (into[m] as Float64Array)[draw] = values[m] as number;
  };
}

/** Nearest rank, as in {@link TrialFacts}: the value at which ceil(p × Σ weights) is reached. NaN of nothing. */
function weightedPercentile(
  sorted: Float64Array,
  positions: Uint32Array,
  weights: Uint32Array,
  p: number,
): number {
  let total = 0;
  for (let i = 0; i < positions.length; i++) total += weights[positions[i] as number] as number;
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
