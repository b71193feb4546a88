import { canonicalName } from './metrics-page.js';

/** One name under which a server counts something. */
export interface MetricName {
  /** In canonical form. */
  readonly name: string;
  /** Only samples with these labels. */
  readonly where: Readonly<Record<string, string>>;
}

/** What is read of a server, if it tells it: counters since its start, then gauges. */
export interface MetricNames {
  /** Requests that ended. */
  readonly requests: readonly MetricName[];
  /** Prompt tokens looked up in the cache. */
  readonly promptTokens: readonly MetricName[];
  /** Prompt tokens found in the cache. */
  readonly cachedTokens: readonly MetricName[];
  readonly outputTokens: readonly MetricName[];
  /** Requests that lost their blocks and began anew. */
  readonly preemptions: readonly MetricName[];
  readonly running: readonly MetricName[];
  readonly waiting: readonly MetricName[];
  /** Share of the cache in use, 0 to 1. */
  readonly kvUsage: readonly MetricName[];
}

/** What one kind of server calls things. Of several names for one thing the first that the page has is read. */
export interface MetricsDialect extends MetricNames {
  readonly name: string;
  /** Engines hold caches; a router counts what passes through it. */
  readonly role: 'engine' | 'router';
  /** Canonical; a page with a name that begins with it is of this kind. */
  readonly mark: string;
  /** Labels that tell servers on one page apart. */
  readonly splitBy: readonly string[];
  /** The label that names the worker in `workerRequests`, and the counters; null where none is told. */
  readonly workers: { readonly label: string; readonly requests: readonly MetricName[] } | null;
  /** Where block size (tokens) and capacity (blocks) are told: labels of an info metric, or values. */
  readonly cache: {
    readonly info: { readonly name: string; readonly blockSize: string; readonly blocks: string } | null;
    readonly blockSize: readonly MetricName[];
    readonly blocks: readonly MetricName[];
  };
}

const names = (
  ...list: readonly (string | readonly [string, Readonly<Record<string, string>>])[]
): MetricName[] =>
  list.map((item) => {
    const [name, where] = typeof item === 'string' ? [item, {}] : item;
    return { name: canonicalName(name), where };
  });

const NOTHING: MetricNames & Pick<MetricsDialect, 'cache' | 'workers' | 'splitBy'> = {
  ...{ requests: [], promptTokens: [], cachedTokens: [], outputTokens: [] },
  ...{ preemptions: [], running: [], waiting: [], kvUsage: [], splitBy: [] },
  workers: null,
  cache: { info: null, blockSize: [], blocks: [] },
};

/**
 * Every kind of server whose pages are read; a page of two kinds (a Dynamo worker also shows its engine's names) is read
 * as each, and engines come first. Names were seen on vLLM 0.32, Dynamo 1.5, sglang-router 0.3.2, SMG 1.13 and
 * vllm-router 0.1.17; those of SGLang and llm-d are from their documentation.
 */
export const METRICS_DIALECTS: readonly MetricsDialect[] = [
  {
    ...NOTHING,
    name: 'vllm',
    role: 'engine',
    mark: 'vllm_num_requests_',
    // A router that gathers pages adds the address; ranks of data parallelism have caches of their own.
    splitBy: ['worker_addr', 'engine'],
    requests: names('vllm:request_success'),
    promptTokens: names('vllm:prefix_cache_queries', 'vllm:gpu_prefix_cache_queries', 'vllm:prompt_tokens'),
    cachedTokens: names('vllm:prefix_cache_hits', 'vllm:gpu_prefix_cache_hits'),
    outputTokens: names('vllm:generation_tokens'),
    preemptions: names('vllm:num_preemptions'),
    running: names('vllm:num_requests_running'),
    waiting: names('vllm:num_requests_waiting'),
    kvUsage: names('vllm:kv_cache_usage_perc', 'vllm:gpu_cache_usage_perc'),
    cache: {
      info: {
        name: canonicalName('vllm:cache_config_info'),
        blockSize: 'block_size',
        blocks: 'num_gpu_blocks',
      },
      blockSize: [],
      blocks: [],
    },
  },
  {
    ...NOTHING,
    name: 'sglang',
    role: 'engine',
    mark: 'sglang_num_running_',
    splitBy: ['worker_addr', 'dp_rank'],
    requests: names('sglang:num_requests'),
    promptTokens: names('sglang:prompt_tokens'),
    cachedTokens: names('sglang:cached_tokens'),
    outputTokens: names('sglang:generation_tokens'),
    preemptions: names('sglang:num_retracted_requests'),
    running: names('sglang:num_running_reqs'),
    waiting: names('sglang:num_queue_reqs'),
    kvUsage: names('sglang:token_usage'),
    cache: {
      info: { name: canonicalName('sglang:cache_config_info'), blockSize: 'page_size', blocks: 'num_pages' },
      blockSize: [],
      blocks: [],
    },
  },
  {
    ...NOTHING,
    name: 'dynamo-worker',
    role: 'engine',
    mark: 'dynamo_component_request',
    splitBy: ['worker_id'],
    requests: names(['dynamo_component_requests', { dynamo_endpoint: 'generate' }]),
    running: names(['dynamo_component_inflight_requests', { dynamo_endpoint: 'generate' }]),
  },
  {
    ...NOTHING,
    name: 'dynamo-frontend',
    role: 'router',
    mark: 'dynamo_frontend_',
    requests: names(['dynamo_frontend_requests', { status: 'success' }]),
    promptTokens: names('dynamo_frontend_input_sequence_tokens_sum'),
    cachedTokens: names('dynamo_frontend_cached_tokens_sum'),
    outputTokens: names('dynamo_frontend_output_tokens'),
    running: names('dynamo_frontend_inflight_requests'),
    waiting: names('dynamo_frontend_queued_requests'),
    cache: {
      info: null,
      blockSize: names('dynamo_frontend_model_kv_cache_block_size'),
      blocks: names('dynamo_frontend_model_total_kv_blocks'),
    },
  },
  {
    ...NOTHING,
    name: 'smg',
    role: 'router',
    mark: 'smg_',
    requests: names(['smg_router_upstream_responses', { status_code: '200' }]),
    running: names('smg_worker_requests_active'),
    workers: {
      label: 'worker',
      requests: names('smg_worker_requests', ['smg_worker_cb_outcomes', { outcome: 'success' }]),
    },
  },
  {
    ...NOTHING,
    name: 'sglang-router',
    role: 'router',
    mark: 'sgl_router_',
    requests: names('sgl_router_requests'),
    running: names('sgl_router_running_requests'),
    workers: { label: 'worker', requests: names('sgl_router_processed_requests') },
  },
  {
    ...NOTHING,
    name: 'vllm-router',
    role: 'router',
    mark: 'vllm_router_',
    requests: names('vllm_router_requests'),
    running: names('vllm_router_running_requests'),
    workers: { label: 'worker', requests: names('vllm_router_processed_requests') },
  },
  {
    ...NOTHING,
    name: 'llm-d-epp',
    role: 'router',
    mark: 'llm_d_epp_',
    requests: names('llm_d_epp_request', 'inference_objective_request'),
    workers: {
      label: 'endpoint_name',
      requests: names(['llm_d_epp_scheduler_attempts', { status: 'success' }]),
    },
  },
  {
    ...NOTHING,
    name: 'gateway-epp',
    role: 'router',
    mark: 'inference_extension_',
    requests: names('inference_objective_request', 'inference_model_request'),
    workers: {
      label: 'endpoint_name',
      requests: names(['inference_extension_scheduler_attempts', { status: 'success' }]),
    },
  },
];
