import type { ComparedMeasure } from './bootstrap.js';
import type { CandidateCell, CellComparison, CellSide, MeasureChange } from './comparison.js';
import { templateTokens } from './facts.js';
import { lengthsOfGroup } from './groups.js';
import type { CacheFact, Reading } from './measures.js';
import type { RequestRecord } from './record.js';
import { isRoundRobin } from './round-robin.js';
import { keptTrials, type Side, type SideTrial } from './side.js';
import { median, percentile, sortedOf } from './statistics.js';
import { summaryContext } from './trial-rows.js';

/** Why two variants do not differ, or not more: what the records can show, and what to do about it. */
export const REASONS = {
  'cached-tokens-not-reported':
    'have the server report them (vLLM: --enable-prompt-tokens-details; sglang: --enable-cache-report)',
  'cached-tokens-from-decode':
    'the decode worker of a disaggregated pair reports them, not the prefill worker that has the cache: read the hit rate from the router or the prefill workers',
  'prefix-below-block': 'only whole blocks hit: raise --prefix-tokens, or state the right --block-size',
  'everything-missed':
    'is prefix caching on? Something before the prefix may differ between requests: a chat template with a date or an id, a router that rewrites prompts, workers with another tokenizer',
  'one-worker': 'a router needs two to choose from: are the others registered and healthy?',
  'workers-not-reported':
    'placement cannot be told from eviction: have the router report workers (Dynamo: nvext.extra_fields worker_id)',
  'at-the-ceiling': 'nothing is left to win: use more prefixes, or a smaller cache',
  'fits-in-one-worker':
    'each worker can hold every prefix, so only its first request misses wherever it goes: use more or longer prefixes',
  'round-robin-in-phase':
    'the order of prefixes keeps step with the rotation, so each stays on few workers by accident: change the number of prefixes or workers',
  'capacity-short':
    'the caches are too small for these prefixes, whoever routes: fewer prefixes, or more cache',
  'hot-worker': 'its queue eats what its cache saves: look at the weights of load and overlap in the router',
  'queueing-hides-gain':
    'requests wait longer than a hit saves: lower the load, or compare at the load where the target is not saturated',
  'hit-saves-little': 'the prefill of a prefix is too short to matter here: use longer prefixes',
  'repeats-differ': 'run with more --repeats or --requests: the change may be real but is not shown',
} as const;

export type ReasonCode = keyof typeof REASONS;

/** One reason why there is no difference between two variants, or not more of it, as the records show it. */
export interface Explanation {
  readonly code: ReasonCode;
  /** Cells in which it was seen, in table order. */
  readonly where: readonly string[];
  /** What was seen in the first of them, one line, with figures. */
  readonly seen: string;
  readonly advice: string;
}

/**
 * Why candidate `candidate` (from 0) is not, or not more, better than the baseline. Cells where it is better in both the
 * hit rate and TTFT p50 need no reason. Empty from grid.csv alone.
 */
export function explain(
  sides: readonly Side[],
  candidate: number,
  cells: readonly CellComparison[],
): Explanation[] {
  const [first, second] = [sides[0], sides[candidate + 1]];
  if (first === undefined || second === undefined) return [];
  const found = new Map<ReasonCode, { where: string[]; seen: string }>();
  for (const cell of cells) {
    const scene = sceneOf(first, second, cell, candidate);
    if (scene === null) continue;
    for (const [code, seen] of reasonsOf(scene)) {
      const known = found.get(code);
      if (known === undefined) found.set(code, { where: [cell.cell.id], seen });
      else known.where.push(cell.cell.id);
    }
  }
  return (Object.keys(REASONS) as ReasonCode[]).flatMap((code) => {
    const reason = found.get(code);
    return reason === undefined ? [] : { code, ...reason, advice: REASONS[code] };
  });
}

/** One cell of both, as the rules look at it. */
interface Scene {
  readonly baseline: Actor;
  readonly candidate: Actor;
  readonly changes: CandidateCell['changes'];
}

interface Actor {
  readonly label: string;
  readonly side: CellSide;
  readonly reading: Reading;
  readonly trials: readonly SideTrial[];
  readonly ok: readonly RequestRecord[];
  readonly reported: readonly CacheFact[];
}

function sceneOf(first: Side, second: Side, cell: CellComparison, candidate: number): Scene | null {
  const compared = cell.candidates[candidate] ?? null;
  const baseline = actorOf(first, cell, 0);
  const other = actorOf(second, cell, candidate + 1);
  return compared === null || baseline === null || other === null
    ? null
    : { baseline, candidate: other, changes: compared.changes };
}

