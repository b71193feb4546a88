import { join } from 'node:path';
import { EXIT, type ExitCode, KvbenchError, usageError } from '../core/errors.js';
import { buildExperimentRecord } from '../core/experiment-record.js';
import { severityOf } from '../core/findings.js';
import { planGrid } from '../core/plan.js';
import type { RequestRecord } from '../core/record.js';
import { redactArgv, redactScenario } from '../core/redact.js';
import { type RunFile, SCHEMA, type TrialRun } from '../core/run-file.js';
import { arrangeRun, type RunSummary, summarizeRun } from '../core/run-summary.js';
import { type Scenario, SETTINGS, type SettingKey, settingName } from '../core/settings.js';
import type { TrialSummary } from '../core/summary.js';
import type { StopSignal } from '../engine/ports.js';
import { type GridEnd, runGrid } from '../engine/run-grid.js';
import { collectProvenance, digestWorkload } from '../io/provenance.js';
import { readRun } from '../io/read-run.js';
import { openRunDirectory, type RunDirectory, requireEmptyFolder } from '../io/run-directory.js';
import { CELL_COLUMNS, TRIAL_COLUMNS } from '../report/columns.js';
import { renderCsv } from '../report/csv.js';
import { renderFindings } from '../report/findings.js';
import { renderResultsJson } from '../report/results-json.js';
import { renderTables } from '../report/tables.js';
import { type ConnectedTarget, connectTarget } from './connect-target.js';
import { interruptible } from './interrupt.js';
import { observeRun } from './observe-run.js';
import { createProgress } from './progress.js';

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
    const target = await connectUnlessStopped(scenario, stop);
    const variant = { name: scenario.variant, target: target.facts };
    let run: RunFile = {
      schema: SCHEMA,
      status: 'running',
      scenario: redactScenario(scenario),
      plan: {
        cells: plan.cells.map((cell) => cell.id),
        trials: plan.trials.map((trial) => ({ id: trial.id, requests: trial.prefixOf.length })),
      },
      workload: digestWorkload(scenario),
      variants: [variant],
      provenance: await collectProvenance(redactArgv(options.argv), target.clock.name),
      trials: earlier?.trials ?? [],
      record: buildExperimentRecord(scenario.record),
    };
    const directory = await openRunDirectory(options.out, run, earlier?.records ?? []);
    const progress = createProgress({ quiet: options.quiet, requests: scenario.requests });
    const summaries = [...(earlier?.summaries ?? [])];
    const ended = new Set(run.trials.map((trial) => trial.id));
    const steps = plan.trials.filter((trial) => !ended.has(trial.id));
    try {
      const end = await runGrid(
        scenario,
        steps.map((trial) => ({ variant, transport: target.transport, trial })),
        {
          ...target,
          stop,
          sink: directory.records,
          progress,
          wallTime: () => new Date().toISOString(),
          onTrialEnd: async (trial, summary) => {
            await directory.records.flush();
            summaries.push(summary);
            run = { ...run, trials: [...run.trials, trial] };
            await saveAll(directory, run, arrangeRun(run, summaries));
          },
        },
      );
      run = {
        ...run,
        status: end === 'complete' ? 'complete' : 'interrupted',
        provenance: { ...run.provenance, ended_at: new Date().toISOString() },
        record: await observeRun(run, options.out),
      };
      const summary = arrangeRun(run, summaries);
      await saveAll(directory, run, summary);
      progress.stop();
      printResults(run, summary, target.notes?.() ?? null, options);
      return exitCodeOf(end, summary, scenario.maxFailed);
    } finally {
      progress.stop();
      await directory.records.close();
      await target.close();
    }
  });
}

/** What a run that was stopped has of whole trials. */
interface Earlier {
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
  const trials = input.run.trials.filter((trial) => !trial.interrupted);
  const whole = new Set(trials.map((trial) => trial.id));
  const records = input.records.filter((record) => whole.has(record.trial));
  return { trials, records, summaries: summarizeRun({ ...input.run, trials }, records).trials };
}

/** Settings that decide figures and differ. */
function changedSettings(before: Scenario, now: Scenario): string[] {
  const free = new Set(['maxFailed', 'readyTimeout', 'record']);
  return Object.keys(SETTINGS).filter((key) => {
    const of = (scenario: Scenario) => JSON.stringify(scenario[key as SettingKey]);
    return !free.has(key) && of(before) !== of(now);
  });
}

/** As {@link connectTarget}; a failure after Ctrl-C is no fault of the target. */
async function connectUnlessStopped(scenario: Scenario, stop: StopSignal): Promise<ConnectedTarget> {
  try {
    return await connectTarget(scenario, stop);
  } catch (error) {
    if (!stop.stopping) throw error;
    throw new KvbenchError({
      code: 'interrupted',
      message: 'interrupted before the first trial; nothing was measured',
      exitCode: EXIT.interrupted,
    });
  }
}

async function saveAll(directory: RunDirectory, run: RunFile, summary: RunSummary): Promise<void> {
  await directory.saveRun(run);
  await directory.saveTable('trials.csv', renderCsv(TRIAL_COLUMNS, summary.trials));
  await directory.saveTable('grid.csv', renderCsv(CELL_COLUMNS, summary.cells));
  await directory.saveTable('tables.md', renderTables(run, summary, 'markdown'));
}

function printResults(
  run: RunFile,
  summary: RunSummary,
  notes: string | null,
  options: MeasureOptions,
): void {
  if (options.json) {
    process.stdout.write(renderResultsJson(run, summary, options.out));
    return;
  }
  process.stdout.write(renderTables(run, summary, 'text'));
  process.stdout.write(renderFindings(summary));
  if (notes !== null) process.stdout.write(`\n${notes}\n`);
  process.stdout.write(`\nRun directory: ${join(options.out, '/')}\n`);
}

function exitCodeOf(end: GridEnd, summary: RunSummary, maxFailed: number): ExitCode {
  const failed = summary.trials.reduce((sum, trial) => sum + trial.failed, 0);
  if (end === 'interrupted') return EXIT.interrupted;
  if (end === 'target-lost' || failed > maxFailed) return EXIT.tooManyFailed;
  const findings = summary.cells.flatMap((cell) => cell.findings);
  return findings.some((finding) => severityOf(finding.code) !== 'caution') ? EXIT.findings : EXIT.good;
}
