// Starts the bench server and asks it what it saw.

import { execFileSync, spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Builds the server if needed; gives the path of its binary. Throws when there is no Rust compiler. */
export function buildServer() {
  return execFileSync(join(here, 'server/build.sh'), { encoding: 'utf8' }).trim();
}

/**
 * Starts a server on a free port of 127.0.0.1, on the last core and ahead of the clients where the system allows it.
 * `flags` are the server's own. Give `stop` its turn whatever happens.
 */
export async function startServer(binary, flags) {
  const child = spawn(binary, [...flags, '--cpu', String(availableParallelism() - 1), '--realtime'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await new Promise((resolve, reject) => {
    child.stdout.once('data', (text) => resolve(String(text).trim()));
    child.once('exit', (code) => reject(new Error(`the bench server ended with code ${code}`)));
  });
  const get = async (path) => (await fetch(`${url}${path}`)).json();
  return {
    url,
    pid: child.pid,
    stats: async () => ({ ...(await get('/stats')), arrivals: await get('/stats/arrivals') }),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', resolve);
        child.kill();
      }),
  };
}
