// Dynamo's frontend over its mock workers, for the benches and documents that measure a real router.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const SERVE = fileURLToPath(new URL('../test/real/dynamo/serve.sh', import.meta.url));

/**
 * Starts Dynamo and waits until the model is listed; gives the function that stops it. `dir` is what
 * test/real/dynamo/setup.sh installed; `env` what serve.sh takes (WORKERS, BLOCKS, SEQS, MOCKER_ARGS).
 */
export async function startDynamo(dir, mode, port, env = {}) {
  const child = spawn(SERVE, [dir, mode, String(port)], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...process.env, ...env },
  });
  const exited = once(child, 'exit');
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout }))
      if (line.includes('is ready')) return true;
    return false;
  })();
  if (!(await ready)) throw new Error('Dynamo ended before it was ready');
  child.stdout.resume();
  return async () => {
    child.kill('SIGTERM');
    await exited;
  };
}
