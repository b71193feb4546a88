// What the client itself costs and how far off it is, against a server whose timing is known; with --peers beside the
// other clients that are installed, turn by turn. `npm run bench -- --help` tells the options.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CLIENTS } from './clients.mjs';
import { cpuBetween, runMeasured } from './measure.mjs';
import { describeMachine, renderReport } from './render.mjs';
import { buildServer, startServer } from './server.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const REPORT = join(root, 'docs/performance.md');
const HELP = `usage: npm run bench -- [options]

  --peers           also the other clients that are installed (bench/peers/setup.sh installs them)
  --peers-dir DIR   where they are                                    (.cache/peers)
  --only A,B        only these clients, by the start of their name
  --tables A,B      timed, instant                                    (both)
  --streams A,B     whose streams the server speaks: dynamo, vllm, sglang (dynamo,vllm)
  --timed-c LIST    concurrencies against the timed server            (100,500,1000)
  --instant-c LIST  concurrencies against the server that answers at once (16,64)
  --rounds N        turns of every client; figures are medians        (3)
  --seconds N       length of one timed run                           (10)
  --requests N      requests of one throughput run                    (6000)
  --quick           one round, 3 s, 1,000 requests: does everything work?
  --write           put the tables into docs/performance.md
`;

/** Known timing: first token after 50 ms, then one each 10 ms, 100 in all. */
const TIMED = { ttftMs: 50, itlMs: 10, tokens: 100, promptTokens: 256 };
const INSTANT = { tokens: 8, promptTokens: 2371 };
const TIMEOUT_S = 240;

const options = readOptions();
const binary = buildServer();
const work = join(root, '.cache/bench');
const clients = chooseClients();
const runs = [];
for (let round = 1; round <= options.rounds; round++) {
  for (const cell of cells()) {
    // Each round starts with another client, so that none always runs first.
    for (let i = 0; i < clients.length; i++) {
      const client = clients[(i + round - 1) % clients.length];
      const takesPart =
        client.tables.includes(cell.table) &&
        cell.concurrency <= (client.maxConcurrency ?? Infinity) &&
        round <= (client.rounds ?? Infinity);
      if (takesPart) {
        runs.push(await runOne(client, cell, round));
      }
    }
  }
}
const result = { machine: describeMachine(), timed: TIMED, instant: INSTANT, rounds: options.rounds, runs };
writeFileSync(join(work, 'results.json'), `${JSON.stringify(result, null, 1)}\n`);
const report = renderReport(result);
process.stdout.write(`\n${report}\n`);
if (options.write) putIntoReport(report);

/** One client, one load, one fresh server. */
async function runOne(client, cell, round) {
  const timed = cell.table === 'timed';
  const out = join(work, 'run');
  rmSync(out, { recursive: true, force: true });
  mkdirSync(out, { recursive: true });
  const server = await startServer(binary, [
    ...(timed ? timedFlags() : ['--instant', '--tokens', String(INSTANT.tokens)]),
    '--as',
    cell.stream,
  ]);
  try {
    const spec = timed ? TIMED : INSTANT;
    const requests = timed ? cell.requests : Math.round(cell.requests * (client.share ?? 1));
    const load = {
      url: server.url,
      concurrency: cell.concurrency,
      requests,
      promptTokens: spec.promptTokens,
      outputTokens: spec.tokens,
      peers: options.peersDir,
      out,
    };
    const measured = await runMeasured({
      argv: client.argv(load).map(String),
      env: client.env ?? {},
      cwd: out,
      timeoutS: TIMEOUT_S,
      logPath: join(out, 'log'),
    });
    const run = summarizeRun(client, cell, load, measured, await server.stats());
    process.stderr.write(
      `round ${round} ${cell.stream} ${cell.table} c${cell.concurrency} ${client.name}: ${briefly(run)}\n`,
    );
    return { round, ...run };
  } finally {
    await server.stop();
  }
}

/** What a run came to. Rates and times of the server's own record, latencies of the client's. */
function summarizeRun(client, cell, load, measured, stats) {
  const base = {
    client: client.name,
    stream: cell.stream,
    table: cell.table,
    concurrency: cell.concurrency,
    requests: load.requests,
  };
  if (!(client.goodCodes ?? [0]).includes(measured.code) || stats.requests === 0) {
    const tail = readFileSync(join(load.out, 'log'), 'utf8').trim().split('\n').slice(-3).join(' | ');
    return { ...base, failed: `exit code ${measured.code}: ${tail}` };
  }
  // What came before the planned requests (probes of a client that first looks whether the server is there) is no load.
  const before = client.requestsUnknown ? 0 : Math.max(0, stats.requests - load.requests);
  const firstWallMs = stats.arrivals[before];
  const answered = stats.requests - before;
  const spanS = (stats.last_write_wall_ms - firstWallMs) / 1000;
  const cpu = cpuBetween(measured.samples, firstWallMs, stats.last_write_wall_ms);
  const figures = client.read(load);
  return {
    ...base,
    failed: null,
    answered,
    rps: answered / spanS,
    ttftMs: percentiles(figures.ttftMs),
    tpotMs: percentiles(figures.tpotMs),
    itlMs: figures.itl ?? percentiles(figures.itlMs),
    cpuPerEventUs: (cpu.treeS * 1e6) / (answered * load.outputTokens),
    cpuPerRequestUs: (cpu.treeS * 1e6) / answered,
    wholeCpuS: measured.samples.at(-1)?.treeCpuS ?? 0,
    peakMb: measured.peakBytes / 1e6,
    firstRequestS: (firstWallMs - measured.startedWallMs) / 1000,
    wholeS: (measured.endedWallMs - measured.startedWallMs) / 1000,
    requestBytes: stats.request_bytes_mean,
    inFlightMean: stats.in_flight_mean,
    lateFirstMs: stats.late_first,
    lateAllMs: stats.late_all,
    serverCpuShare: stats.server_cpu_s / spanS,
    /** Cores' worth of time that neither the client nor the server used: other work on the machine. */
    otherCpuShare: Math.max(0, cpu.machineS - cpu.treeS - stats.server_cpu_s) / spanS,
  };
}

