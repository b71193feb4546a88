// The clients that can be benched: how each is called for one closed load, and where it leaves its figures.
//
// A client: name; `path(peers)`: its binary, null when not installed; `tables`: where it takes part; `share`: of the
// requests of a throughput run, and `rounds`: in how many it takes part, for those that would take minutes; `requestsUnknown`: it runs for a time instead; `argv(load)`; `read(load, text)`: its own figures.
// A load: url, concurrency, requests, promptTokens, outputTokens, peers, out (a folder of the run's own).
// Figures: {ttftMs, tpotMs, itlMs}: one value per request (per gap for itlMs), each null when the client does not tell;
// `itl` instead of itlMs where a client gives percentiles alone.

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..');
const NO_FIGURES = { ttftMs: null, tpotMs: null, itlMs: null };
/** No peer may look for a model or a tokenizer outside this machine. */
const OFFLINE = { HF_HUB_OFFLINE: '1', TRANSFORMERS_OFFLINE: '1' };
const TAIL_TOKENS = 100;

/** @type {readonly object[]} In the order of the tables. */
export const CLIENTS = [
  {
    name: 'kvbench',
    tables: ['timed', 'instant'],
    path: () => existing(join(root, 'dist/cli/main.js')),
    argv: (load) => [
      ...[process.execPath, join(root, 'bin/kvbench.js'), 'grid', '--url', load.url, '--model', 'bench'],
      ...[
        '--variant',
        'bench',
        '--prefixes',
        '16',
        '--concurrency',
        load.concurrency,
        '--requests',
        load.requests,
      ],
      ...['--repeats', 1, '--prefix-tokens', load.promptTokens - TAIL_TOKENS, '--tail-tokens', TAIL_TOKENS],
      ...['--output-tokens', load.outputTokens, '--out', join(load.out, 'run'), '--quiet'],
    ],
    // 1 says that findings forbid a comparison: a server without a cache earns some.
    goodCodes: [0, 1],
    read: readKvbench,
  },
  {
    name: 'undici loop',
    tables: ['timed', 'instant'],
    path: () => existing(join(here, 'peers/undici-loop.mjs')),
    peer: true,
    argv: (load) => [
      ...[process.execPath, join(here, 'peers/undici-loop.mjs'), load.url, load.concurrency, load.requests],
      ...[load.promptTokens, load.outputTokens, join(load.out, 'result.json')],
    ],
    read: (load) => JSON.parse(readFileSync(join(load.out, 'result.json'), 'utf8')),
  },
  {
    name: "vLLM's Rust client",
    tables: ['timed', 'instant'],
    path: (peers) => existing(join(peers, 'vllm-rs/vllm-rs')),
    peer: true,
    argv: (load) => [join(load.peers, 'vllm-rs/vllm-rs'), ...vllmArguments(load)],
    env: OFFLINE,
    read: readVllm,
  },
  {
    name: 'vllm bench serve (Python)',
    tables: ['timed', 'instant'],
    path: (peers) => existing(join(peers, 'vllm/bench.py')),
    peer: true,
    rounds: 1,
    maxConcurrency: 500,
    share: 0.5,
    argv: (load) => [
      ...[join(load.peers, 'vllm/bin/python'), join(load.peers, 'vllm/bench.py')],
      ...vllmArguments(load),
    ],
    env: OFFLINE,
    read: readVllm,
  },
  {
    name: 'aiperf',
    tables: ['timed', 'instant'],
    path: (peers) => existing(join(peers, 'aiperf/bin/aiperf')),
    peer: true,
    rounds: 1,
    maxConcurrency: 500,
    share: 1 / 3,
    argv: (load) => [
      ...[join(load.peers, 'aiperf/bin/aiperf'), 'profile', '--model', 'bench', '--url', load.url],
      ...['--endpoint-type', 'chat', '--streaming', '--tokenizer', join(load.peers, 'tokenizer')],
      ...['--concurrency', load.concurrency, '--request-count', load.requests],
      ...['--num-dataset-entries', load.requests, '--isl', load.promptTokens, '--osl', load.outputTokens],
      ...['--export-level', 'records', '--output-artifact-dir', load.out, '--ui', 'none'],
    ],
    // Not OFFLINE: with it, aiperf takes a tokenizer's path for the name of a repository.
    read: readAiperf,
  },
  {
    name: 'guidellm',
    tables: ['instant'],
    path: (peers) => existing(join(peers, 'guidellm/bin/guidellm')),
    peer: true,
    rounds: 1,
    share: 1 / 6,
    argv: (load) => [
      ...[join(load.peers, 'guidellm/bin/guidellm'), 'run', '--disable-console'],
      ...['--backend', `kind=openai_http,target=${load.url},model=bench`],
      ...['--profile', `kind=concurrent,streams=${load.concurrency}`],
      ...['--constraint', `kind=max_requests,count=${load.requests}`],
      ...[
        '--data',
        `kind=synthetic_text,prompt_tokens=${load.promptTokens},output_tokens=${load.outputTokens}`,
      ],
      ...['--tokenizer', `kind=hf_auto,model=${join(load.peers, 'tokenizer')}`],
      ...['--output', `kind=json,path=${load.out}`],
    ],
    env: OFFLINE,
    read: () => NO_FIGURES,
  },
  {
    name: 'wrk',
    tables: ['instant'],
    path: (peers) => existing(join(peers, 'wrk')) ?? existing('/usr/bin/wrk'),
    peer: true,
    requestsUnknown: true,
    argv: (load) => {
      const script = join(load.out, 'post.lua');
      writeFileSync(script, wrkScript(load));
      // It runs for a time, not for a number of requests: about as long as the others take.
      return ['wrk', '-t1', `-c${load.concurrency}`, '-d4s', '-s', script, `${load.url}/v1/chat/completions`];
    },
    read: () => NO_FIGURES,
  },
];

