import type { Scenario } from '../scenario/settings.js';
import type { ClientCheck } from './client-check.js';
import type { ExperimentRecord } from './experiment-record.js';
import type { FirstTokenWait } from './first-token-wait.js';
import type { MetricsSource } from './servers/metrics-source.js';
import type { TrialServers } from './servers/server-counts.js';
import type { SlotHold } from './slot-use.js';
import type { TokenReads } from './token-reads.js';

export const SCHEMA = 'kvbench/1';

/** run.json: with requests.jsonl, everything that any table or report is made from. Secrets are redacted. */
export interface RunFile {
  readonly schema: typeof SCHEMA;
  /** `failed`: the target was lost, or the run ended with an error; `interrupted`: by the user. */
  readonly status: 'running' | 'complete' | 'interrupted' | 'failed';
  readonly scenario: Scenario;
  /** Trials in the order in which they run; the requests of each follow from the scenario and its seed. */
  readonly plan: {
    readonly cells: readonly string[];
    readonly trials: readonly { readonly id: string; readonly requests: number }[];
  };
  readonly workload: WorkloadDigest;
  /** One for each router mode measured in this run; usually one. */
  readonly variants: readonly VariantRun[];
  readonly provenance: Provenance;
  /** Trials that have ended, in the order in which they did. */
  readonly trials: readonly TrialRun[];
  /** Every field of the experiment record, empty ones as null; null in runs of before there was one. */
  readonly record: ExperimentRecord | null;
}

/** Tells whether two runs sent the same prompts in the same order. */
export interface WorkloadDigest {
  /** Hash over every prompt's text without its salt, in the order of sending. */
  readonly sha256: string;
  /** Equal salts, equal value; null for none. Equal `sha256` but another salt: equal but for salt. */
  readonly salt_sha256: string | null;
}

export interface VariantRun {
  readonly name: string;
  readonly target: TargetFacts;
}

/** What was measured, and what was found out about it before the first trial. */
export interface TargetFacts {
  readonly kind: 'http' | 'sim';
  readonly url: string;
  readonly model: string;
  /** As listed by the target; null when it lists none or was not asked. */
  readonly models: readonly string[] | null;
  /** The dialect in which it is asked: a name of the table of dialects, or `sim`. */
  readonly dialect: string;
  /** Body fields sent beside model, messages and max_tokens. */
  readonly sent: Readonly<Record<string, unknown>>;
  /** `omits-zero`: absent counts as 0. `not-reported`: no answer to the probe carried them, be it that none hit. */
  readonly cached_tokens: 'reported' | 'omits-zero' | 'not-reported';
  /** The probe's first prompt, which no cache can have held, came back as cached whole; absent where it did not. */
  readonly new_prompts_cached?: true | undefined;
  /** What names workers: `body FIELD` or `header NAME`; null when no answer did. Left out in runs of before it was kept, and by the simulator. */
  readonly worker_source?: string | null;
  /** What the probe tried and saw, a line each. */
  readonly probe: readonly string[];
  /** Metrics pages that were tried, read or not; absent where none was looked for. */
  readonly metrics?: readonly MetricsSource[] | undefined;
}

/** Where and when the figures come from. */
export interface Provenance {
  readonly kvbench: string;
  readonly node: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gib: number;
  readonly host: string;
  /** Commit of the working directory, with `+changes` when it is not clean; null outside a checkout. */
  readonly git: string | null;
  readonly argv: readonly string[];
  readonly clock: 'monotonic' | 'virtual';
  /** ISO 8601. */
  readonly started_at: string;
  readonly ended_at: string | null;
}

/** One trial that has ended. */
export interface TrialRun {
  readonly variant: string;
  readonly id: string;
  readonly started_at: string;
  readonly interrupted: boolean;
  /** The salt of a trial that was run again, for its first try left its prompts in the caches. */
  readonly salt?: string | undefined;
  /** Null on a virtual clock. */
  readonly client: ClientCheck | null;
  /** Null when no answer had two tokens. */
  readonly itl: ItlSummary | null;
  /** Null on a virtual clock; left out in runs of before it was counted. */
  readonly first_token?: FirstTokenWait | null;
  /** Null on a virtual clock, and when answers are too short to tell; left out in runs of before it was counted. */
  readonly token_reads?: TokenReads | null;
  /** Null on a virtual clock; left out in runs of before it was counted. */
  readonly after_last_token?: SlotHold | null;
  /** What the servers counted over the measured phase; absent where no metrics page could be read. */
  readonly servers?: TrialServers | undefined;
}

/** Names one trial of one variant within a run: its records and its entry in run.json share it. */
export function trialKey({ variant, id }: Pick<TrialRun, 'variant' | 'id'>): string {
  return `${variant}\n${id}`;
}

/** Gaps between the token-bearing events of ok requests, pooled over the trial; itl.hlog holds the whole histogram. */
export interface ItlSummary {
  readonly gaps: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}
