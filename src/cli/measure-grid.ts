import { join } from 'node:path';
import type { RequestRecord } from '../core/answer/request-record.js';
import { EXIT, type ExitCode, usageError } from '../core/base/errors.js';
import type { TimeCounts } from '../core/base/time-histogram.js';
import { buildExperimentRecord } from '../core/measure/experiment-record.js';
import {
  type RunFile,
  SCHEMA,
  type TargetFacts,
  type TrialRun,
  trialKey,
  type VariantRun,
} from '../core/measure/run-file.js';
import { arrangeRun, type RunSummary, summarizeRun } from '../core/measure/run-summary.js';
import type { TrialSummary } from '../core/measure/summaries.js';
import { severityOf } from '../core/measure/trial-findings.js';
import { redactArgv, redactScenario } from '../core/scenario/redact.js';
import { type Scenario, SETTINGS, type SettingKey, settingName } from '../core/scenario/settings.js';
import { scenarioOf, variantsOf } from '../core/scenario/variants.js';
import { type GridPlan, type GridTrial, planGrid } from '../core/workload/plan.js';
import { isWhole } from '../core/workload/plan-rows.js';
import { type Block, planBlocks } from '../core/workload/variant-blocks.js';
import type { RecordSink, StopSignal } from '../engine/ports.js';
import { type GridEnd, runGrid } from '../engine/run-grid.js';
import { createItlLog } from '../io/itl-log.js';
import { collectProvenance, digestWorkload } from '../io/provenance.js';
import { readRun } from '../io/read-run.js';
import { openRunDirectory, requireEmptyFolder } from '../io/run-directory.js';
import { drawSalt } from '../io/salt.js';
import type { ConnectedTarget } from './connected-target.js';
import { interruptible } from './interrupt.js';
import { observeRun } from './observe-run.js';
import { createProgress, type ProgressLine } from './progress.js';
import { createVariantTargets } from './variant-targets.js';

export interface MeasureOptions {
  readonly out: string;
  readonly resume: boolean;
  readonly quiet: boolean;
  readonly json: boolean;
  readonly argv: readonly string[];
}

/**
 * Runs a grid from a resolved scenario to a run directory and printed tables.
 *
 * @throws KvbenchError when it cannot begin or can no longer write; what was measured by then is on disk.
 */
export async function measureGrid(scenario: Scenario, options: MeasureOptions): Promise<ExitCode> {
  return interruptible(async (stop) => {
    const earlier = options.resume ? await readEarlier(options.out, redactScenario(scenario)) : null;
    if (earlier === null) await requireEmptyFolder(options.out);
    const plan = planGrid(scenario);
    const ended = new Set((earlier?.trials ?? []).map(trialKey));
    const blocks = planBlocks(plan, variantsOf(scenario)).map((block) => ({
      ...block,
      trials: block.trials.filter(({ id }) => !ended.has(trialKey({ variant: block.spec.variant, id }))),
    }));
    const left = separateTriedTrials(blocks, earlier);
    const targets = createVariantTargets(scenario, stop);
    const progress = createProgress({ quiet: options.quiet, requests: scenario.requests });
    let session: Session | null = null;
    try {
      let end: GridEnd = 'complete';
      for (const block of left.length > 0 ? left : blocks.slice(0, 1)) {
        if (stop.stopping) {
          end = 'interrupted';
          break;
        }
        const target = await targets.enter(block.spec);
        session ??= await beginSession(scenario, target, plan, earlier, options);
        await session.join(block.spec.variant, target.facts);
        end = await runBlock(scenario, block, target, session, { stop, progress, total: countTrials(left) });
        await targets.leave(block.spec);
        if (end !== 'complete') break;
      }
      if (session === null) return EXIT.interrupted;
      const notes = targets.notes();
      const { run, summary } = await session.finish(end);
      progress.stop();
      const { printComparison, printResults } = await loadResults();
      printResults(run, summary, notes, options);
      const forbidden = await printComparison(run, options);
      const code = exitCodeOf(end, summary, scenario.maxFailed);
      return code === EXIT.good && forbidden ? EXIT.findings : code;
    } catch (error) {
      // What ran before is kept, and its run.json must not say that it still runs.
      await session?.finish('interrupted');
      throw error;
    } finally {
      progress.stop();
      await session?.close();
      await targets.closeAll();
    }
  });
}

