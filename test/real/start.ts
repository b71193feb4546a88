import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../support/cli.js';

/** A program that was started and is ready. */
export interface Started {
  /** The end of what it has printed. */
  readonly text: () => string;
  readonly stop: () => Promise<void>;
}

const READY_MS = 600_000;

/** Starts a program in a group of its own and waits until it has printed `ready`; throws when it ends before or is late. */
export async function start(
  command: string,
  args: readonly string[],
  ready: RegExp,
  env: Readonly<Record<string, string>> = {},
): Promise<Started> {
  const child: ChildProcess = spawn(command, args, {
    ...{ cwd: ROOT, detached: true, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } },
  });
  const signal = (which: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, which);
    } catch {
      // The group is gone.
    }
  };
  const killNow = (): void => signal('SIGKILL');
  process.on('exit', killNow);
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    // The script itself first: it ends what it started, in groups of their own.
    child.kill('SIGTERM');
    const timer = setTimeout(killNow, 15_000);
    await ended;
    clearTimeout(timer);
    process.off('exit', killNow);
  };
  let text = '';
  const seen = new Promise<void>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (more: string) => {
        text = `${text}${more}`.slice(-100_000);
        if (ready.test(text)) resolve();
      });
    }
  });
  const timer = setTimeout(killNow, READY_MS);
  await Promise.race([seen, ended]);
  clearTimeout(timer);
  if (!ready.test(text)) {
    await stop();
    throw new Error(`${command} ${args.join(' ')} was not ready:\n${text.slice(-3_000)}`);
  }
  return { text: () => text, stop };
}
