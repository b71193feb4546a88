import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What a process holds. */
export interface Holdings {
  readonly atMs: number;
  readonly rssMib: number;
  readonly sockets: number;
}

const EVERY_MS = 200;

/** Adds samples of a process (Linux) to `samples` until it ends or the function given back is called. */
export function watchProcess(pid: number, samples: Holdings[]): () => void {
  const timer = setInterval(() => {
    try {
      samples.push({ atMs: performance.now(), rssMib: rssOf(pid), sockets: socketsOf(pid) });
    } catch {
      clearInterval(timer);
    }
  }, EVERY_MS);
  return () => clearInterval(timer);
}

function rssOf(pid: number): number {
  const kib = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib) / 1024;
}

function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:');
    } catch {
      return false;
    }
  }).length;
}
