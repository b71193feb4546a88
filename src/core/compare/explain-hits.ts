import { saw } from '../base/evidence.js';
import { isRoundRobin } from '../measure/round-robin.js';
import { templateTokens } from '../measure/trial-facts.js';
import { type Actor, either, percent, type Rule, rule } from './explain-context.js';

/** Why a candidate does not hit more than the baseline, a rule for each reason. */

export const notReported: Rule = (scene) =>
  rule(
    'cached-tokens-not-reported',
    either(scene, ({ reported, ok }) =>
      reported.length === 0
        ? saw('cached-tokens-carried', { reported: 0, answers: ok.length, lacksZero: false })
        : null,
    ),
  );

/** Seen on Dynamo 1.6.1, disaggregated: cached_tokens 0 in every answer while the router's kv_hit_rate is 0.97. */
export const fromDecode: Rule = (scene) =>
  rule(
    'cached-tokens-from-decode',
    either(scene, (actor) => {
      if (!missedAll(actor)) return null;
      const expected = actor.ok.flatMap((record) => record.server?.kv_hit_rate ?? []);
      const rate = expected.reduce((sum, value) => sum + value, 0) / Math.max(1, expected.length);
      if (rate >= 0.1) {
        return saw('zero-but-router-hits', { answers: actor.reported.length, rate: rate.toFixed(2) });
      }
      const split = actor.ok.filter(
        ({ prefill_worker: prefill, decode_worker: decode }) =>
          prefill !== null && decode !== null && prefill !== decode,
      );
      return split.length > actor.ok.length / 2
        ? saw('zero-and-split', { answers: actor.reported.length, split: split.length })
        : null;
    }),
  );

export const prefixBelowBlock: Rule = (scene) =>
  rule(
    'prefix-below-block',
    either(scene, ({ reading, trials }) => {
      const template = templateTokens(trials[0]?.facts.planned ?? [], reading);
      return reading.prefixTokens + template < reading.blockSize
        ? saw('short-prefix', { prefixTokens: reading.prefixTokens, blockSize: reading.blockSize })
        : null;
    }),
  );

export const everythingMissed: Rule = (scene) =>
  rule(
    'everything-missed',
    either(scene, (actor) =>
      missedAll(actor)
        ? saw('none-hit', {
            requests: actor.reported.length,
            perPrefix: requestsPerPrefix(actor).toFixed(0),
          })
        : null,
    ),
  );

export const workersNotReported: Rule = (scene) =>
  rule(
    'workers-not-reported',
    either(scene, ({ side }) => (side.load === null ? saw('workers-unnamed') : null)),
  );

export const oneWorker: Rule = (scene) =>
  rule(
    'one-worker',
    either(scene, ({ side }) => {
      const [only, ...others] = side.load?.workers ?? [];
      return only === undefined || others.length > 0 ? null : saw('one-worker', { worker: only.worker });
    }),
  );

/** A ratio this near to its ceiling leaves nothing that a router could win. */
const CEILING_SHARE = 0.98;

export const atTheCeiling: Rule = ({ baseline }) => {
  const { cached_token_ratio: ratio, cached_token_ceiling: ceiling } = baseline.side.values;
  const near = ratio !== null && ceiling !== null && ceiling > 0 && ratio >= CEILING_SHARE * ceiling;
  return near
    ? [
        'at-the-ceiling',
        saw('ratio-at-ceiling', {
          baseline: baseline.label,
          ratio: ratio.toFixed(3),
          ceiling: ceiling.toFixed(3),
        }),
      ]
    : null;
};

export const fitsInOneWorker: Rule = ({ baseline }) => {
  const { lost, load, values } = baseline.side;
  if (lost === null || load === null || load.workers.length < 2) return null;
  const spread = values.workers_per_prefix ?? 1;
  return lost.eviction === 0 && lost.notFirstTouch === 0 && spread >= load.workers.length / 2
    ? [
        'fits-in-one-worker',
        saw('nothing-evicted', {
          baseline: baseline.label,
          spread: spread.toFixed(1),
          workers: load.workers.length,
        }),
      ]
    : null;
};

/** Of the workers that chance would give a prefix; fewer is no chance. */
const IN_PHASE_SHARE = 0.6;

export const roundRobinInPhase: Rule = ({ baseline }) => {
  const { load, values } = baseline.side;
  const spread = values.workers_per_prefix;
  if (load === null || load.workers.length < 2 || spread === null) return null;
  const workers = load.workers.length;
  const byChance = workers * (1 - (1 - 1 / workers) ** requestsPerPrefix(baseline));
  return spread < IN_PHASE_SHARE * byChance &&
    baseline.trials.every((trial) => isRoundRobin(trial.facts.planned))
    ? [
        'round-robin-in-phase',
        saw('few-workers-met', {
          baseline: baseline.label,
          spread: spread.toFixed(1),
          workers,
          byChance: byChance.toFixed(1),
        }),
      ]
    : null;
};

export const capacityShort: Rule = ({ candidate }) => {
  const { lost } = candidate.side;
  if (lost === null) return null;
  const avoidable = lost.missing - lost.firstTouch;
  return avoidable > 0.05 * lost.expected && lost.eviction > 0.7 * avoidable
    ? [
        'capacity-short',
        saw('lost-to-eviction', {
          candidate: candidate.label,
          eviction: percent(lost.eviction, lost.expected),
          placement: percent(lost.placement, lost.expected),
        }),
      ]
    : null;
};

/** Whether no request hit, though some prefix came more than once in a trial. */
function missedAll(actor: Actor): boolean {
  return (
    actor.reported.length > 0 && actor.reported.every((fact) => !fact.hit) && requestsPerPrefix(actor) > 1
  );
}

/** Ok requests of a prefix in one trial, on average. */
function requestsPerPrefix({ trials, ok }: Actor): number {
  const prefixes = trials.map((trial) => new Set(trial.facts.ok.map((record) => record.prefix)).size);
  return ok.length / prefixes.reduce((sum, count) => sum + count, 0);
}
