import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { WORDS } from '../../../src/core/workload/words.js';
import { createRealClock } from '../../../src/io/real-clock.js';
import { type SimServer, startSimServer } from '../../../src/sim/http/server.js';
import type { WorkerEngine } from '../../../src/sim/http/vllm.js';
import { parseSimTarget } from '../../../src/sim/params/sim-params.js';

// Fast, so that no test waits: a step takes 1 ms.
const FAST =
  'step-ms=1&prefill-ms-per-token=0&decode-ms-per-request=0&server-overhead-ms=0&router-overhead-ms=0';

const open: SimServer[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

async function start(
  policy = 'round-robin',
  more = '',
  workerPort: number | null = null,
  workerEngine: WorkerEngine = 'sim',
): Promise<SimServer> {
  const server = await startSimServer({
    params: parseSimTarget(`sim:${policy}?${FAST}${more.includes('workers=') ? '' : '&workers=2'}${more}`),
    blocks: 64,
    model: 'sim',
    clock: createRealClock(),
    host: '127.0.0.1',
    port: 0,
    workerPort,
    workerEngine,
  });
  open.push(server);
  return server;
}

const words = (from: number, count: number): string => WORDS.slice(from, from + count).join(' ');

function post(port: number, path: string, body: unknown): Promise<Response> {
  return fetch(`http://127.0.0.1:${port}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

function chat(
  port: number,
  content: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Response> {
  return post(port, '/v1/chat/completions', {
    model: 'sim',
    max_tokens: 3,
    messages: [{ role: 'user', content }],
    ...more,
  });
}

interface Usage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

/** What these tests read of a body. */
interface Body {
  readonly usage: { readonly prompt_tokens_details: unknown };
  readonly nvext: { readonly worker_id: unknown; readonly timing: object };
  readonly error: { readonly message: string };
}

const bodyOf = async (response: Response): Promise<Body> => (await response.json()) as Body;

const get = async (port: number, path: string): Promise<string> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).text();

/** Waits for something that other requests show, without a fixed sleep. */
async function waitFor(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setImmediate(resolve));
}

describe('simulated server', () => {
  it('answers a chat with exact usage, cached tokens and the worker', async () => {
    const { port } = await start();
    const first = await chat(port, words(0, 40));
    expect(first.headers.get('x-worker-id')).toBe('w0');
    expect(await first.json()).toMatchObject({
      object: 'chat.completion',
      choices: [{ finish_reason: 'length' }],
      usage: { prompt_tokens: 40, completion_tokens: 3, prompt_tokens_details: { cached_tokens: 0 } },
    });
    // The other worker has not seen it; the first one has, all but the last, part-full block.
    expect((await bodyOf(await chat(port, words(0, 40)))).usage.prompt_tokens_details).toEqual({
      cached_tokens: 0,
    });
    const third = await chat(port, words(0, 40));
    expect(third.headers.get('x-worker-id')).toBe('w0');
    expect((await bodyOf(third)).usage.prompt_tokens_details).toEqual({ cached_tokens: 32 });
  });

  it('streams a role, one event per token, the reason, usage when asked, and an end mark', async () => {
    const { port } = await start();
    const response = await chat(port, words(0, 20), {
      stream: true,
      stream_options: { include_usage: true },
    });
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    const events = (await response.text()).split('\n\n').filter((event) => event !== '');
    expect(events.at(-1)).toBe('data: [DONE]');
    const chunks = events.slice(0, -1).map((event) => JSON.parse(event.slice(6)));
    expect(chunks.length).toBe(6);
    expect(chunks[0].choices[0].delta).toEqual({ role: 'assistant', content: '' });
    for (const chunk of chunks.slice(1, 4)) expect(chunk.choices[0].delta.content).toMatch(/^ [a-z]+$/);
    expect(chunks[4].choices[0]).toMatchObject({ delta: {}, finish_reason: 'length' });
    expect(chunks[5]).toMatchObject({ choices: [], usage: { prompt_tokens: 20, completion_tokens: 3 } });
    expect(chunks.every((chunk) => chunk.nvext === undefined)).toBe(true);
  });

  it('answers a completion, and says nvext only when asked', async () => {
    const { port } = await start('kv');
    const response = await post(port, '/v1/completions', {
      prompt: words(0, 17),
      max_tokens: 2,
      nvext: { extra_fields: ['worker_id', 'timing'] },
    });
    const body = await bodyOf(response);
    expect(body).toMatchObject({ object: 'text_completion', usage: { prompt_tokens: 17, total_tokens: 19 } });
    const worker = Number(response.headers.get('x-worker-id')?.slice(1));
    expect(body.nvext.worker_id).toEqual({
      prefill_worker_id: worker,
      prefill_dp_rank: 0,
      decode_worker_id: worker,
      decode_dp_rank: 0,
    });
    expect(Object.keys(body.nvext.timing)).toEqual([
      'prefill_wait_time_ms',
      'prefill_time_ms',
      'ttft_ms',
      'total_time_ms',
      'kv_hit_rate',
    ]);
  });

  it('lists its model, is healthy, and counts like vLLM', async () => {
    const { port } = await start();
    expect(JSON.parse(await get(port, '/v1/models')).data[0].id).toBe('sim');
    expect(JSON.parse(await get(port, '/health'))).toEqual({ status: 'healthy' });
    for (let i = 0; i < 4; i++) await (await chat(port, words(0, 40))).text();
    const metrics = await get(port, '/metrics');
    expect(metrics).toContain('vllm:prefix_cache_queries_total{engine="0",model_name="sim"} 80\n');
    expect(metrics).toContain('vllm:prefix_cache_hits_total{engine="0",model_name="sim"} 32\n');
    expect(metrics).toContain('vllm:generation_tokens_total{engine="1",model_name="sim"} 6\n');
    expect(metrics).toContain(
      'vllm:request_success_total{engine="1",model_name="sim",finished_reason="length"} 2\n',
    );
    expect(metrics).toContain('vllm:num_requests_running{engine="0",model_name="sim"} 0\n');
    expect(metrics).toMatch(/kvbench_sim_lateness_seconds_count \d+\n/);
  });

  it('counts tokens as the usage of its answers does, preempted requests once', async () => {
    // Four requests grow to 20 blocks each in a cache of 64: some lose their blocks on the way.
    const { port } = await start('round-robin', '&workers=1');
    const usages = await Promise.all(
      [0, 0, 40, 80].map(async (from) => {
        const response = await chat(port, words(from, 40), { max_tokens: 280 });
        return ((await response.json()) as { usage: Usage }).usage;
      }),
    );
    const sum = (of: (usage: Usage) => number): number => usages.reduce((total, one) => total + of(one), 0);
    const metrics = await get(port, '/metrics');
    const value = (name: string): number =>
      Number(new RegExp(`^vllm:${name}{engine="0",model_name="sim"} (\\d+)$`, 'm').exec(metrics)?.[1]);
    expect(value('num_preemptions_total')).toBeGreaterThan(0);
    expect(value('prefix_cache_queries_total')).toBe(160);
    expect(value('prefix_cache_hits_total')).toBe(sum((usage) => usage.prompt_tokens_details.cached_tokens));
    expect(value('prefix_cache_hits_total')).toBe(32);
    expect(value('prompt_tokens_total')).toBe(sum((usage) => usage.prompt_tokens));
    expect(value('generation_tokens_total')).toBe(sum((usage) => usage.completion_tokens));
  });

  it('answers what routers ask of a worker before they send to it, on every port', async () => {
    const { port, workerPorts } = await start('round-robin', '', 0);
    for (const at of [port, ...workerPorts]) {
      expect(JSON.parse(await get(at, '/health'))).toEqual({ status: 'healthy' });
      expect(JSON.parse(await get(at, '/v1/models')).data).toEqual([
        { id: 'sim', object: 'model', owned_by: 'kvbench' },
      ]);
      for (const path of ['/model_info', '/get_model_info']) {
        expect(JSON.parse(await get(at, path))).toEqual({
          model_path: 'sim',
          tokenizer_path: 'sim',
          is_generation: true,
        });
      }
      for (const path of ['/server_info', '/get_server_info']) {
        expect(JSON.parse(await get(at, path))).toMatchObject({
          served_model_name: 'sim',
          dp_size: 1,
          page_size: 16,
          max_total_num_tokens: 1024,
        });
      }
      expect(await get(at, '/metrics')).toContain(
        'vllm:cache_config_info{engine="0",model_name="sim",block_size="16",num_gpu_blocks="64"} 1\n',
      );
    }
  });

  it('forgets its caches on request, but not under a running one', async () => {
    const { port } = await start();
    for (let i = 0; i < 2; i++) await (await chat(port, words(0, 40))).text();
    expect((await post(port, '/reset_prefix_cache', '')).status).toBe(200);
    expect((await bodyOf(await chat(port, words(0, 40)))).usage.prompt_tokens_details).toEqual({
      cached_tokens: 0,
    });
    const running = await chat(port, words(0, 40), { stream: true, max_tokens: 900 });
    const refused = await post(port, '/reset_prefix_cache', '');
    expect(refused.status).toBe(409);
    expect((await bodyOf(refused)).error.message).toBe('not reset while requests are running: w1');
    await running.body?.cancel();
  });

  it('gives each worker a port of its own, past the router', async () => {
    const { port, workerPorts } = await start('round-robin', '', 0);
    expect(workerPorts.length).toBe(2);
    for (let i = 0; i < 2; i++) {
      const response = await chat(workerPorts[1] as number, words(0, 20));
      expect(response.headers.get('x-worker-id')).toBe('w1');
      await response.text();
    }
    // As a server of its own it is engine 0; the router's port tells the workers apart.
    const own = await get(workerPorts[1] as number, '/metrics');
    expect(own).toContain('vllm:prompt_tokens_total{engine="0",model_name="sim"} 40\n');
    expect(own).not.toContain('engine="1"');
    expect(await get(port, '/metrics')).toContain(
      'vllm:prompt_tokens_total{engine="1",model_name="sim"} 40\n',
    );
    // The router's turn has not moved.
    expect((await chat(port, words(0, 20))).headers.get('x-worker-id')).toBe('w0');
  });

  it.each([
    ['not JSON', '{"model":', 400, /^the body is not JSON: /],
    ['a list', '[]', 400, /^the body must be a JSON object$/],
    ['no messages', '{}', 400, /^messages must be a list that is not empty$/],
    ['a message without a role', '{"messages":[{"content":"x"}]}', 400, /^each message needs a role$/],
    [
      'an image',
      '{"messages":[{"role":"user","content":[{"type":"image_url"}]}]}',
      400,
      /^the content of a message must be text$/,
    ],
    ['an empty prompt', '{"messages":[{"role":"user","content":" "}]}', 400, /^the prompt is empty$/],
    [
      'no tokens asked for',
      '{"max_tokens":0,"messages":[{"role":"user","content":"x"}]}',
      400,
      /^max_tokens must be a whole number from 1 to 1000000$/,
    ],
    [
      'another model',
      '{"model":"gpt","messages":[{"role":"user","content":"x"}]}',
      404,
      /^the model "gpt" does not exist, there is "sim"$/,
    ],
    [
      'more than a cache holds',
      '{"max_tokens":2000,"messages":[{"role":"user","content":"about"}]}',
      400,
      /^1 \+ 2000 tokens do not fit a worker's cache of 64 blocks of 16$/,
    ],
  ])('refuses %s with one clear line', async (_, body, status, message) => {
    const { port } = await start();
    const response = await post(port, '/v1/chat/completions', body);
    expect(response.status).toBe(status);
    expect((await bodyOf(response)).error.message).toMatch(message);
  });

  it('refuses wrong routes and methods', async () => {
    const { port } = await start();
    expect((await fetch(`http://127.0.0.1:${port}/v2/nothing`)).status).toBe(404);
    const wrong = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`);
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it('bounds a body, and lives on', async () => {
    const { port } = await start();
    const status = await new Promise<number>((resolve) => {
      const request = httpRequest(
        { port, host: '127.0.0.1', path: '/v1/completions', method: 'POST' },
        (response) => {
          resolve(response.statusCode ?? 0);
          response.resume();
          request.destroy();
        },
      );
      request.on('error', () => undefined);
      const block = Buffer.alloc(1024 * 1024, 'a');
      let sent = 0;
      const more = (): void => {
        while (!request.destroyed && sent++ < 64)
          if (!request.write(block)) return void request.once('drain', more);
      };
      more();
    });
    expect(status).toBe(413);
    expect((await chat(port, words(0, 20))).status).toBe(200);
  });

  it('survives garbage on the socket', async () => {
    const { port } = await start();
    await new Promise<void>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => socket.end('\u0000GARBAGE \r\n\r\n'));
      socket.on('error', () => undefined);
      socket.on('close', () => resolve());
      socket.resume();
    });
    expect((await chat(port, words(0, 20))).status).toBe(200);
  });

  it('frees the slot and the blocks of a client that leaves', async () => {
    const server = await start('round-robin', '&max-num-seqs=1');
    const leaving = await chat(server.port, words(0, 20), { stream: true, max_tokens: 900 });
    expect(leaving.status).toBe(200);
    expect(await get(server.port, '/metrics')).toContain(
      'vllm:num_requests_running{engine="0",model_name="sim"} 1\n',
    );
    await leaving.body?.cancel();
    await waitFor(() => server.totals().aborted === 1);
    const metrics = await get(server.port, '/metrics');
    expect(metrics).toContain('vllm:num_requests_running{engine="0",model_name="sim"} 0\n');
    expect(metrics).toContain('vllm:kv_cache_usage_perc{engine="0",model_name="sim"} 0\n');
    for (let i = 0; i < 2; i++) expect((await chat(server.port, words(0, 20))).status).toBe(200);
  });

  it("answers as vLLM on its workers' ports when asked to: no worker is named, none of SGLang's pages is there", async () => {
    const { workerPorts, port } = await start('round-robin', '', 0, 'vllm');
    const own = workerPorts[0] ?? 0;
    const answer = await chat(own, words(0, 40), { nvext: { extra_fields: ['worker_id', 'timing'] } });
    expect(answer.headers.has('x-worker-id')).toBe(false);
    expect(await answer.json()).toSatisfy((body: object) => !('nvext' in body));
    expect((await bodyOf(await chat(own, 'amber', { model: 'unknown' }))).error.message).toBe(
      'The model `unknown` does not exist. Valid aliases: sim.',
    );
    expect(JSON.parse(await get(own, '/v1/models')).data[0]).toMatchObject({ id: 'sim', owned_by: 'vllm' });
    expect(await get(own, '/version')).toBe('{"version":"0.32.0"}');
    expect((await fetch(`http://127.0.0.1:${own}/server_info`)).status).toBe(404);
    expect((await post(own, '/v1/chat/completions/render', {})).status).toBe(403);
    // The router's own port is what it was.
    expect((await chat(port, words(0, 40))).headers.get('x-worker-id')).toBe('w0');
  });

  it('renders a prompt to token ids that are equal as far as the prompts are', async () => {
    const { workerPorts } = await start('round-robin', '', 0, 'vllm-scale-out');
    const render = async (content: string): Promise<number[]> => {
      const body = { model: 'sim', messages: [{ role: 'user', content }] };
      const answer = await post(workerPorts[1] ?? 0, '/v1/chat/completions/render', body);
      return ((await answer.json()) as { token_ids: number[] }).token_ids;
    };
    const [one, other] = [await render(words(0, 40)), await render(`${words(0, 32)} ${words(50, 20)}`)];
    expect([one.length, other.length]).toEqual([40, 52]);
    expect(one.slice(0, 32)).toEqual(other.slice(0, 32));
    expect(one[0] === one[16]).toBe(false);
  });

  it("tells its load in SGLang's two ways", async () => {
    const { workerPorts, port } = await start('round-robin', '', 0);
    const idle = { dp_rank: 0, num_running_reqs: 0, num_waiting_reqs: 0, num_reqs: 0 };
    expect(JSON.parse(await get(workerPorts[1] ?? 0, '/get_load'))).toMatchObject([idle]);
    expect(JSON.parse(await get(port, '/v1/loads'))).toMatchObject({
      dp_rank_count: 2,
      loads: [idle, { ...idle, dp_rank: 1 }],
    });
  });

  it('rejects a busy port and leaves nothing open', async () => {
    const server = await start();
    await expect(
      startSimServer({
        params: parseSimTarget(`sim:kv?${FAST}`),
        blocks: 64,
        model: 'sim',
        clock: createRealClock(),
        host: '127.0.0.1',
        port: server.port,
        workerPort: null,
      }),
    ).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});
