import type { Ora } from 'ora';
import type { Progress } from '../engine/ports.js';

/** Progress on stderr that can be ended. */
export interface ProgressLine extends Progress {
  stop(): void;
}

/** A spinner on a terminal, one plain line per trial elsewhere, nothing when quiet. */
export function createProgress(options: {
  readonly quiet: boolean;
  readonly requests: number;
}): ProgressLine {
  if (options.quiet) {
    return { trialStarted: () => {}, requestEnded: () => {}, trialEnded: () => {}, stop: () => {} };
  }
  // A terminal of unknown width (0 columns) makes the spinner clear lines forever.
  const drawable = process.stderr.isTTY && process.stderr.columns > 0 && process.env.TERM !== 'dumb';
  return drawable ? createSpinner(options.requests) : createPlainLines();
}

const REDRAW_EVERY_MS = 100;

function createSpinner(requests: number): ProgressLine {
  let spinner: Ora | null = null;
  const loaded = import('ora').then(({ default: ora }) => {
    spinner = ora({ stream: process.stderr, discardStdin: false }).start();
  });
  const startedMs = performance.now();
  let where = '';
  let total = 0;
  let before = 0;
  let done = 0;
  let drawnMs = 0;

  function redraw(nowMs: number): void {
    if (spinner === null) return;
    drawnMs = nowMs;
    const all = before + done;
    const rate = (all * 1000) / (nowMs - startedMs);
    const left = rate > 0 ? describeTime((total * requests - all) / rate) : '?';
    spinner.text = `${where}  ${done}/${requests} requests  ${rate.toFixed(1)}/s  ${left} left`;
  }

  return {
    trialStarted: (variant, trial, index, trials) => {
      where = `${variant} ${trial.id} (trial ${index + 1}/${trials})`;
      total = trials;
      before = index * requests;
      done = 0;
    },
    requestEnded: (record) => {
      if (record.phase !== 'measure') return;
      done++;
      const nowMs = performance.now();
      if (nowMs - drawnMs > REDRAW_EVERY_MS) redraw(nowMs);
    },
    trialEnded: () => redraw(performance.now()),
    stop: () => {
      void loaded.then(() => spinner?.stop());
    },
  };
}

function createPlainLines(): ProgressLine {
  const startedMs = performance.now();
  let label = '';
  let index = 0;
  let total = 0;
  return {
    trialStarted: (variant, trial, i, trials) => {
      label = `${variant} ${trial.id}`;
      index = i;
      total = trials;
    },
    requestEnded: () => {},
    trialEnded: (summary) => {
      const spentS = (performance.now() - startedMs) / 1000;
      const left = describeTime((spentS / (index + 1)) * (total - index - 1));
      const rate = summary.values.throughput_rps?.toFixed(1) ?? '-';
      const findings = summary.findings.map((finding) => finding.code);
      const notes = findings.length === 0 ? '' : ` [${findings.join(', ')}]`;
      process.stderr.write(
        `[${index + 1}/${total}] ${label}: ${summary.ok}/${summary.requests} ok, ${rate} req/s, ${left} left${notes}\n`,
      );
    },
    stop: () => {},
  };
}

function describeTime(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  const minutes = Math.floor(whole / 60);
  return minutes < 60
    ? `${minutes}m${String(whole % 60).padStart(2, '0')}s`
    : `${Math.floor(minutes / 60)}h${String(minutes % 60).padStart(2, '0')}m`;
}
