import { EXIT, type ExitCode } from '../core/base/errors.js';
import { severityOf } from '../core/measure/finding-codes.js';
import type { RunSummary } from '../core/measure/run-summary.js';
import type { Scenario } from '../core/scenario/settings.js';
import { scenarioOf, variantsOf } from '../core/scenario/variants.js';
import { planGrid } from '../core/workload/plan.js';
import { isWhole } from '../core/workload/plan-rows.js';
import { planBlocks } from '../core/workload/variant-blocks.js';
import { createFailureWatch, type FailuresSeen, type FailureWatch } from '../engine/failure-watch.js';
import { type GridEnd, runGrid } from '../engine/run-grid.js';
import { claimFolder } from '../io/claim-folder.js';
import type { StopLever } from '../io/stop-signal.js';
import type { ConnectedTarget } from './connected-target.js';
import { type BlockLeft, blocksLeft, describeResume, readEarlierRun } from './earlier-run.js';
import { interruptible } from './interrupt.js';
import { createProgress, type ProgressLine } from './progress.js';
import { requireOpenFiles } from './require-open-files.js';
import { loadResults, openSession, type RunSession } from './run-session.js';
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
  requireOpenFiles(scenario);
  const claim = await claimFolder(options.out, !options.resume);
  try {
    return await interruptible((stop) => measureClaimed(scenario, options, stop));
  } finally {
    await claim.release();
  }
}

async function measureClaimed(
  scenario: Scenario,
  options: MeasureOptions,
  stop: StopLever,
): Promise<ExitCode> {
  const earlier = options.resume ? await readEarlierRun(options.out, scenario) : null;
  const plan = planGrid(scenario);
  const blocks = planBlocks(plan, variantsOf(scenario));
  const left = blocksLeft(blocks, earlier);
  const total = left.reduce((sum, block) => sum + block.trials.length, 0);
  if (earlier !== null && !options.quiet) process.stderr.write(`${describeResume(earlier, left)}\n`);
  const failures = createFailureWatch(scenario.maxFailed, stop);
  const targets = createVariantTargets(scenario, failures.stop);
  const progress = createProgress({ quiet: options.quiet, requests: scenario.requests });
  let cannotWrite = false;
  /** Load whose records are lost is of no use. */
  const onWriteFailure = () => {
    cannotWrite = true;
    if (!stop.stopping) stop.pull();
  };
  let session: RunSession | null = null;
  try {
    let end: GridEnd = 'complete';
    // A run that is whole already only meets its first target and writes its tables again.
    for (const block of left.length > 0 ? left : blocks.slice(0, 1).map(withoutTrials)) {
      if (stop.stopping) end = 'interrupted';
      if (end !== 'complete') break;
      const target = await targets.enter(block.spec);
      session ??= await openSession(scenario, plan, earlier, {
        ...options,
        clock: target.clock.name,
        onWriteFailure,
      });
      await session.join(block.spec.variant, target.facts);
      end = await runBlock(scenario, block, target, session, { failures, progress, total });
      await targets.leave(block.spec);
    }
    if (session === null) return EXIT.interrupted;
    const notes = targets.notes();
    const { run, summary } = await session.finish(end === 'target-lost' ? 'failed' : end);
    progress.stop();
    const seen = failures.seen();
    if (seen !== null) process.stderr.write(describeFailing(seen, scenario.maxFailed));
    const { printComparison, printResults } = await loadResults();
    printResults(run, summary, notes, options);
    const forbidden = await printComparison(run, options);
    const code = exitCodeOf(end, summary, scenario.maxFailed);
    return code === EXIT.good && forbidden ? EXIT.findings : code;
  } catch (error) {
    // What ran before is kept, and its run.json must not say that it still runs.
    await session?.finish(stop.stopping && !cannotWrite ? 'interrupted' : 'failed').catch(() => {});
    throw error;
  } finally {
    progress.stop();
    // First, for closing the session throws when the disk is full: open connections would keep the process alive.
    await targets.closeAll();
    await session?.close();
  }
}

async function runBlock(
  scenario: Scenario,
  { spec, trials, salt = scenario.salt }: BlockLeft,
  target: ConnectedTarget,
  session: RunSession,
  {
    failures,
    progress,
    total,
  }: { readonly failures: FailureWatch; readonly progress: ProgressLine; readonly total: number },
): Promise<GridEnd> {
  const variant = { name: spec.variant, target: target.facts };
  const before = session.trialsDone();
  return runGrid(
    scenarioOf({ ...scenario, salt }, spec),
    trials.map((trial) => ({ variant, transport: target.transport, trial })),
    {
      ...target,
      stop: failures.stop,
      failures,
      sink: session.records,
      progress: {
        ...progress,
        trialStarted: (name, trial, index) => progress.trialStarted(name, trial, before + index, total),
      },
      wallTime: () => new Date().toISOString(),
      onTrialEnd: (trial, summaries, more) =>
        session.trialEnded(salt === scenario.salt ? trial : { ...trial, salt }, summaries, more),
    },
  );
}

function describeFailing({ failed, requests, failedInAll, error }: FailuresSeen, maxFailed: number): string {
  return `stopped early: ${failed} of the last ${requests} requests failed, ${failedInAll} in all (--max-failed ${maxFailed}); last error: ${error}\n  -> when the target answers again, run the command with --resume\n`;
}

function withoutTrials(block: BlockLeft): BlockLeft {
  return { ...block, trials: [] };
}

function exitCodeOf(end: GridEnd, summary: RunSummary, maxFailed: number): ExitCode {
  const failed = summary.trials.reduce((sum, trial) => sum + (isWhole(trial.cell) ? 0 : trial.failed), 0);
  if (end === 'interrupted') return EXIT.interrupted;
  if (end === 'target-lost' || failed > maxFailed) return EXIT.tooManyFailed;
  const findings = summary.cells.flatMap((cell) => cell.findings);
  return findings.some((finding) => ['drop', 'forbid'].includes(severityOf(finding.code)))
    ? EXIT.findings
    : EXIT.good;
}
