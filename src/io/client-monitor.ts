import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ClientMonitor } from '../engine/ports.js';

/** The loop's timer fires this often to be measured: finer costs CPU, coarser misses short blocks. */
const RESOLUTION_MS = 5;

/** Watches the event loop and the CPU of this process. */
export function createClientMonitor(): ClientMonitor {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let cpu = process.cpuUsage();
  let startedMs = 0;
  return {
    start: () => {
      cpu = process.cpuUsage();
      startedMs = performance.now();
      delay.enable();
      delay.reset();
    },
    stop: (requests) => {
      delay.disable();
      const used = process.cpuUsage(cpu);
      const cpuMs = (used.user + used.system) / 1000;
      return {
        // The histogram holds whole intervals between firings: what exceeds the asked interval is lateness.
        loop_delay_p99_ms: lateness(delay.percentile(99)),
        loop_delay_max_ms: lateness(delay.max),
        cpu_share: round3(cpuMs / (performance.now() - startedMs)),
        cpu_per_request_us: Math.round((cpuMs * 1000) / requests),
      };
    },
  };
}

/** A virtual clock stands still while the client works: there is nothing to watch. */
export function createNoMonitor(): ClientMonitor {
  return { start: () => {}, stop: () => null };
}

function lateness(ns: number): number {
  return round3(Math.max(0, ns / 1e6 - RESOLUTION_MS));
}

function round3(value: number): number {
  return Math.round(value * 1000) / 1000;
}
