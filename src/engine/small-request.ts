import type { JsonObject } from '../core/answer/dialect.js';
import { workerNamesOf } from '../core/answer/dialects.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import { EXIT, KvbenchError } from '../core/base/errors.js';
import type { Scenario } from '../core/scenario/settings.js';
import type { Prompt } from '../core/workload/prompts.js';
import type { Clock, StopSignal, Transport } from './ports.js';
import { sendRequest } from './send-request.js';
import { timeLimitsOf } from './time-limits.js';

export interface SmallRequestDeps {
  readonly clock: Clock;
  readonly stop: StopSignal;
  /** A transport that sends these fields; the sender closes it. */
  readonly connect: (fields: JsonObject) => Transport;
  /** A short prompt no cache has seen, the same at each call. */
  readonly prompt: Prompt;
}

/** An answer to a small request. */
export interface SmallAnswer {
  readonly record: RequestRecord;
  /** As the {@link Recorder} gives them. */
  readonly dialect: string | null;
  readonly workerSource: string | null;
}

/** Sends one small request with these fields. */
export async function sendSmallRequest(
  fields: JsonObject,
  scenario: Scenario,
  deps: SmallRequestDeps,
): Promise<SmallAnswer> {
  const transport = deps.connect(fields);
  const originMs = deps.clock.now();
  const context = {
    ...deps,
    transport,
    limits: timeLimitsOf(scenario),
    names: workerNamesOf(scenario),
    originMs,
    measured: null,
  };
  const request = { prompt: deps.prompt, outputTokens: 2 };
  try {
    return await new Promise((resolve) => {
      sendRequest(context, PROBE_META, request, originMs, (record, answer) =>
        resolve({ record, dialect: answer.dialect(), workerSource: answer.workerSource() }),
      );
    });
  } finally {
    await transport.close();
  }
}

/** The target answered, be it without a token. */
export function isAnswered({ outcome }: RequestRecord): boolean {
  return outcome === 'ok' || outcome === 'empty';
}

/** What the target said to a request that it did not answer. */
export function refusalOf({ status, outcome, error }: RequestRecord): string {
  const what = outcome === 'http_error' ? `HTTP ${status}` : outcome;
  return `${what}: ${error?.message ?? ''}`;
}

/** The target is there and refuses a small request. */
export function probeFailed(url: string, refusal: string, isDialectGiven: boolean): KvbenchError {
  return unreachable(
    'probe-failed',
    `${url} does not answer a small request (${refusal})`,
    isDialectGiven
      ? 'check --model, --header and --api-key-env, or use --dialect auto'
      : 'check --model, --header and --api-key-env, and try the same request with curl',
  );
}

/** A {@link KvbenchError} with exit code 3. */
export function unreachable(code: string, message: string, hint: string): KvbenchError {
  return new KvbenchError({ code, message, exitCode: EXIT.unreachable, hint });
}

const PROBE_META = {
  trial: 'probe',
  variant: 'probe',
  prefixes: 1,
  concurrency: 1,
  rate: null,
  repeat: 1,
  seq: 0,
  // Of no group of the workload: a session-affinity router must not tie one to a worker by it.
  prefix: null,
  phase: 'warmup',
} as const;
