import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseMetricsPage } from '../../../../src/core/measure/servers/metrics-page.js';
import { readServers } from '../../../../src/core/measure/servers/server-reading.js';

function read(body: string, name = 's') {
  const page = parseMetricsPage(body);
  if (page.kind === 'no-page') throw new Error(page.why);
  return readServers(page.samples, name);
}

/** A page as a real server gave it, without its histograms. */
function pageOf(name: string): string {
  return readFileSync(new URL(`pages/${name}.txt`, import.meta.url), 'utf8');
}

const NONE = {
  ...{ requests: null, promptTokens: null, cachedTokens: null, outputTokens: null },
  ...{ preemptions: null, running: null, waiting: null, kvUsage: null },
};

describe('readServers', () => {
  it('reads vLLM, its block size and capacity too', () => {
    expect(read(pageOf('vllm'))).toEqual([
      {
        ...{ server: 's', kind: 'vllm', role: 'engine', worker: null, blockSize: 128, blocks: 2000 },
        figures: {
          ...{ requests: 73, promptTokens: 35_233, cachedTokens: 27_648, outputTokens: 272 },
          ...{ preemptions: 0, running: 0, waiting: 0, kvUsage: 0 },
        },
        workerRequests: new Map(),
      },
    ]);
  });

  it('reads vLLM of before its metrics were renamed', () => {
    const [server] = read(
      'vllm:num_requests_running 1\nvllm:gpu_prefix_cache_queries_total 50\nvllm:gpu_prefix_cache_hits_total 20\nvllm:gpu_cache_usage_perc 0.5\n',
    );
    expect(server?.figures).toEqual({
      ...NONE,
      running: 1,
      promptTokens: 50,
      cachedTokens: 20,
      kvUsage: 0.5,
    });
  });

  it('takes the ranks of one page apart', () => {
    const body = [0, 1]
      .map(
        (rank) =>
          `vllm:num_requests_running{engine="${rank}"} ${rank}\nvllm:prefix_cache_hits_total{engine="${rank}"} ${rank + 5}\n`,
      )
      .join('');
    expect(read(body).map(({ server, figures }) => [server, figures.cachedTokens])).toEqual([
      ['s 0', 5],
      ['s 1', 6],
    ]);
  });

  it.each(['smg-engines', 'sglang-router-engines'])(
    'takes the engines that a router gathers apart: %s',
    (name) => {
      expect(read(pageOf(name)).map(({ server, kind, role }) => [server, kind, role])).toEqual([
        ['s http://127.0.0.1:21101 0', 'vllm', 'engine'],
        ['s http://127.0.0.1:21102 0', 'vllm', 'engine'],
      ]);
    },
  );

  it('reads SGLang: every cache source and stream mode, one rank of tensor parallelism', () => {
    const [server] = read(
      [
        'sglang:num_running_reqs{tp_rank="0"} 3',
        'sglang:num_running_reqs{tp_rank="1"} 3',
        'sglang:num_queue_reqs{tp_rank="0"} 2',
        'sglang:token_usage{tp_rank="0"} 0.28',
        'sglang:cached_tokens_total{cache_source="device"} 100',
        'sglang:cached_tokens_total{cache_source="host"} 20',
        'sglang:prompt_tokens_total{is_streaming="true"} 300',
        'sglang:prompt_tokens_total{is_streaming="false"} 50',
        'sglang:num_requests_total 7',
        'sglang:cache_config_info{page_size="64",num_pages="512"} 1',
        '',
      ].join('\n'),
    );
    expect(server).toMatchObject({ kind: 'sglang', blockSize: 64, blocks: 512 });
    expect(server?.figures).toEqual({
      ...NONE,
      ...{ requests: 7, promptTokens: 350, cachedTokens: 120, running: 3, waiting: 2, kvUsage: 0.28 },
    });
  });

  it("reads Dynamo's frontend", () => {
    const [server] = read(pageOf('dynamo-frontend'));
    expect(server).toMatchObject({
      kind: 'dynamo-frontend',
      role: 'router',
      worker: null,
      blockSize: 16,
      blocks: 600,
    });
    expect(server?.figures).toEqual({
      ...NONE,
      ...{ requests: 3, promptTokens: 747, cachedTokens: 480, outputTokens: 24, running: 0, waiting: 0 },
    });
  });

  it("reads Dynamo's worker beside its engine's names, its id as answers write it", () => {
    const [server] = read(pageOf('dynamo-worker'));
    // The answers of this capture said prefill_worker_id 16657252637464106547; the page says e72a730515fc9633.
    expect(server).toMatchObject({ kind: 'vllm', role: 'engine', worker: '16657252637464106547' });
    expect(server?.figures).toEqual({
      ...NONE,
      requests: 3,
      preemptions: 0,
      running: 0,
      waiting: 0,
      kvUsage: 0,
    });
  });

  it.each([
    ['smg', 'smg', { 'http://127.0.0.1:21101': 5, 'http://127.0.0.1:21102': 15 }],
    ['sglang-router', 'smg', { 'http://127.0.0.1:21102': 18 }],
    ['vllm-router', 'vllm-router', { 'http://127.0.0.1:21101': 1, 'http://127.0.0.1:21102': 36 }],
  ])('reads the requests by worker of %s', (name, kind, workers) => {
    const [server, ...others] = read(pageOf(name));
    expect(others).toEqual([]);
    expect(server).toMatchObject({ kind, role: 'router' });
    expect(Object.fromEntries(server?.workerRequests ?? [])).toEqual(workers);
  });

  it('reads the attempts by endpoint of llm-d, once where they are published under two names', () => {
    const servers = read(
      ['llm_d_epp', 'inference_extension']
        .map((prefix) => `${prefix}_scheduler_attempts_total{endpoint_name="pod-a",status="success"} 4\n`)
        .join(''),
    );
    expect(servers.map(({ kind, workerRequests }) => [kind, Object.fromEntries(workerRequests)])).toEqual([
      ['llm-d-epp', { 'pod-a': 4 }],
    ]);
  });

  it('knows nothing of a page of other names', () => {
    expect(read('python_gc_objects_collected_total{generation="0"} 3\n')).toEqual([]);
  });
});
