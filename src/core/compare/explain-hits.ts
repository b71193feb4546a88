import { readCacheCounts } from '../measure/cache-counts.js';
import { isRoundRobin } from '../measure/round-robin.js';
import { trialEvidence } from '../measure/trial-evidence.js';
import { type ExplainedVariant, either, percent, type ReasonRule, reasonIf } from './explain-context.js';
import { reasonEvidence } from './reason-evidence.js';

/** Why a candidate does not hit more than the baseline, a rule for each reason. */

export const notReported: ReasonRule = (scene) =>
  reasonIf(
    'cached-tokens-not-reported',
    either(scene, ({ reported, ok, side }) =>
      reported.length === 0 && side.withheld['hit-rate'] === undefined
        ? trialEvidence('cached-tokens-carried', { reported: 0, answers: ok.length, lacksZero: false })
        : null,
    ),
  );

/** Seen on Dynamo 1.6.1, disaggregated: cached_tokens 0 in every answer while the router's kv_hit_rate is 0.97. */
export const fromDecode: ReasonRule = (scene) =>
  reasonIf(
    'cached-tokens-from-decode',
    either(
      scene,
      ({ trials }) =>
        trials
          .flatMap((trial) => trial.summary.findings)
          .find(({ code }) => code === 'cached-tokens-from-decode')?.evidence ?? null,
    ),
  );

export const prefixBelowBlock: ReasonRule = (scene) =>
  reasonIf(
    'prefix-below-block',
    either(scene, ({ rules, trials }) => {
      const { templateTokens } = readCacheCounts(trials[0]?.facts.planned ?? [], rules);
      return rules.prefixTokens + templateTokens < rules.blockSize
        ? reasonEvidence('short-prefix', { prefixTokens: rules.prefixTokens, blockSize: rules.blockSize })
        : null;
    }),
  );

export const everythingMissed: ReasonRule = (scene) =>
  reasonIf(
    'everything-missed',
    either(scene, (actor) =>
      missedAll(actor)
        ? reasonEvidence('none-hit', {
            requests: actor.reported.length,
            perPrefix: requestsPerPrefix(actor).toFixed(0),
          })
        : null,
    ),
  );

export const workersNotReported: ReasonRule = (scene) =>
  reasonIf(
    'workers-not-reported',
    either(scene, ({ side }) => (side.load === null ? reasonEvidence('workers-unnamed', null) : null)),
  );

export const oneWorker: ReasonRule = (scene) =>
  reasonIf(
    'one-worker',
    either(scene, ({ side }) => {
      const [only, ...others] = side.load?.workers ?? [];
      return only === undefined || others.length > 0
        ? null
        : reasonEvidence('one-worker', { worker: only.worker });
    }),
  );

/** A ratio this near to its ceiling leaves nothing that a router could win. */
const CEILING_SHARE = 0.98;

export const atTheCeiling: ReasonRule = ({ baseline }) => {
  const { cached_token_ratio: ratio, cached_token_ceiling: ceiling } = baseline.side.values;
  const near = ratio !== null && ceiling !== null && ceiling > 0 && ratio >= CEILING_SHARE * ceiling;
  return near
    ? [
        'at-the-ceiling',
        reasonEvidence('ratio-at-ceiling', {
          baseline: baseline.label,
          ratio: ratio.toFixed(3),
          ceiling: ceiling.toFixed(3),
        }),
      ]
    : null;
};

export const fitsInOneWorker: ReasonRule = ({ baseline }) => {
  const { lost, load, values } = baseline.side;
  if (lost === null || load === null || load.workers.length < 2) return null;
  const spread = values.workers_per_prefix ?? 1;
  return lost.eviction === 0 && lost.notFirstTouch === 0 && spread >= load.workers.length / 2
    ? [
        'fits-in-one-worker',
        reasonEvidence('nothing-evicted', {
          baseline: baseline.label,
          spread: spread.toFixed(1),
          workers: load.workers.length,
        }),
      ]
    : null;
};

