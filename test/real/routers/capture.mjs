// Writes what a running router says as captures/NAME.json. Of each exchange: `headers` in their order and spelling, `text` the
// body without its chunks, and of a stream `reads`: the bytes of each read of the socket, one character per byte, with its
// time in ms after the send.
//   node capture.mjs OUT.json '{"router": …, "version": …, "policy": …, "workers": …}' URL MODEL [name=METRICS_URL …]
// KEY in the environment is sent as a bearer token, MORE (JSON) merged into the measured request; SHORT leaves the endpoints out. Sends about 30 small requests, to URL and the metrics pages only.

import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';

const [out, seen, base, model, ...pages] = process.argv.slice(2);
const KEY = process.env.KEY ?? '';
const words = 'amber basin cedar delta ember flint grove heron inlet jetty'.split(' ');
// The fastest digit first: not even the first block of a prompt was seen before.
const salt = `${Date.now()}`
  .split('')
  .reverse()
  .map((digit) => words[digit])
  .join(' ');
const prompt = `${salt} ${Array.from({ length: 400 }, (_, i) => words[(i * 7 + (i >> 3)) % 10]).join(' ')}`;
const PATHS = [
  '/health',
  '/liveness',
  '/readiness',
  '/health/readiness',
  '/health/liveliness',
  '/health_generate',
  '/ping',
  '/v1/models',
  '/workers',
  '/v1/workers',
  '/list_workers',
  '/model_info',
  '/get_model_info',
  '/v1/model/info',
  '/server_info',
  '/get_server_info',
  '/get_loads',
  '/v1/loads',
  '/loads',
  '/get_load',
  '/load',
  '/version',
  '/engine_metrics',
  '/metrics',
  '/',
];
const SHORT = process.env.SHORT !== undefined;
/** What a page has besides: figures of its process and runtime, and of parts that these requests do not touch. */
const DROPPED =
  /^(# (HELP|TYPE) )?(python_|process_|go_|jemalloc|tokio|http_|smg_(http_request_dur|tokenizer|detokenize|allocator|history|worker_retr|worker_cb_tr|worker_overload|tokio)|dynamo_(tokio|transport|request_plane|work_handler|frontend_(audio|image|video|event_loop|stage|template|tokenize|detokenize|router_queue|router_admission)|router_overhead|component_(ckf|kv_cache_event|router_(active_seq|approximate|kv_zmq))))/;

/** One exchange over a connection of its own: the bytes of each read, one character per byte, with its time after the send. */
function exchange(url, path, body) {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const reads = [];
    const socket = connect({ host: hostname, port, noDelay: true });
    let sent = 0;
    const lines = [
      `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
      `host: ${hostname}:${port}`,
      'connection: close',
      ...(KEY === '' ? [] : [`authorization: Bearer ${KEY}`]),
      ...(body === undefined
        ? []
        : ['content-type: application/json', `content-length: ${Buffer.byteLength(body)}`]),
    ];
    socket.once('connect', () => {
      sent = performance.now();
      socket.write(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`);
    });
    socket.on('data', (bytes) =>
      reads.push([Number((performance.now() - sent).toFixed(1)), bytes.toString('latin1')]),
    );
    const timer = setTimeout(() => socket.destroy(new Error('no end within 20 s')), 20_000);
    socket.once('error', (error) => reads.push([null, `<${error.message}>`]));
    socket.once('close', () => {
      clearTimeout(timer);
      resolve({ url, path, reads });
    });
  });
}

