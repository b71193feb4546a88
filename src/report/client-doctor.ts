import { type ClientCheck, findClientLimit } from '../core/measure/client-check.js';
import { formatMs } from './format.js';

/** One load of a calibration. */
export interface ClientStep {
  readonly concurrency: number;
  /** By the server's schedule. */
  readonly tokensPerS: number;
  readonly failed: number;
  readonly ttftP50Ms: number | null;
  readonly ttftP99Ms: number | null;
  /** How late the server's own writes were. */
  readonly server: { readonly writes: number; readonly late_p50_ms: number; readonly late_p99_ms: number };
  readonly client: ClientCheck | null;
}

export interface ClientCalibration {
  readonly cores: number;
  readonly schedule: { readonly firstTokenMs: number; readonly gapMs: number; readonly tokens: number };
  readonly steps: readonly ClientStep[];
}

/** What is trusted depends on the TTFT that is measured: told for a fast answer and for a slow one. */
export const TRUSTED_AT_MS = [50, 500] as const;

/** Whether a trial with these figures and this TTFT p50 would carry no client-limited finding. */
export function isTrusted(step: ClientStep, ttftP50Ms: number): boolean {
  const times = { ttft_mean_ms: ttftP50Ms, ttft_p50_ms: ttftP50Ms, ttft_p99_ms: ttftP50Ms };
  return step.failed === 0 && step.client !== null && findClientLimit(step.client, times) === null;
}

const HEADINGS = [
  'C',
  'tokens/s',
  'TTFT p50',
  'p99',
  'stamp lag p50',
  'p99',
  'loop delay p99',
  'in flight',
  'CPU',
  'server late p99',
  'trusted at TTFT 50',
  '500 ms',
];

/** Up to which load the client can be trusted on this machine, with what was seen at each. Times in ms. */
export function renderClientDoctor({ cores, schedule, steps }: ClientCalibration): string {
  const rows = [HEADINGS, ...steps.map(cellsOf)];
  const widths = HEADINGS.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)));
  const table = rows.map((row) => row.map((cell, i) => cell.padStart(widths[i] ?? 0)).join('  '));
  const { firstTokenMs, gapMs, tokens } = schedule;
  return `${[
    ...TRUSTED_AT_MS.map((ttftMs) => `where the TTFT p50 is ${ttftMs} ms: ${verdictAt(steps, ttftMs)}`),
    '',
    `One thread on ${cores} cores, against a server in this process: first token after ${firstTokenMs} ms, then one each ${gapMs} ms, ${tokens} in all. Times in ms.`,
    ...table,
    '',
    'Other work on the machine counts: calibrate with the machine as it will be. Every run checks itself in the same way.',
  ].join('\n')}\n`;
}

function verdictAt(steps: readonly ClientStep[], ttftMs: number): string {
  const firstBad = steps.findIndex((step) => !isTrusted(step, ttftMs));
  const trusted = firstBad === -1 ? steps : steps.slice(0, firstBad);
  const most = trusted.at(-1);
  if (most === undefined) return 'not even the lightest load here can be trusted; is other work running?';
  return `trusted up to C=${most.concurrency}, ${most.tokensPerS} tokens/s${firstBad === -1 ? ' (no more was tried)' : ''}`;
}

function cellsOf(step: ClientStep): string[] {
  const { client } = step;
  return [
    String(step.concurrency),
    String(step.tokensPerS),
    msOrDash(step.ttftP50Ms),
    msOrDash(step.ttftP99Ms),
    msOrDash(client?.stamp_lag_p50_ms),
    msOrDash(client?.stamp_lag_p99_ms),
    msOrDash(client?.loop_delay_p99_ms),
    String(client?.concurrency_mean ?? '–'),
    String(client?.cpu_share ?? '–'),
    msOrDash(step.server.late_p99_ms),
    ...TRUSTED_AT_MS.map((ttftMs) => (isTrusted(step, ttftMs) ? 'yes' : 'no')),
  ];
}

function msOrDash(ms: number | null | undefined): string {
  return ms === null || ms === undefined ? '–' : formatMs(ms);
}