/** The candidate sends everything to one worker, where the baseline met several. */
export const allOnOne: ReasonRule = ({ baseline, candidate }) => {
  const [before, after] = [baseline.side.load, candidate.side.load];
  const only = after?.workers[0];
  return before === null ||
    after === null ||
    only === undefined ||
    after.workers.length > 1 ||
    before.workers.length < 2
    ? null
    : [
        'all-on-one-worker',
        reasonEvidence('one-of-several', {
          candidate: candidate.label,
          worker: only.worker,
          baseline: baseline.label,
          workers: before.workers.length,
        }),
      ];
};

/** Of the workers that chance would give a prefix: as many are no choice of a router that looks at prefixes. */
const BY_CHANCE_SHARE = 0.85;
/** Fewer requests of a prefix than this many meet nearly as many workers by any rule. */
const FEWEST_BY_CHANCE = 2;

/** The candidate places requests without regard to their prefixes, whatever its name. */
export const dealtOut: ReasonRule = ({ candidate }) => {
  const { load, values } = candidate.side;
  const spread = values.workers_per_prefix;
  if (load === null || load.workers.length < 2 || spread === null) return null;
  const byChance = workersByChance(candidate);
  const figures = {
    candidate: candidate.label,
    spread: spread.toFixed(1),
    workers: load.workers.length,
    byChance: byChance.toFixed(1),
  };
  if (candidate.trials.every((trial) => isRoundRobin(trial.facts.planned))) {
    return ['deals-in-turn', reasonEvidence('dealt-in-turn', figures)];
  }
  return byChance >= FEWEST_BY_CHANCE && spread >= BY_CHANCE_SHARE * byChance
    ? ['placed-by-chance', reasonEvidence('placed-as-by-chance', figures)]
    : null;
};

/** Workers that a prefix would meet if each of its requests went to any of them. */
function workersByChance(variant: ExplainedVariant): number {
  const workers = variant.side.load?.workers.length ?? 1;
  return workers * (1 - (1 - 1 / workers) ** requestsPerPrefix(variant));
}

/** Of the workers that chance would give a prefix; fewer is no chance. */
const IN_PHASE_SHARE = 0.6;

export const roundRobinInPhase: ReasonRule = ({ baseline }) => {
  const { load, values } = baseline.side;
  const spread = values.workers_per_prefix;
  if (load === null || load.workers.length < 2 || spread === null) return null;
  const workers = load.workers.length;
  const byChance = workersByChance(baseline);
  return spread < IN_PHASE_SHARE * byChance &&
    baseline.trials.every((trial) => isRoundRobin(trial.facts.planned))
    ? [
        'round-robin-in-phase',
        reasonEvidence('few-workers-met', {
          baseline: baseline.label,
          spread: spread.toFixed(1),
          workers,
          byChance: byChance.toFixed(1),
        }),
      ]
    : null;
};

export const capacityShort: ReasonRule = ({ candidate }) => {
  const { lost } = candidate.side;
  if (lost === null) return null;
  const avoidable = lost.missing - lost.firstTouch;
  return avoidable > 0.05 * lost.expected && lost.eviction > 0.7 * avoidable
    ? [
        'capacity-short',
        reasonEvidence('lost-to-eviction', {
          candidate: candidate.label,
          eviction: percent(lost.eviction, lost.expected),
          placement: percent(lost.placement, lost.expected),
        }),
      ]
    : null;
};

/** Whether no request hit, though some prefix came more than once in a trial. */
function missedAll(actor: ExplainedVariant): boolean {
  return (
    actor.reported.length > 0 && actor.reported.every((fact) => !fact.hit) && requestsPerPrefix(actor) > 1
  );
}

/** Ok requests of a prefix in one trial, on average. */
function requestsPerPrefix({ trials, ok }: ExplainedVariant): number {
  const prefixes = trials.map((trial) => new Set(trial.facts.ok.map((record) => record.prefix)).size);
  return ok.length / prefixes.reduce((sum, count) => sum + count, 0);
}
