import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '../free-port.js';

/** The model name that the frontend lists and requests must carry. */
export const DYNAMO_MODEL = 'Qwen/Qwen3-0.6B';

/** What to start; see `python -m dynamo.frontend --help` and `python -m dynamo.mocker --help` for the extra flags. */
export interface DynamoOptions {
  /** Where `setup.sh` installed Dynamo. */
  readonly dir: string;
  readonly mode: 'kv' | 'round-robin' | 'random' | 'least-loaded' | 'power-of-two';
  /** Mock workers, each with a cache of its own; 6 when left out. */
  readonly workers?: number | undefined;
  /** KV blocks of 16 tokens per worker; 600 (four requests of 2,300 tokens) when left out. */
  readonly blocks?: number | undefined;
  /** Sequences one worker runs at a time; 16 when left out. */
  readonly maxSequences?: number | undefined;
  /** For example `['--no-router-kv-events']`: the router guesses the caches from its own decisions. */
  readonly extraFrontendArgs?: readonly string[] | undefined;
  /** For example `['--speedup-ratio', '10']`: computing takes a tenth of the time. */
  readonly extraMockerArgs?: readonly string[] | undefined;
  /** A free one is picked when left out. */
  readonly port?: number | undefined;
  /** How long the model may take to be listed, in ms; 60,000 when left out. */
  readonly readyTimeoutMs?: number | undefined;
}

/** A running cluster. */
export interface DynamoCluster {
  /** Base URL without a trailing slash or `/v1`. */
  readonly url: string;
  /** Process ids, which are also group ids: for tests that kill one half. */
  readonly pids: { readonly mocker: number; readonly frontend: number };
  /** Ends both process groups and removes the state; a second call waits for the first. */
  readonly stop: () => Promise<void>;
  /** The end of what both processes wrote, warnings and errors. */
  readonly log: () => string;
}

const LOG_LIMIT = 200_000;
const TERM_GRACE_MS = 5_000;
const POLL_MS = 100;

/**
 * Starts Dynamo's mock workers and its frontend on the loopback interface and waits until the model is listed.
 *
 * @throws when nothing is installed in `dir`, a process ends early, or the model is not listed in time; the message
 * ends with the last log lines, and nothing is left running.
 */
export async function startDynamo(options: DynamoOptions): Promise<DynamoCluster> {
  const python = join(options.dir, 'venv', 'bin', 'python');
  if (!existsSync(join(options.dir, 'stamp'))) {
    throw new Error(`no Dynamo in ${options.dir}: run test/real/dynamo/setup.sh ${options.dir} first`);
  }
  const port = options.port ?? (await findFreePort());
  const url = `http://127.0.0.1:${port}`;
  const state = mkdtempSync(join(tmpdir(), 'kvbench-dynamo-'));
  const log = createTail(LOG_LIMIT);
  const start = (args: readonly string[]) => startGroup(python, args, state, log);

  const planes = ['--discovery-backend', 'file', '--request-plane', 'tcp', '--event-plane', 'zmq'];
  const mocker = start([
    ...['-m', 'dynamo.mocker', '--model-path', join(options.dir, 'model'), '--model-name', DYNAMO_MODEL],
    ...['--num-workers', String(options.workers ?? 6)],
    ...['--num-gpu-blocks-override', String(options.blocks ?? 600), '--block-size', '16'],
    ...['--max-num-seqs', String(options.maxSequences ?? 16), ...planes, ...(options.extraMockerArgs ?? [])],
  ]);
  const frontend = start([
    ...['-m', 'dynamo.frontend', '--http-host', '127.0.0.1', '--http-port', String(port)],
    ...['--router-mode', options.mode, ...planes, ...(options.extraFrontendArgs ?? [])],
  ]);
  const groups = [mocker, frontend];

  const killNow = () => {
    for (const group of groups) group.signal('SIGKILL');
    rmSync(state, { recursive: true, force: true });
  };
  const unguard = guardExit(killNow);
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      await Promise.all(groups.map((group) => group.end()));
      rmSync(state, { recursive: true, force: true, maxRetries: 3 });
      unguard();
    })();
    return stopping;
  };

  try {
    await waitForModel(url, groups, options.readyTimeoutMs ?? 60_000);
    return { url, pids: { mocker: mocker.pid(), frontend: frontend.pid() }, stop, log: log.read };
  } catch (cause) {
    await stop();
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`Dynamo did not start: ${reason}\n${lastLines(log.read(), 20)}`, { cause });
  }
}

