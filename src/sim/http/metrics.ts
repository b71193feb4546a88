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

type Metric = readonly [
  name: string,
  kind: 'gauge' | 'counter',
  help: string,
  value: (stats: WorkerStats, finished: number) => number,
  /** Labels besides engine and model. */
  labels?: (config: EngineConfig) => string,
];

/** Names and meanings are vLLM's (vllm/v1/metrics/loggers.py). Tokens are counted as the answers' usage counts them. */
const METRICS: readonly Metric[] = [
  ['num_requests_running', 'gauge', 'Requests in the batch.', (stats) => stats.running],
  ['num_requests_waiting', 'gauge', 'Requests waiting to enter the batch.', (stats) => stats.waiting],
  ['kv_cache_usage_perc', 'gauge', 'Share of KV blocks in use, 0 to 1.', (stats) => stats.kvUsage],
  ['cache_config_info', 'gauge', 'Size of the KV cache, in its labels.', () => 1, sizeLabels],
  ['prefix_cache_queries_total', 'counter', 'Prompt tokens looked up.', (stats) => stats.queriedTokens],
  ['prefix_cache_hits_total', 'counter', 'Prompt tokens found cached.', (stats) => stats.hitTokens],
  ['num_preemptions_total', 'counter', 'Times a request had to start over.', (stats) => stats.preemptions],
  ['prompt_tokens_total', 'counter', 'Prompt tokens, cached ones included.', (stats) => stats.promptTokens],
  ['generation_tokens_total', 'counter', 'Tokens generated.', (stats) => stats.outputTokens],
  [
    'request_success_total',
    'counter',
    'Requests answered to their end.',
    (_, finished) => finished,
    () => 'finished_reason="length"',
  ],
];

function sizeLabels({ blockSize, blocks }: EngineConfig): string {
  return `block_size="${blockSize}",num_gpu_blocks="${blocks}"`;
}

/** Prometheus text: vLLM's names for each worker, and how well the simulator keeps its own timing. */
export function renderMetrics(
  config: EngineConfig,
  workers: readonly WorkerMetrics[],
  lateness: Lateness,
): string {
  const model = config.model.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`));
  const lines = METRICS.flatMap(([suffix, kind, help, value, labels]) => {
    const name = `vllm:${suffix}`;
    const more = labels === undefined ? '' : `,${labels(config)}`;
    return [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${kind}`,
      ...workers.map(
        ({ engine, stats, finished }) =>
          `${name}{engine="${engine}",model_name="${model}"${more}} ${value(stats, finished)}`,
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
