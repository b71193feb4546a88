import { createRng } from '../../dist/core/base/rng.js';
import { roundMs } from '../../dist/core/base/round.js';
import { createTimeHistogram } from '../../dist/core/base/time-histogram.js';
import { buildClientCheck } from '../../dist/core/measure/client-check.js';

/**
 * A run as a late client would have measured it: each first and last token is stamped late by a time of its own
 * (exponential, `meanMs` on average). `isKnown` tells whether the client saw its lateness, as it does in a real run.
 */
export function makeLate(run, meanMs, seed, isKnown) {
  const draw = createRng(`late/${seed}`);
  const lag = () => roundMs(-Math.log(1 - draw.next()) * meanMs);
  const lags = new Map();
  const records = run.records.map((record) => {
    if (record.ttft_ms === null) return record;
    const [first, last] = [lag(), lag()];
    if (!lags.has(record.trial)) lags.set(record.trial, createTimeHistogram());
    lags.get(record.trial).add(first);
    const ttft_ms = roundMs(record.ttft_ms + first);
    const e2e_ms = Math.max(ttft_ms, roundMs(record.e2e_ms + last));
    const gaps = (record.output_tokens ?? 0) - 1;
    return { ...record, ttft_ms, e2e_ms, tpot_ms: gaps > 0 ? roundMs((e2e_ms - ttft_ms) / gaps) : null };
  });
  const trials = run.run.trials.map((trial) => ({
    ...trial,
    client: isKnown ? checkOf(lags.get(trial.id)) : null,
  }));
  return { ...run, records, run: { ...run.run, trials } };
}

function checkOf(stampLag) {
  const [none, sent] = [createTimeHistogram(), createTimeHistogram()];
  sent.add(0);
  const reading = { stampLag: stampLag.counts(), loopDelay: none.counts(), readerMs: 0, cpuMs: 0, spanMs: 1 };
  return buildClientCheck([reading], { requests: 1, sendLag: sent, concurrencyAsked: 1, concurrencyMean: 1 });
}
