/** How a request ended: a closed set. Only `ok` enters a latency. */
export const OUTCOMES = [
  'ok',
  'http_error',
  'connect_error',
  'stream_error',
  'timeout',
  'empty',
  'aborted',
] as const;

export type Outcome = (typeof OUTCOMES)[number];

/** `prime` and `warmup` requests are recorded but enter no figure. */
export type Phase = 'measure' | 'prime' | 'warmup';

/** Times and rates that the server itself reports about one request; each null when not said. Milliseconds. */
export interface ServerTimes {
  readonly prefill_wait_ms: number | null;
  readonly prefill_ms: number | null;
  readonly ttft_ms: number | null;
  readonly total_ms: number | null;
  readonly kv_transfer_ms: number | null;
  /** Share of the prompt that the router expected to be cached, 0-1. */
  readonly kv_hit_rate: number | null;
  readonly queue_depth: number | null;
  /** Time that the router itself took; left out where the router does not say (LiteLLM does). */
  readonly overhead_ms?: number;
}

/**
 * What happened to one planned request: one line of requests.jsonl, keys as in the file, so that no mapping stands
 * between a record and the number made from it. Times are milliseconds rounded to 1 µs: what is summarized is what
 * was written.
 */
export interface RequestRecord {
  /** `p12-c8-r2`, or `p12-q20-r2` for an open load of 20/s. */
  readonly trial: string;
  readonly variant: string;
  /** Number of prefix groups of the cell. */
  readonly prefixes: number;
  /** Null for an open load. */
  readonly concurrency: number | null;
  /** Requests per second; null for a closed load. */
  readonly rate: number | null;
  /** Group of requests; the key is left out without groups in the scenario, and of warm-up text. */
  readonly group?: string;
  /** From 1. */
  readonly repeat: number;
  /** Position in the trial's plan for this phase, from 0. */
  readonly seq: number;
  /** Prefix group, from 0; null for warm-up text, which belongs to none. */
  readonly prefix: number | null;
  readonly phase: Phase;
  readonly outcome: Outcome;
  /** HTTP status; null when no response began. */
  readonly status: number | null;
  /** Null exactly when the outcome is `ok`. */
  readonly error: { readonly code: string; readonly message: string } | null;
  /** When the request was due, from the trial's start: the schedule of an open load, a free slot of a closed one. Null when it was never due. */
  readonly due_ms: number | null;
  /** When its bytes were handed to an open socket, from the trial's start. Null when it never was. */
  readonly sent_ms: number | null;
  /** sent − due: time spent waiting inside the client. */
  readonly send_lag_ms: number | null;
  /** Time to open the connection; null on a reused one. */
  readonly connect_ms: number | null;
  /** Socket read that carried the first token − sent. Null without a token. */
  readonly ttft_ms: number | null;
  /** Last token − sent. Null without a token. */
  readonly e2e_ms: number | null;
  /** (e2e − ttft) / (output_tokens − 1); null below 2 output tokens, when usage is missing, or when the answer was not streamed. */
  readonly tpot_ms: number | null;
  /** From usage; null when not reported. */
  readonly prompt_tokens: number | null;
  /** From usage; null when the server did not say: absent is not 0. */
  readonly cached_tokens: number | null;
  readonly output_tokens: number | null;
  /** Token-bearing events received. */
  readonly chunks: number;
  /** Worker ids are text: they are u64 beyond what a double holds. Null when not reported. */
  readonly prefill_worker: string | null;
  readonly decode_worker: string | null;
  /** Where the prefix's KV lives: prefill worker, else decode worker; `:rank` appended when its rank is not 0. */
  readonly worker: string | null;
  readonly finish_reason: string | null;
  /** The server's own id of the answer. */
  readonly request_id: string | null;
  readonly server: ServerTimes | null;
}

/** What of a record enters measures, findings and the split of lost hits: see createTrialRecords. */
export type FactRecord = Pick<
  RequestRecord,
  | 'seq'
  | 'prefix'
  | 'phase'
  | 'outcome'
  | 'error'
  | 'sent_ms'
  | 'ttft_ms'
  | 'e2e_ms'
  | 'tpot_ms'
  | 'prompt_tokens'
  | 'cached_tokens'
  | 'output_tokens'
  | 'chunks'
  | 'prefill_worker'
  | 'decode_worker'
  | 'worker'
> & {
  readonly group?: string | undefined;
  /** Null too where the server does not say the one figure that is read. */
  readonly server: Pick<ServerTimes, 'kv_hit_rate'> | null;
};
