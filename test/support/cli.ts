import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished, vi } from 'vitest';
import { main } from '../../src/cli/main.js';
import type { RequestRecord } from '../../src/core/answer/request-record.js';
import type { RunFile } from '../../src/core/measure/run-file.js';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process, as bin/kvbench.js does, and gives what it printed. One at a time. */
export async function runCli(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CliResult> {
  const stdout = capture(process.stdout);
  const stderr = capture(process.stderr);
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  try {
    const code = await main(args);
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    stdout.restore();
    stderr.restore();
    vi.unstubAllEnvs();
  }
}

function capture(stream: NodeJS.WriteStream) {
  let text = '';
  const spy = vi.spyOn(stream, 'write').mockImplementation((chunk) => {
    text += String(chunk);
    return true;
  });
  return { text: () => text, restore: () => spy.mockRestore() };
}

/** Starts the built command line as a process of its own; `watch` sees it, to send it signals. */
export function spawnCli(args: readonly string[], watch: (child: ChildProcess) => void): Promise<CliResult> {
  const child = spawn(process.execPath, [join(ROOT, 'bin/kvbench.js'), ...args], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  watch(child);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/** A new empty folder, removed after the test. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'kvbench-test-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

export function readRun(directory: string): RunFile {
  return JSON.parse(readFileSync(join(directory, 'run.json'), 'utf8')) as RunFile;
}

export function readRecords(directory: string): RequestRecord[] {
  return readFileSync(join(directory, 'requests.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RequestRecord);
}

/** Rows of a CSV file as objects; the project's files hold no quotes. */
export function readCsv(path: string): Record<string, string>[] {
  const [head = '', ...lines] = readFileSync(path, 'utf8').trimEnd().split('\n');
  const names = head.split(',');
  return lines.map((line) => {
    const values = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, values[i] ?? '']));
  });
}
