import type { Answer, Recorder } from '../../src/core/answer/recorder.js';
import { slotsOf } from '../../src/core/workload/load.js';
import type { TrialPlan } from '../../src/core/workload/plan.js';
import type { Transport } from '../../src/engine/ports.js';
import { createVirtualClock } from '../../src/sim/clock/virtual-clock.js';
import { parseSimTarget } from '../../src/sim/params/sim-params.js';
import { createSimTransport } from '../../src/sim/transport.js';
import { drawTrials, requestsOf } from './trials.js';

/** What the harness notes of one request. */
export interface SimRecord {
  readonly prefix: number;
  readonly sentMs: number;
  readonly firstMs: number;
  readonly lastMs: number;
  readonly answer: Answer;
}

export const yieldToHost = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A closed loop as the engine runs it, small: C in flight, each done() sends the next. */
export async function runSimTrial(
  transport: Transport,
  trial: TrialPlan,
  settings: Parameters<typeof requestsOf>[0],
): Promise<SimRecord[]> {
  const { measure } = requestsOf(settings, trial);
  const concurrency = slotsOf(trial.cell.load) ?? 1;
  await transport.open(concurrency);
  const records: SimRecord[] = [];
  return new Promise((resolve) => {
    let next = 0;
    function sendNext(): void {
      if (next === trial.prefixOf.length) return;
      const seq = next++;
      const prefix = trial.prefixOf[seq] as number;
      const noted = createNotes();
      transport.send(measure.at(seq), noted.recorder, () => {
        records.push({ prefix, ...noted.read() });
        if (records.length === trial.prefixOf.length) resolve(records);
        else sendNext();
      });
    }
    for (let i = 0; i < concurrency; i++) sendNext();
  });
}

/** A whole grid against a fresh cluster, in plan order. */
export async function runSimGrid(
  target: string,
  grid: {
    readonly seed: string;
    readonly prefixes: readonly number[];
    readonly concurrency: readonly number[];
    readonly requests: number;
    readonly repeats: number;
    readonly prefixTokens: number;
    readonly tailTokens: number;
    readonly outputTokens: number;
  },
): Promise<Map<string, SimRecord[][]>> {
  const clock = createVirtualClock(yieldToHost);
  const transport = createSimTransport(parseSimTarget(target), clock);
  const trials = new Map<string, SimRecord[][]>();
  for (const trial of drawTrials({ ...grid, rate: [] })) {
    const records = await runSimTrial(transport, trial, grid);
    trials.set(trial.cell.id, [...(trials.get(trial.cell.id) ?? []), records]);
  }
  await transport.close();
  return trials;
}

function createNotes(): { recorder: Recorder; read(): Omit<SimRecord, 'prefix'> } {
  let sentMs = Number.NaN;
  let firstMs = Number.NaN;
  let lastMs = Number.NaN;
  let answer: Answer | null = null;
  return {
    recorder: {
      connected: () => undefined,
      sent: (atMs) => {
        sentMs = atMs;
      },
      response: () => undefined,
      bytes: () => undefined,
      token: (atMs) => {
        if (Number.isNaN(firstMs)) firstMs = atMs;
        lastMs = atMs;
      },
      answer: (given) => {
        answer = given;
      },
      firstTokenWaitMs: () => null,
      dialect: () => null,
      sentAtMs: () => null,
      lastTokenAtMs: () => null,
      workerSource: () => null,
      finish: () => {
        throw new Error('not used');
      },
    },
    read() {
      if (answer === null) throw new Error('the request got no answer');
      return { sentMs, firstMs, lastMs, answer };
    },
  };
}