/** The same request again and again over one connection, as a benchmark sends; Linux acknowledges late on such a one. */
function keptAlive(body, times) {
  return new Promise((resolve) => {
    const { hostname, port } = new URL(base);
    const arrivals = [];
    const socket = connect({ host: hostname, port, noDelay: true });
    let sent, head, token, text;
    const send = () => {
      [head, token, text] = [null, null, ''];
      sent = performance.now();
      socket.write(
        `POST /v1/chat/completions HTTP/1.1\r\nhost: ${hostname}:${port}\r\n${KEY === '' ? '' : `authorization: Bearer ${KEY}\r\n`}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    };
    socket.once('connect', send);
    socket.on('data', (bytes) => {
      const at = Number((performance.now() - sent).toFixed(1));
      text += bytes.toString('latin1');
      head ??= at;
      if (/"content":\s?"[^"]/.test(text)) token ??= at;
      if (!text.endsWith('0\r\n\r\n')) return;
      arrivals.push([head, token]);
      if (arrivals.length === times) socket.end();
      else send();
    });
    setTimeout(() => socket.destroy(), 20_000).unref();
    socket.on('error', () => undefined);
    socket.once('close', () => resolve(arrivals));
  });
}

function parse({ reads }) {
  const raw = reads.map(([, text]) => text).join('');
  const end = raw.indexOf('\r\n\r\n');
  const [status = '', ...headers] = raw.slice(0, end).split('\r\n');
  let text = raw.slice(end + 4);
  if (headers.some((line) => /^transfer-encoding: chunked$/i.test(line))) text = unchunk(text);
  return {
    status: Number(status.split(' ')[1] ?? 0),
    headers,
    text: Buffer.from(text, 'latin1').toString('utf8'),
  };
}
function unchunk(text) {
  let whole = '';
  for (let at = 0; at < text.length; ) {
    const line = text.indexOf('\r\n', at);
    const size = Number.parseInt(text.slice(at, line), 16);
    if (!(size > 0)) break;
    whole += text.slice(line + 2, line + 2 + size);
    at = line + 4 + size;
  }
  return whole;
}

/** Without buckets, which say no more of a dozen requests than their sum and count, and the times at which counters began. */
function trimPage(text) {
  const lines = text
    .split('\n')
    .filter((line) => !DROPPED.test(line) && !/^(# (HELP|TYPE) )?[\w:]+_created\b/.test(line));
  return lines.filter((line) => !/_bucket\{/.test(line) || /le="\+Inf"/.test(line)).join('\n');
}

const chat = (content, more = {}) =>
  JSON.stringify({
    model,
    messages: [{ role: 'user', content }],
    max_tokens: 4,
    temperature: 0,
    stream: true,
    stream_options: { include_usage: true },
    ...more,
  });
const exchanges = [];
const keep = async (name, path, body, { reads = false, shown } = {}) => {
  const got = await exchange(base, path, body);
  const answer = parse(got);
  if (path === '/engine_metrics') answer.text = trimPage(answer.text);
  // LiteLLM lists a hundred prices of each model, all null here.
  if (path === '/v1/model/info') answer.text = answer.text.replace(/"\w+":null,/g, '');
  exchanges.push({
    name,
    request: {
      method: body === undefined ? 'GET' : 'POST',
      path,
      ...(body === undefined ? {} : { body: shown ?? JSON.parse(body) }),
    },
    ...(got.reads.length === 0 ? { ended: 'without an answer' } : answer),
    ...(reads ? { reads: got.reads } : {}),
  });
  return answer;
};

if (!SHORT) for (const path of PATHS) if (path !== '/metrics') await keep(path, path);
if (SHORT) await keep('/v1/models', '/v1/models');
const metrics = parse(await exchange(base, '/metrics'));
exchanges.push({
  name: 'metrics on the serving port',
  request: { method: 'GET', path: '/metrics' },
  status: metrics.status,
  headers: metrics.headers,
  text: trimPage(metrics.text).slice(0, 700),
});
const body = chat(prompt, { ignore_eos: true, ...JSON.parse(process.env.MORE ?? '{}') });
const shown = { ...JSON.parse(body), messages: [{ role: 'user', content: '(400 words)' }] };
await keep('miss', '/v1/chat/completions', body, { reads: true, shown });
let hit;
// The repeat reaches the worker that has it at once, or after a round of all of them.
for (let i = 0; i < 4; i++) {
  await sleep(50);
  hit = await keep('hit', '/v1/chat/completions', body, { reads: true, shown });
  if (/"cached_tokens":\s?\d{3}/.test(hit.text)) break;
  exchanges.at(-1).name = 'repeat without a hit';
}
const arrivals = await keptAlive(body, 12);
exchanges.push({
  name: 'twelve hits over one connection: ms from the send to the head and to the first token',
  arrivals,
});
if (!SHORT) {
  await keep(
    'hit, not streamed',
    '/v1/chat/completions',
    JSON.stringify({ ...JSON.parse(body), stream: false, stream_options: undefined }),
    { shown: { ...shown, stream: false, stream_options: undefined } },
  );
  await keep(
    'completions',
    '/v1/completions',
    JSON.stringify({
      model,
      prompt: 'amber basin',
      max_tokens: 2,
      stream: true,
      stream_options: { include_usage: true },
    }),
    { reads: true },
  );
  await keep(
    'responses',
    '/v1/responses',
    JSON.stringify({ model, input: 'amber basin', max_output_tokens: 2, stream: true }),
  );
  await keep(
    'nvext',
    '/v1/chat/completions',
    chat('amber basin', { ignore_eos: true, nvext: { extra_fields: ['worker_id', 'timing'] } }),
  );
  await keep('unknown model', '/v1/chat/completions', chat('amber basin', { model: 'unknown' }));
  await keep('wrong model', '/v1/chat/completions', chat('amber basin', { model: 'no-such-model' }));
  await keep(
    'no max_tokens',
    '/v1/chat/completions',
    JSON.stringify({ messages: [{ role: 'user', content: 'amber' }], max_tokens: 1 }),
  );
  exchanges.at(-1).name = 'no model';
  await keep('too long', '/v1/chat/completions', chat('amber', { max_tokens: 100_000_000 }));
  await keep('bad body', '/v1/chat/completions', '{"model": 1}');
}

const pagesSeen = {};
for (const page of pages) {
  const name = page.slice(0, page.indexOf('='));
  const url = new URL(page.slice(page.indexOf('=') + 1));
  const { status, headers, text } = parse(await exchange(url.origin, url.pathname));
  pagesSeen[name] = { path: url.pathname, status, headers, text: trimPage(text) };
}
// vLLM tells where its model lies.
const json = JSON.stringify({ seen: JSON.parse(seen), exchanges, metrics: pagesSeen }, null, 1).replaceAll(
  /\/[\w./-]+\/vllm\/model\b/g,
  '/models/tiny-qwen3',
);
writeFileSync(out, `${KEY === '' ? json : json.replaceAll(KEY, '<key>')}\n`);
for (const { name, status, text = '', arrivals: many } of exchanges)
  process.stdout.write(
    `${many ? `${name} ${JSON.stringify(many)}` : `${name} ${status}: ${text.replaceAll('\n', '\\n').slice(0, 200)}`}\n`,
  );