/** The run directory being written, with what is known so far. */
interface Session {
  /** Adds a variant when its target is first seen. */
  join(variant: string, facts: TargetFacts): Promise<void>;
  readonly records: RecordSink;
  trialsDone(): number;
  trialEnded(trial: TrialRun, summaries: readonly TrialSummary[], gaps: TimeCounts): Promise<void>;
  finish(end: GridEnd): Promise<{ readonly run: RunFile; readonly summary: RunSummary }>;
  close(): Promise<void>;
}

async function beginSession(
  scenario: Scenario,
  target: ConnectedTarget,
  plan: GridPlan,
  earlier: Earlier | null,
  options: MeasureOptions,
): Promise<Session> {
  let run: RunFile = {
    schema: SCHEMA,
    status: 'running',
    scenario: redactScenario(scenario),
    plan: {
      cells: plan.cells.map((cell) => cell.id),
      trials: plan.trials.map((trial) => ({ id: trial.id, requests: scenario.requests })),
    },
    workload: digestWorkload(scenario, plan),
    variants: earlier?.variants ?? [],
    provenance: await collectProvenance(redactArgv(options.argv), target.clock.name),
    trials: earlier?.trials ?? [],
    record: buildExperimentRecord(scenario.record),
  };
  const order = variantsOf(scenario).map((spec) => spec.variant);
  const summaries = [...(earlier?.summaries ?? [])];
  const before = run.trials.length;
  const directory = await openRunDirectory(options.out, run, earlier?.records ?? []);
  const kept = new Set(run.trials.map(itlTag));
  const itlLog = createItlLog(join(options.out, 'itl.hlog'), (tag) => kept.has(tag));
  return {
    records: directory.records,
    trialsDone: () => run.trials.length - before,
    join: async (variant, facts) => {
      const others = run.variants.filter(({ name }) => name !== variant || earlier === null);
      if (others.some(({ name }) => name === variant)) return;
      const variants = [...others, { name: variant, target: facts }];
      run = { ...run, variants: variants.sort((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) };
      await directory.saveRun(run);
    },
    trialEnded: async (trial, rows, gaps) => {
      await directory.records.flush();
      const [startMs, endMs] = [Date.parse(trial.started_at), Date.now()];
      await itlLog.add({ tag: itlTag(trial), startMs, endMs, gaps });
      summaries.push(...rows);
      run = { ...run, trials: [...run.trials, trial] };
      const { saveResults } = await loadResults();
      await saveResults(directory, run, arrangeRun(run, summaries));
    },
    finish: async (end) => {
      await directory.records.flush();
      run = {
        ...run,
        status: end === 'complete' ? 'complete' : 'interrupted',
        provenance: { ...run.provenance, ended_at: new Date().toISOString() },
        record: await observeRun(run, options.out),
      };
      const summary = arrangeRun(run, summaries);
      const { saveResults } = await loadResults();
      await saveResults(directory, run, summary);
      return { run, summary };
    },
    close: () => directory.records.close(),
  };
}

async function runBlock(
  scenario: Scenario,
  { spec, trials, salt }: BlockLeft,
  target: ConnectedTarget,
  session: Session,
  {
    stop,
    progress,
    total,
  }: { readonly stop: StopSignal; readonly progress: ProgressLine; readonly total: number },
): Promise<GridEnd> {
  const variant = { name: spec.variant, target: target.facts };
  const before = session.trialsDone();
  return runGrid(
    scenarioOf(salt === undefined ? scenario : { ...scenario, salt }, spec),
    trials.map((trial) => ({ variant, transport: target.transport, trial })),
    {
      ...target,
      stop,
      sink: session.records,
      progress: {
        ...progress,
        trialStarted: (name, trial, index) => progress.trialStarted(name, trial, before + index, total),
      },
      wallTime: () => new Date().toISOString(),
      onTrialEnd: (trial, summary, gaps) =>
        session.trialEnded(salt === undefined ? trial : { ...trial, salt }, summary, gaps),
    },
  );
}

/** What is left of a block; `salt` is set where its trials were tried before. */
interface BlockLeft extends Block {
  readonly salt?: string | undefined;
}

/**
 * What is left to run. A trial that was begun and not finished has left its prompts in the target's caches: tried again
 * as it was, it would meet them, so it gets a salt of its own. The first one left may have been begun by a run that was
 * killed.
 */
function separateTriedTrials(blocks: readonly Block[], earlier: Earlier | null): readonly BlockLeft[] {
  const left = blocks.filter((block) => block.trials.length > 0);
  const first = left[0];
  const firstTrial = first?.trials[0];
  if (earlier === null || first === undefined || firstTrial === undefined) return left;
  const tried = new Set([
    ...earlier.unfinished.map(trialKey),
    trialKey({ variant: first.spec.variant, id: firstTrial.id }),
  ]);
  const salt = `again-${drawSalt()}`;
  return left.flatMap((block): BlockLeft[] => {
    const wasTried = ({ id }: GridTrial) => tried.has(trialKey({ variant: block.spec.variant, id }));
    const parts: BlockLeft[] = [
      { ...block, trials: block.trials.filter(wasTried), salt },
      { ...block, trials: block.trials.filter((trial) => !wasTried(trial)) },
    ];
    return parts.filter((part) => part.trials.length > 0);
  });
}

function countTrials(blocks: readonly Block[]): number {
  return blocks.reduce((sum, block) => sum + block.trials.length, 0);
}

/** The name of a trial in itl.hlog. */
function itlTag({ variant, id }: Pick<TrialRun, 'variant' | 'id'>): string {
  return `${variant}/${id}`;
}

/** What a run that was stopped has of whole trials. */
interface Earlier {
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
async function readEarlier(directory: string, scenario: Scenario): Promise<Earlier> {
  const input = await readRun(directory);
  if (input.kind !== 'run') {
    throw usageError('no-run', `${directory} holds no run.json to go on with`, 'leave --resume out');
  }
  const changed = changedSettings(input.run.scenario, scenario);
  if (changed.length > 0) {
    throw usageError(
      'other-scenario',
      `the run in ${directory} was made with another ${changed.map(settingName).join(', ')}`,
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

/** Settings that decide figures and differ. */
function changedSettings(before: Scenario, now: Scenario): string[] {
  const free = new Set(['maxFailed', 'readyTimeout', 'record', 'threads']);
  return Object.keys(SETTINGS).filter((key) => {
    // Runs of before there was a setting say nothing of it: its initial value held.
    const of = (scenario: Scenario) =>
      JSON.stringify(scenario[key as SettingKey] ?? SETTINGS[key as SettingKey].initial);
    return !free.has(key) && of(before) !== of(now);
  });
}

/** What writes and prints tables takes as long to load as a short trial takes to run: the first request does not wait for it. */
function loadResults(): Promise<typeof import('./save-results.js')> {
  return import('./save-results.js');
}

function exitCodeOf(end: GridEnd, summary: RunSummary, maxFailed: number): ExitCode {
  const failed = summary.trials.reduce((sum, trial) => sum + (isWhole(trial.cell) ? 0 : trial.failed), 0);
  if (end === 'interrupted') return EXIT.interrupted;
  if (end === 'target-lost' || failed > maxFailed) return EXIT.tooManyFailed;
  const findings = summary.cells.flatMap((cell) => cell.findings);
  return findings.some((finding) => severityOf(finding.code) !== 'caution') ? EXIT.findings : EXIT.good;
}
