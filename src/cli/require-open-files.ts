import { availableParallelism } from 'node:os';
import { usageError } from '../core/base/errors.js';
import type { Scenario } from '../core/scenario/settings.js';
import { variantsOf } from '../core/scenario/variants.js';
import { listLoads, slotsOf } from '../core/workload/load.js';
import { openFileLimit } from '../io/open-files.js';

/** Open beside the connections: 20 files of Node's own, those of the run, connections that are being closed. */
const OTHER_FILES = 40;
const FILES_PER_THREAD = 8;

/**
 * Compares the concurrency of a run with the limit of open files: a connection is one.
 *
 * @throws KvbenchError (exit code 2) when the limit is too low.
 */
export function requireOpenFiles(scenario: Scenario): void {
  if (variantsOf(scenario).every(({ url }) => url.startsWith('sim:'))) return;
  const concurrency = Math.max(...listLoads(scenario).map((load) => slotsOf(load) ?? 0));
  const threads = scenario.threads === 'auto' ? availableParallelism() : scenario.threads;
  const needed = concurrency + OTHER_FILES + FILES_PER_THREAD * threads;
  // Asking the system for it takes milliseconds; no limit in use is so low.
  if (needed <= 128) return;
  const limit = openFileLimit();
  if (limit === null || needed <= limit) return;
  const enough = 2 ** Math.ceil(Math.log2(Math.max(1024, 1.25 * needed)));
  throw usageError(
    'too-few-open-files',
    `concurrency ${concurrency} needs about ${needed} open files, and the limit of open files is ${limit}`,
    `raise it (ulimit -n ${enough}; for a container --ulimit nofile=${enough}), or lower --concurrency`,
  );
}
