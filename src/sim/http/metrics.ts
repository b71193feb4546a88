import { LATENESS_BOUNDS_MS, type Lateness } from '../clock/lateness.js';
import type { WorkerStats } from '../worker/worker.js';

export interface WorkerMetrics {
  readonly worker: number;
  readonly stats: WorkerStats;
  /** Requests answered to their end. */
  readonly finished: number;
}

type Row = readonly [
  name: string,
  kind: 'gauge' | 'counter',
  help: string,
  value: (worker: WorkerMetrics) => number,
];

/** Names and meanings are vLLM's (docs, metrics design). */
const WORKER_ROWS: readonly Row[] = [
  ['vllm:num_requests_running', 'gauge', 'Requests in the batch.', ({ stats }) => stats.running],
  [
    'vllm:num_requests_waiting',
    'gauge',
    'Requests waiting to enter the batch.',
    ({ stats }) => stats.waiting,
  ],
  ['vllm:kv_cache_usage_perc', 'gauge', 'Share of KV blocks in use, 0 to 1.', ({ stats }) => stats.kvUsage],
  [
    'vllm:prefix_cache_queries_total',
    'counter',
    'Tokens looked up in the prefix cache.',
    ({ stats }) => stats.queriedTokens,
  ],
  [
    'vllm:prefix_cache_hits_total',
    'counter',
    'Tokens found in the prefix cache.',
    ({ stats }) => stats.hitTokens,
  ],
  [
    'vllm:num_preemptions_total',
    'counter',
    'Requests that lost their blocks and began anew.',
    ({ stats }) => stats.preemptions,
  ],
  ['vllm:prompt_tokens_total', 'counter', 'Prompt tokens computed.', ({ stats }) => stats.promptTokens],
  ['vllm:generation_tokens_total', 'counter', 'Tokens made.', ({ stats }) => stats.outputTokens],
];

/** Prometheus text: vLLM's names for each worker, and how well the simulator keeps its own timing. */
export function renderMetrics(model: string, workers: readonly WorkerMetrics[], lateness: Lateness): string {
  const lines: string[] = [];
  for (const [name, kind, help, value] of WORKER_ROWS) {
    lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${kind}`);
    for (const worker of workers) lines.push(`${name}${labels(model, worker.worker)} ${value(worker)}`);
  }
  lines.push(
    '# HELP vllm:request_success_total Requests answered to their end.',
    '# TYPE vllm:request_success_total counter',
  );
  for (const worker of workers) {
    lines.push(
      `vllm:request_success_total${labels(model, worker.worker, 'finished_reason="length"')} ${worker.finished}`,
    );
  }
  lines.push(...latenessLines(lateness));
  return `${lines.join('\n')}\n`;
}

function latenessLines(lateness: Lateness): string[] {
  const name = 'kvbench_sim_lateness_seconds';
  return [
    `# HELP ${name} How late events of the simulation came, against the time they were due.`,
    `# TYPE ${name} histogram`,
    ...LATENESS_BOUNDS_MS.map((bound, i) => `${name}_bucket{le="${bound / 1000}"} ${lateness.upTo[i] ?? 0}`),
    `${name}_bucket{le="+Inf"} ${lateness.events}`,
    `${name}_sum ${lateness.sumMs / 1000}`,
    `${name}_count ${lateness.events}`,
  ];
}

function labels(model: string, worker: number, more = ''): string {
  const name = model.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  return `{engine="${worker}",model_name="${name}"${more === '' ? '' : `,${more}`}}`;
}
