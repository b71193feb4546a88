// The least a Node client can do, as a peer: one thread, undici's dispatch, C requests always in flight, a stamp per read
// and a scan for tokens. Nothing of kvbench is in it.
//
//   node undici-loop.mjs URL CONCURRENCY REQUESTS PROMPT_WORDS OUTPUT_TOKENS RESULT.json

import { writeFileSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { Pool } from 'undici';

const [url, ...rest] = process.argv.slice(2);
const [concurrency, requests, words, tokens] = rest.slice(0, 4).map(Number);
const resultPath = rest[4];

const WORDS = [
  'river',
  'table',
  'orange',
  'window',
  'simple',
  'paper',
  'morning',
  'letter',
  'garden',
  'stone',
];
const NUMBER = '00000000';
const TEXT = Array.from({ length: words - 2 }, (_, i) => WORDS[(i * 17) % WORDS.length]).join(' ');
const BODY = Buffer.from(
  `{"model":"bench","messages":[{"role":"user","content":"request ${NUMBER} ${TEXT}"}],"max_tokens":${tokens},"stream":true,"stream_options":{"include_usage":true}}`,
);
const NUMBER_AT = BODY.indexOf(NUMBER);
const MARK = Buffer.from('"content":"');
const QUOTE = 0x22;
const cpuStart = process.cpuUsage();
const pool = new Pool(url, { connections: concurrency, pipelining: 1 });
const ttftMs = [];
const tpotMs = [];
const itlMs = [];
let started = 0;
let ended = 0;
let failed = 0;

for (let i = 0; i < concurrency; i++) sendNext();

function sendNext() {
  if (started === requests) return;
  const body = requestBody(started++);
  let sentMs = 0;
  let firstMs = 0;
  let lastMs = 0;
  let seen = 0;
  pool.dispatch(
    {
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': String(body.length) },
      body,
    },
    {
      onConnect() {
        sentMs = performance.now();
      },
      onHeaders: () => true,
      onData(chunk) {
        const atMs = performance.now();
        for (let at = chunk.indexOf(MARK); at !== -1; at = chunk.indexOf(MARK, at + MARK.length)) {
          if (chunk[at + MARK.length] === QUOTE) continue;
          if (seen === 0) firstMs = atMs;
          else itlMs.push(atMs - lastMs);
          lastMs = atMs;
          seen++;
        }
        return true;
      },
      onComplete() {
        if (seen === 0) failed++;
        else {
          ttftMs.push(firstMs - sentMs);
          if (seen > 1) tpotMs.push((lastMs - firstMs) / (seen - 1));
        }
        finish();
      },
      onError() {
        failed++;
        finish();
      },
    },
  );
}

function finish() {
  ended++;
  if (ended < requests) sendNext();
  else {
    writeFileSync(resultPath, JSON.stringify({ failed, cpuUs: usedCpuUs(), ttftMs, tpotMs, itlMs }));
    pool.close();
  }
}

/** A prompt of its own for every request: one text with the request's number in it. */
function requestBody(seq) {
  const body = Buffer.from(BODY);
  body.write(String(seq).padStart(NUMBER.length, '0'), NUMBER_AT, 'latin1');
  return body;
}

/** Of the whole process since its first request, as kvbench counts its own. */
function usedCpuUs() {
  const { user, system } = process.cpuUsage(cpuStart);
  return user + system;
}