interface Group {
  readonly name: string;
  readonly pid: () => number;
  /** Null while it runs, else how it ended. */
  readonly ended: () => string | null;
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly end: () => Promise<void>;
}

function startGroup(python: string, args: readonly string[], state: string, log: Tail): Group {
  const child: ChildProcess = spawn(python, args, {
    // A group of its own, so that what it starts ends with it.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      DYN_FILE_KV: join(state, 'discovery'),
      // Dynamo keeps copies of the model's files in the home directory.
      HOME: state,
      HF_HUB_OFFLINE: '1',
      // Without these it listens on, and advertises, the machine's first public address.
      DYN_TCP_RPC_HOST: '127.0.0.1',
      DYN_TCP_RESPONSE_STREAM_HOST: '127.0.0.1',
      DYN_EVENT_PLANE_HOST: '127.0.0.1',
      // At its default it writes several lines per request, which costs time on the machine being measured.
      DYN_LOG: 'warn',
      DYN_SDK_DISABLE_ANSI_LOGGING: '1',
      DYN_SELF_HOST_METADATA: '0',
      DYN_GRACEFUL_SHUTDOWN_GRACE_PERIOD_SECS: '0',
    },
  });
  const name = args[1] ?? python;
  let ended: string | null = null;
  const exited = once(child, 'exit').then(
    ([code, signal]: unknown[]) => {
      ended = signal === null ? `exit code ${String(code)}` : String(signal);
    },
    (error: unknown) => {
      ended = String(error);
    },
  );
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => log.add(text));
  }
  const signal = (which: NodeJS.Signals | 0): boolean => {
    if (child.pid === undefined) return false;
    try {
      return process.kill(-child.pid, which);
    } catch {
      return false;
    }
  };
  const end = async () => {
    signal('SIGTERM');
    // Asked to end, a worker first finishes its streams; a test does not wait for that.
    const timer = setTimeout(() => signal('SIGKILL'), TERM_GRACE_MS);
    await exited;
    clearTimeout(timer);
    signal('SIGKILL');
  };
  return { name, pid: () => child.pid ?? -1, ended: () => ended, signal, end };
}

async function waitForModel(url: string, groups: readonly Group[], timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  let seen = 'no answer';
  while (performance.now() < deadline) {
    const dead = groups.find((group) => group.ended() !== null);
    if (dead !== undefined) throw new Error(`${dead.name} ended early: ${dead.ended() ?? ''}`);
    try {
      const response = await fetch(`${url}/v1/models`, { signal: AbortSignal.timeout(2_000) });
      seen = await response.text();
      if (seen.includes(`"id":"${DYNAMO_MODEL}"`)) return;
    } catch {
      // Not listening yet.
    }
    await sleep(POLL_MS);
  }
  throw new Error(
    `${url}/v1/models did not list ${DYNAMO_MODEL} within ${timeoutMs} ms; last answer: ${seen}`,
  );
}

/** Runs `killNow` when this process ends by itself or by a signal; gives the function that takes the guard away. */
function guardExit(killNow: () => void): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  const onSignal = (signal: NodeJS.Signals) => {
    killNow();
    unguard();
    // Any other listener decides what happens next; without one the signal does what it always does.
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const unguard = () => {
    process.off('exit', killNow);
    for (const signal of signals) process.off(signal, onSignal);
  };
  process.on('exit', killNow);
  for (const signal of signals) process.on(signal, onSignal);
  return unguard;
}

interface Tail {
  readonly add: (text: string) => void;
  readonly read: () => string;
}

function createTail(limit: number): Tail {
  let text = '';
  return {
    add: (more) => {
      text += more;
      if (text.length > 2 * limit) text = text.slice(-limit);
    },
    read: () => text.slice(-limit),
  };
}

function lastLines(text: string, count: number): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