function actorOf(side: Side, cell: CellComparison, index: number): Actor | null {
  const own = cell.sides[index] ?? null;
  const source = side.cells.get(cell.cell.id);
  if (own === null || source === undefined || side.origin === null) return null;
  // What holds of each group need not hold of the whole.
  const lengths = lengthsOfGroup(side.origin.run.scenario, cell.cell.group);
  if (lengths === null) return null;
  const trials = keptTrials(source);
  const ok = trials.flatMap((trial) => trial.facts.ok);
  if (ok.length === 0) return null;
  return {
    label: side.info.label,
    side: own,
    reading: summaryContext(side.origin.run.scenario, side.origin.variant, lengths).reading,
    trials,
    ok,
    reported: trials.flatMap((trial) => trial.facts.reported),
  };
}

/** Reasons in one cell. Those that make others meaningless come alone. */
function reasonsOf(scene: Scene): [ReasonCode, string][] {
  const hits = changeOf(scene, 'request_hit_rate');
  const ttft = changeOf(scene, 'ttft_p50_ms');
  const gained = hits?.verdict === 'better' || (hits?.verdict === null && (hits.change ?? 0) >= 2);
  if (gained) {
    return ttft?.verdict === 'better' ? [] : [...slowReasons(scene), ...noiseReason(ttft)];
  }
  const blind = firstOf(scene, [notReported, fromDecode, prefixBelowBlock, everythingMissed]);
  if (blind.length > 0) return blind;
  const reasons = [
    ...firstOf(scene, [workersNotReported, oneWorker]),
    ...firstOf(scene, [atTheCeiling, fitsInOneWorker]),
    ...firstOf(scene, [roundRobinInPhase]),
    ...firstOf(scene, [capacityShort]),
    ...firstOf(scene, [hotWorker]),
  ];
  return reasons.length > 0 ? reasons : noiseReason(hits);
}

type Rule = (scene: Scene) => readonly [ReasonCode, string] | null;

function firstOf(scene: Scene, rules: readonly Rule[]): [ReasonCode, string][] {
  for (const rule of rules) {
    const reason = rule(scene);
    if (reason !== null) return [[...reason]];
  }
  return [];
}

/** The first of the two that a test says something of. */
function either(scene: Scene, test: (actor: Actor) => string | null): string | null {
  for (const actor of [scene.candidate, scene.baseline]) {
    const seen = test(actor);
    if (seen !== null) return `${actor.label}: ${seen}`;
  }
  return null;
}

function rule(code: ReasonCode, seen: string | null): readonly [ReasonCode, string] | null {
  return seen === null ? null : [code, seen];
}

const notReported: Rule = (scene) =>
  rule(
    'cached-tokens-not-reported',
    either(scene, ({ reported, ok }) =>
      reported.length === 0 ? `0 of ${ok.length} answers carry cached_tokens` : null,
    ),
  );

/** Seen on Dynamo 1.6.1, disaggregated: cached_tokens 0 in every answer while the router's kv_hit_rate is 0.97. */
const fromDecode: Rule = (scene) =>
  rule(
    'cached-tokens-from-decode',
    either(scene, (actor) => {
      if (!missedAll(actor)) return null;
      const expected = actor.ok.flatMap((record) => record.server?.kv_hit_rate ?? []);
      const rate = expected.reduce((sum, value) => sum + value, 0) / Math.max(1, expected.length);
      if (rate >= 0.1) {
        return `cached_tokens is 0 in all ${actor.reported.length} answers, the router's kv_hit_rate is ${rate.toFixed(2)}`;
      }
      const split = actor.ok.filter(
        ({ prefill_worker: prefill, decode_worker: decode }) =>
          prefill !== null && decode !== null && prefill !== decode,
      );
      return split.length > actor.ok.length / 2
        ? `cached_tokens is 0 in all ${actor.reported.length} answers, ${split.length} of them prefilled and decoded by different workers`
        : null;
    }),
  );

const prefixBelowBlock: Rule = (scene) =>
  rule(
    'prefix-below-block',
    either(scene, ({ reading, trials }) => {
      const template = templateTokens(trials[0]?.facts.planned ?? [], reading);
      return reading.prefixTokens + template < reading.blockSize
        ? `a prefix of ${reading.prefixTokens} tokens, blocks of ${reading.blockSize}`
        : null;
    }),
  );

const everythingMissed: Rule = (scene) =>
  rule(
    'everything-missed',
    either(scene, (actor) =>
      missedAll(actor)
        ? `none of ${actor.reported.length} requests hit, though each prefix was sent ${requestsPerPrefix(actor).toFixed(0)} times`
        : null,
    ),
  );

const workersNotReported: Rule = (scene) =>
  rule(
    'workers-not-reported',
    either(scene, ({ side }) => (side.load === null ? 'no answer names its worker' : null)),
  );

const oneWorker: Rule = (scene) =>
  rule(
    'one-worker',
    either(scene, ({ side }) =>
      side.load?.workers.length === 1 ? `one worker served all (${side.load.workers[0]?.worker})` : null,
    ),
  );

/** A ratio this near to its ceiling leaves nothing that a router could win. */
const CEILING_SHARE = 0.98;

