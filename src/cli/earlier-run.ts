import type { RequestRecord } from '../core/answer/request-record.js';
import { usageError } from '../core/base/errors.js';
import { type TrialRun, trialKey, type VariantRun } from '../core/measure/run-file.js';
import { summarizeRun } from '../core/measure/run-summary.js';
import type { TrialSummary } from '../core/measure/summaries.js';
import { redactScenario } from '../core/scenario/redact.js';
import { type Scenario, SETTINGS, type SettingKey, settingName } from '../core/scenario/settings.js';
import type { GridTrial } from '../core/workload/plan.js';
import type { Block } from '../core/workload/variant-blocks.js';
import { readRun } from '../io/read-run.js';
import { drawSalt } from '../io/salt.js';

/** The whole trials of a run that was stopped. */
export interface EarlierRun {
  /** Trials that ended without being whole: stopped, or answered by a dead target. */
  readonly unfinished: readonly TrialRun[];
  readonly variants: readonly VariantRun[];
  readonly trials: readonly TrialRun[];
  readonly summaries: readonly TrialSummary[];
  readonly records: readonly RequestRecord[];
}

/**
 * Reads the whole trials of the run in `directory`; those that were stopped run again.
 *
 * @throws KvbenchError (exit code 2) when it is no run, or one of another scenario.
 */
export async function readEarlierRun(directory: string, scenario: Scenario): Promise<EarlierRun> {
  const input = await readRun(directory);
  if (input.kind !== 'run') {
    throw usageError('no-run', `${directory} holds no run.json to continue`, 'leave --resume out');
  }
  const changed = changedSettings(input.run.scenario, redactScenario(scenario));
  if (changed.length > 0) {
    throw usageError(
      'other-scenario',
      `the run in ${directory} was made with a different ${changed.map(settingName).join(', ')}`,
      'resume it with the settings of its run.json, or give a new --out',
    );
  }
  const answered = new Set(
    input.records
      .filter(({ phase, outcome }) => phase === 'measure' && outcome === 'ok')
      .map(({ variant, trial }) => trialKey({ variant, id: trial })),
  );
  const hasEnded = (trial: TrialRun) => !trial.interrupted && answered.has(trialKey(trial));
  const trials = input.run.trials.filter(hasEnded);
  const whole = new Set(trials.map(trialKey));
  const records = input.records.filter(({ variant, trial }) => whole.has(trialKey({ variant, id: trial })));
  return {
    unfinished: input.run.trials.filter((trial) => !hasEnded(trial)),
    variants: input.run.variants,
    trials,
    records,
    summaries: summarizeRun({ ...input.run, trials }, records).trials,
  };
}

/** What is left of a block; `salt` is set where its trials were tried before. */
export interface BlockLeft extends Block {
  readonly salt?: string | undefined;
}

/**
 * What is left to run. A trial that was begun and not finished has left its prompts in the target's caches: tried again
 * as it was, it would meet them, so it gets its own salt. The first one left may have been begun by a run that was
 * killed.
 */
export function blocksLeft(blocks: readonly Block[], earlier: EarlierRun | null): readonly BlockLeft[] {
  if (earlier === null) return blocks;
  const ended = new Set(earlier.trials.map(trialKey));
  const left = blocks.flatMap((block) => keepTrials(block, (key) => !ended.has(key)));
  const [first] = left;
  if (first === undefined) return [];
  const tried = new Set(earlier.unfinished.map(trialKey));
  for (const { id } of first.trials.slice(0, 1)) tried.add(trialKey({ variant: first.spec.variant, id }));
  const salt = `again-${drawSalt()}`;
  return left.flatMap((block): BlockLeft[] => [
    ...keepTrials(block, (key) => tried.has(key)).map((again) => ({ ...again, salt })),
    ...keepTrials(block, (key) => !tried.has(key)),
  ]);
}

/** Trials named when many are run again. */
const NAMED = 5;

/** What a resumed run keeps and what it runs again, in one line. */
export function describeResume(earlier: EarlierRun, left: readonly BlockLeft[]): string {
  const again = left.flatMap(({ salt, trials }) => (salt === undefined ? [] : trials.map(({ id }) => id)));
  const kept = `Resuming: ${earlier.trials.length} whole trials are kept`;
  if (again.length === 0) return kept;
  const names = `${again.slice(0, NAMED).join(', ')}${again.length > NAMED ? ', …' : ''}`;
  return `${kept}; not whole, so sent again with new prompts: ${names}`;
}

/** The block with the trials whose key `isKept`; nothing when there are none. */
function keepTrials(block: Block, isKept: (key: string) => boolean): Block[] {
  const { variant } = block.spec;
  const trials = block.trials.filter(({ id }: GridTrial) => isKept(trialKey({ variant, id })));
  return trials.length === 0 ? [] : [{ ...block, trials }];
}

/** Settings that decide figures and differ. */
function changedSettings(before: Scenario, now: Scenario): string[] {
  const free = new Set(['maxFailed', 'readyTimeout', 'record', 'threads', 'metricsUrl']);
  return (Object.keys(SETTINGS) as SettingKey[]).filter(
    (key) =>
      !free.has(key) && JSON.stringify(before[key] ?? SETTINGS[key].initial) !== JSON.stringify(now[key]),
  );
}