/** One option set for both of vLLM's clients. */
function vllmArguments(load) {
  return [
    ...[
      'bench',
      'serve',
      '--backend',
      'openai-chat',
      '--base-url',
      load.url,
      '--endpoint',
      '/v1/chat/completions',
    ],
    ...['--model', 'bench', '--tokenizer', join(load.peers, 'tokenizer'), '--dataset-name', 'random'],
    ...['--random-input-len', load.promptTokens, '--random-output-len', load.outputTokens, '--ignore-eos'],
    ...['--num-prompts', load.requests, '--max-concurrency', load.concurrency, '--disable-tqdm'],
    ...['--save-result', '--save-detailed', '--result-dir', load.out, '--result-filename', 'result.json'],
  ];
}

function readVllm(load) {
  const result = JSON.parse(readFileSync(join(load.out, 'result.json'), 'utf8'));
  const good = result.ttfts.map((_, i) => i).filter((i) => result.ttfts[i] > 0);
  const ms = (seconds) => seconds * 1000;
  return {
    ttftMs: good.map((i) => ms(result.ttfts[i])),
    // Both clients list a gap per token after the first; the Rust one has been seen to list one more.
    tpotMs: good
      .map((i) => result.itls[i].slice(-(load.outputTokens - 1)))
      .filter((gaps) => gaps.length > 0)
      .map((gaps) => ms(gaps.reduce((sum, gap) => sum + gap, 0)) / gaps.length),
    itlMs: good.flatMap((i) => result.itls[i].slice(-(load.outputTokens - 1))).map(ms),
  };
}

function readKvbench(load) {
  const records = readFileSync(join(load.out, 'run/requests.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter((record) => record.phase === 'measure' && record.outcome === 'ok');
  return {
    ttftMs: records.map((record) => record.ttft_ms),
    tpotMs: records.map((record) => record.tpot_ms).filter((ms) => ms !== null),
    itlMs: null,
    itl: itlOf(JSON.parse(readFileSync(join(load.out, 'run/run.json'), 'utf8')).trials[0].itl),
  };
}

/** The gaps of a trial come as a summary: their histogram is in itl.hlog. */
function itlOf(itl) {
  return itl === null ? null : { n: itl.gaps, p50: itl.p50_ms, p99: itl.p99_ms, max: itl.max_ms };
}

function readAiperf(load) {
  const file = readdirSync(load.out, { recursive: true }).find((name) =>
    name.endsWith('profile_export.jsonl'),
  );
  if (file === undefined) return NO_FIGURES;
  const metrics = readFileSync(join(load.out, file), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line).metrics);
  const values = (key) =>
    metrics.map((metric) => metric[key]?.value).filter((value) => typeof value === 'number');
  return {
    ttftMs: values('time_to_first_token'),
    tpotMs: values('inter_token_latency'),
    itlMs: metrics.flatMap((metric) => metric.inter_chunk_latency?.value ?? []),
  };
}

/** wrk sends one body over and over: it measures the server and the loopback, not the making of prompts. */
function wrkScript(load) {
  const words = Array.from(
    { length: load.promptTokens },
    (_, i) => ['river', 'table', 'orange', 'window'][i % 4],
  );
  const body = JSON.stringify({
    model: 'bench',
    messages: [{ role: 'user', content: words.join(' ') }],
    max_tokens: load.outputTokens,
    stream: true,
    stream_options: { include_usage: true },
  });
  return `wrk.method = "POST"\nwrk.headers["Content-Type"] = "application/json"\nwrk.body = [=[${body}]=]\n`;
}

function existing(path) {
  return existsSync(path) ? path : null;
}