const atTheCeiling: Rule = ({ baseline }) => {
  const { cached_token_ratio: ratio, cached_token_ceiling: ceiling } = baseline.side.values;
  const near = ratio !== null && ceiling !== null && ceiling > 0 && ratio >= CEILING_SHARE * ceiling;
  return near
    ? [
        'at-the-ceiling',
        `${baseline.label} already gets ${ratio.toFixed(3)} of at most ${ceiling.toFixed(3)}`,
      ]
    : null;
};

const fitsInOneWorker: Rule = ({ baseline }) => {
  const { lost, load, values } = baseline.side;
  if (lost === null || load === null || load.workers.length < 2) return null;
  const spread = values.workers_per_prefix ?? 1;
  return lost.eviction === 0 && lost.notFirstTouch === 0 && spread >= load.workers.length / 2
    ? [
        'fits-in-one-worker',
        `${baseline.label} evicted nothing though each prefix was on ${spread.toFixed(1)} of ${load.workers.length} workers`,
      ]
    : null;
};

/** Of the workers that chance would give a prefix; fewer is no chance. */
const IN_PHASE_SHARE = 0.6;

const roundRobinInPhase: Rule = ({ baseline }) => {
  const { load, values } = baseline.side;
  const spread = values.workers_per_prefix;
  if (load === null || load.workers.length < 2 || spread === null) return null;
  const workers = load.workers.length;
  const byChance = workers * (1 - (1 - 1 / workers) ** requestsPerPrefix(baseline));
  return spread < IN_PHASE_SHARE * byChance &&
    baseline.trials.every((trial) => isRoundRobin(trial.facts.planned))
    ? [
        'round-robin-in-phase',
        `${baseline.label} goes round robin, yet a prefix meets ${spread.toFixed(1)} of ${workers} workers (${byChance.toFixed(1)} by chance)`,
      ]
    : null;
};

const capacityShort: Rule = ({ candidate }) => {
  const { lost } = candidate.side;
  if (lost === null) return null;
  const avoidable = lost.missing - lost.firstTouch;
  return avoidable > 0.05 * lost.expected && lost.eviction > 0.7 * avoidable
    ? [
        'capacity-short',
        `${candidate.label} loses ${percent(lost.eviction, lost.expected)} of all it could hit to eviction, ${percent(lost.placement, lost.expected)} to placement`,
      ]
    : null;
};

const hotWorker: Rule = ({ candidate }) => {
  const { load } = candidate.side;
  const busiest = load?.workers[0];
  if (load === null || busiest === undefined || load.workers.length < 2) return null;
  return busiest.share >= Math.min(0.75, 2 / load.workers.length) && load.cv > 3 * load.cvByChance
    ? [
        'hot-worker',
        `${candidate.label}: ${busiest.worker} served ${percent(busiest.share, 1)} of the requests, an even share is ${percent(1, load.workers.length)}`,
      ]
    : null;
};

/** It hits more, but is not faster. */
function slowReasons(scene: Scene): [ReasonCode, string][] {
  const hot = firstOf(scene, [hotWorker]);
  const { candidate } = scene;
  const times = (hit: boolean) =>
    sortedOf(candidate.reported.filter((fact) => fact.hit === hit).map((fact) => fact.record.ttft_ms));
  const hits = times(true);
  const fastest = percentile(hits, 0.05);
  const usual = percentile(hits, 0.5);
  const missed = percentile(times(false), 0.5);
  if (fastest === null || usual === null) return hot;
  const waits = median(candidate.ok.map((record) => record.server?.prefill_wait_ms ?? null));
  if (usual >= 2 * fastest) {
    const told = waits === null ? '' : `; the server reports a wait of ${waits.toFixed(1)} ms at the median`;
    return [
      ...hot,
      [
        'queueing-hides-gain',
        `${candidate.label}: a hit takes ${usual.toFixed(1)} ms to its first token at the median, ${fastest.toFixed(1)} ms at best${told}`,
      ],
    ];
  }
  return missed !== null && missed < 1.1 * usual
    ? [
        ...hot,
        [
          'hit-saves-little',
          `${candidate.label}: TTFT p50 is ${usual.toFixed(1)} ms of hits, ${missed.toFixed(1)} ms of misses`,
        ],
      ]
    : hot;
}

/** A change as large as someone would care for, that repeats do not bear out. */
function noiseReason(change: MeasureChange | undefined): [ReasonCode, string][] {
  if (change?.verdict !== 'not distinguishable' || change.change === null || change.interval === null)
    return [];
  const { low, high } = change.interval;
  if (Math.abs(change.change) < (change.unit === 'pp' ? 2 : 5)) return [];
  const signed = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(1)}`;
  return [
    [
      'repeats-differ',
      `${change.measure} ${signed(change.change)} ${change.unit}, 95 % interval ${signed(low)} to ${signed(high)}`,
    ],
  ];
}

function changeOf(scene: Scene, measure: ComparedMeasure): MeasureChange | undefined {
  return scene.changes.find((change) => change.measure === measure);
}

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

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
