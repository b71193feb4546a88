import { spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** How a command ended. */
export interface HookEnd {
  readonly ok: boolean;
  /** `exit code 3`, `SIGTERM`, or why it could not start. */
  readonly how: string;
  /** Its last lines of output, stdout and stderr together. */
  readonly output: string;
}

/** A command that has returned; it may have left processes running on purpose. */
export interface Hook extends HookEnd {
  /** Ends whatever the command left running, and waits until it has gone. */
  endGroup(): Promise<void>;
}

const LINES_SHOWN = 15;
const GRACE_MS = 5_000;
const POLL_MS = 50;

/**
 * Runs a shell command in its own process group (Ctrl-C does not reach it) and resolves when the shell itself has ended.
 * What it leaves in the background keeps running; output goes to a file, because a pipe would close with the shell.
 */
export async function runHook(
  command: string,
  env: Readonly<Record<string, string>>,
  stopped: (end: () => void) => () => void,
): Promise<Hook> {
  const folder = mkdtempSync(join(tmpdir(), 'kvbench-hook-'));
  const log = join(folder, 'output');
  const file = openSync(log, 'w');
  const child = spawn('sh', ['-c', command], {
    detached: true,
    stdio: ['ignore', file, file],
    env: { ...process.env, ...env },
  });
  closeSync(file);
  const signalGroup = (signal: NodeJS.Signals | 0): boolean => {
    try {
      return child.pid !== undefined && process.kill(-child.pid, signal);
    } catch {
      return false;
    }
  };
  const forget = stopped(() => signalGroup('SIGTERM'));
  const how = await new Promise<string | null>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(code === 0 ? null : (signal ?? `exit code ${code}`)));
  });
  forget();
  return {
    ok: how === null,
    how: how ?? 'exit code 0',
    output: readFileSync(log, 'utf8').trimEnd().split('\n').slice(-LINES_SHOWN).join('\n'),
    endGroup: async () => {
      signalGroup('SIGTERM');
      for (let waitedMs = 0; waitedMs < GRACE_MS && signalGroup(0); waitedMs += POLL_MS) {
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
      signalGroup('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