function percentiles(values) {
  if (values === null || values.length === 0) return null;
  const sorted = Float64Array.from(values).sort();
  const at = (p) => sorted[Math.ceil(p * sorted.length) - 1];
  return { n: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted[sorted.length - 1] };
}

function cells() {
  const timed = options.timedC.map((concurrency) => ({
    table: 'timed',
    concurrency,
    // A request takes 1.04 s, so this many keep `concurrency` in flight for the time asked.
    requests: concurrency * options.seconds,
  }));
  const instant = options.instantC.map((concurrency) => ({
    table: 'instant',
    concurrency,
    requests: options.requests,
  }));
  const loads = [...timed, ...instant].filter((cell) => options.tables.includes(cell.table));
  return options.streams.flatMap((stream) => loads.map((load) => ({ stream, ...load })));
}

function timedFlags() {
  return ['--ttft-ms', TIMED.ttftMs, '--itl-ms', TIMED.itlMs, '--tokens', TIMED.tokens].map(String);
}

function chooseClients() {
  const wanted = (client) =>
    options.only === null
      ? options.peers || client.peer !== true
      : options.only.some((start) => client.name.toLowerCase().startsWith(start));
  const asked = CLIENTS.filter(wanted);
  const installed = asked.filter((client) => client.path(options.peersDir) !== null);
  for (const client of asked) {
    if (!installed.includes(client)) process.stderr.write(`not installed: ${client.name}\n`);
  }
  if (installed.length === 0) throw new Error('no client to bench: run npm run build first');
  return installed;
}

function briefly(run) {
  if (run.failed !== null) return `FAILED, ${run.failed}`;
  const ttft =
    run.ttftMs === null ? '' : `TTFT ${run.ttftMs.p50.toFixed(2)} / ${run.ttftMs.p99.toFixed(2)} ms, `;
  const late = `server late ${run.lateFirstMs.p50_ms} / ${run.lateFirstMs.p99_ms} ms`;
  const cpu = `${run.cpuPerEventUs.toFixed(1)} µs/event`;
  return `${ttft}${late}, ${run.rps.toFixed(0)} req/s, ${cpu}, ${run.peakMb.toFixed(0)} MB, first after ${run.firstRequestS.toFixed(2)} s, others' CPU ${run.otherCpuShare.toFixed(2)}, load ${loadavg()[0].toFixed(1)}`;
}

/** Replaces what stands between the two marks; the text around them is written by hand. */
function putIntoReport(report) {
  const [start, end] = ['<!-- bench:start -->', '<!-- bench:end -->'];
  const text = readFileSync(REPORT, 'utf8');
  const [before, after] = [text.indexOf(start), text.indexOf(end)];
  if (before === -1 || after === -1)
    throw new Error(`docs/performance.md needs the marks ${start} and ${end}`);
  writeFileSync(REPORT, `${text.slice(0, before + start.length)}\n${report}\n${text.slice(after)}`);
}

function readOptions() {
  const text = (fallback) => ({ type: 'string', default: fallback });
  const flag = { type: 'boolean', default: false };
  const { values } = parseArgs({
    options: {
      help: flag,
      peers: flag,
      quick: flag,
      write: flag,
      only: { type: 'string' },
      'peers-dir': text(join(root, '.cache/peers')),
      tables: text('timed,instant'),
      streams: text('dynamo,vllm'),
      'timed-c': text('100,500,1000'),
      'instant-c': text('16,64'),
      rounds: text('3'),
      seconds: text('10'),
      requests: text('6000'),
    },
  });
  if (values.help) {
    process.stdout.write(HELP);
    process.exit(0);
  }
  const numbers = (list) => list.split(',').map(Number);
  return {
    peers: values.peers,
    write: values.write,
    only: values.only?.toLowerCase().split(',') ?? null,
    peersDir: values['peers-dir'],
    tables: values.tables.split(','),
    streams: values.streams.split(','),
    timedC: numbers(values['timed-c']),
    instantC: numbers(values['instant-c']),
    rounds: values.quick ? 1 : Number(values.rounds),
    seconds: values.quick ? 3 : Number(values.seconds),
    requests: values.quick ? 1000 : Number(values.requests),
  };
}
