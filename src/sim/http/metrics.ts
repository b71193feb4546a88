import { LATENESS_BOUNDS_MS, type Lateness } from '../clock/lateness.js';
import type { WorkerStats } from '../worker/worker.js';

/** What all workers have in common. */
export interface EngineConfig {
  readonly model: string;
  /** Tokens of a block. */
  readonly blockSize: number;
  /** Cache blocks of one worker. */
  readonly blocks: number;
}

export interface WorkerMetrics {
  /** Its `engine` label. */
  readonly engine: number;
  readonly stats: WorkerStats;
  /** Requests answered to their end. */
  readonly finished: number;
}

interface Metric {
  readonly name: string;
  readonly kind: 'gauge' | 'counter';
  readonly help: string;
  readonly value: (worker: WorkerMetrics) => number;
  /** Labels besides engine and model. */
  readonly labels?: (config: EngineConfig) => string;
}

/** Names and meanings are vLLM's (vllm/v1/metrics/loggers.py). Tokens are counted as the answers' usage counts them. */
const METRICS: readonly Metric[] = [
  {
    name: 'vllm:num_requests_running',
    kind: 'gauge',
    help: 'Requests in the batch.',
    value: ({ stats }) => stats.running,
  },
  {
    name: 'vllm:num_requests_waiting',
    kind: 'gauge',
    help: 'Requests waiting to enter the batch.',
    value: ({ stats }) => stats.waiting,
  },
  {
    name: 'vllm:kv_cache_usage_perc',
    kind: 'gauge',
    help: 'Share of KV blocks in use, 0 to 1.',
    value: ({ stats }) => stats.kvUsage,
  },
  {
    name: 'vllm:cache_config_info',
    kind: 'gauge',
    help: 'Size of the KV cache, in its labels.',
    value: () => 1,
    labels: ({ blockSize, blocks }) => `block_size="${blockSize}",num_gpu_blocks="${blocks}"`,
  },
  {
    name: 'vllm:prefix_cache_queries_total',
    kind: 'counter',
    help: 'Prompt tokens looked up in the prefix cache.',
    value: ({ stats }) => stats.queriedTokens,
  },
  {
    name: 'vllm:prefix_cache_hits_total',
    kind: 'counter',
    help: 'Prompt tokens found in the prefix cache.',
    value: ({ stats }) => stats.hitTokens,
  },
  {
    name: 'vllm:num_preemptions_total',
    kind: 'counter',
    help: 'Times a request lost its blocks and had to start over.',
    value: ({ stats }) => stats.preemptions,
  },
  {
    name: 'vllm:prompt_tokens_total',
    kind: 'counter',
    help: 'Prompt tokens of requests that got their first token, cached ones included.',
    value: ({ stats }) => stats.promptTokens,
  },
  {
    name: 'vllm:generation_tokens_total',
    kind: 'counter',
    help: 'Tokens generated.',
    value: ({ stats }) => stats.outputTokens,
  },
  {
    name: 'vllm:request_success_total',
    kind: 'counter',
    help: 'Requests answered to their end.',
    value: ({ finished }) => finished,
    labels: () => 'finished_reason="length"',
  },
];

/** Prometheus text: vLLM's names for each worker, and how well the simulator keeps its own timing. */
export function renderMetrics(
  config: EngineConfig,
  workers: readonly WorkerMetrics[],
  lateness: Lateness,
): string {
  const model = config.model.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  const lines = METRICS.flatMap(({ name, kind, help, value, labels }) => {
    const more = labels === undefined ? '' : `,${labels(config)}`;
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${kind}`,
      ...workers.map(
        (worker) => `${name}{engine="${worker.engine}",model_name="${model}"${more}} ${value(worker)}`,
      ),
    ];
  });
  return `${[...lines, ...latenessLines(lateness)].join('\n')}\n`;
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
