import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpus, hostname, totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { Provenance, WorkloadDigest } from '../core/measure/run-file.js';
import type { Scenario } from '../core/scenario/settings.js';
import { type GridPlan, planTrial } from '../core/workload/plan.js';
import { createTrialRequests } from '../core/workload/requests.js';
import { VERSION } from './version.js';

const run = promisify(execFile);

/** Where and when this run is made. `argv` as typed, with secrets already redacted. */
export async function collectProvenance(
  argv: readonly string[],
  clock: Provenance['clock'],
): Promise<Provenance> {
  return {
    kvbench: VERSION,
    node: process.version,
    platform: `${process.platform} ${process.arch}`,
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memory_gib: Math.round(totalmem() / 2 ** 30),
    host: hostname(),
    git: await gitCommit(),
    argv,
    clock,
    started_at: new Date().toISOString(),
    ended_at: null,
  };
}

/** Commit of the working directory; null outside a checkout or without git. */
async function gitCommit(): Promise<string | null> {
  try {
    const head = await run('git', ['rev-parse', '--short=12', 'HEAD']);
    const changes = await run('git', ['status', '--porcelain', '--untracked-files=no']);
    return `${head.stdout.trim()}${changes.stdout === '' ? '' : '+changes'}`;
  } catch {
    return null;
  }
}

/**
 * Tails whose text is hashed in each trial; the others count by name, from which their text follows. Making thousands of
 * texts twice would delay the first request, and a change of how texts are made shows in these.
 */
const TAILS_HASHED = 32;

/** Hashes what a run sends, in the order of its plan, without the salt; the salt is hashed separately. */
export function digestWorkload(scenario: Scenario, plan: GridPlan): WorkloadDigest {
  const hash = createHash('sha256');
  for (const planned of plan.trials) {
    const trial = planTrial(scenario, planned);
    const { measure } = createTrialRequests({ ...scenario, salt: '' }, trial);
    const seen = new Set<string>();
    hash.update(`${trial.id}\n${scenario.outputTokens}\n`);
    for (let seq = 0; seq < measure.count; seq++) {
      const { prompt, group, prefix, outputTokens } = measure.at(seq);
      if (group !== null) hash.update(`${group} ${outputTokens}\n`);
      hash.update(`${prefix}\n`);
      for (const part of prompt.shared) {
        if (!seen.has(part.id)) hash.update(part.bytes());
        seen.add(part.id);
      }
      hash.update(seq < TAILS_HASHED ? prompt.tail.bytes() : prompt.tail.id);
    }
    if (trial.dueMs !== null) hash.update(new Uint8Array(trial.dueMs.buffer));
  }
  return {
    sha256: hash.digest('hex'),
    salt_sha256: scenario.salt === '' ? null : createHash('sha256').update(scenario.salt).digest('hex'),
  };
}
