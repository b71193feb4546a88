// The bench's figures as markdown.

import { execFileSync } from 'node:child_process';
import { arch, cpus, release, totalmem } from 'node:os';
import { GOALS, ttftError } from './goals.mjs';

/** The client that ratios refer to where it ran; kvbench is what they are of. */
const REFERENCES = ["vLLM's Rust client", 'wrk', 'undici loop'];

export function describeMachine() {
  const processors = cpus();
  return {
    cpu: processors[0]?.model.trim() ?? 'unknown',
    cores: processors.length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    kernel: release(),
    arch: arch(),
    node: process.version,
    rustc: version('rustc', ['--version']),
    date: new Date().toISOString().slice(0, 10),
  };
}

const STREAMS = {
  dynamo: 'Streams as Dynamo sends them',
  vllm: 'Streams as vLLM sends them',
  sglang: 'Streams as SGLang sends them',
};

/** The goals, then for each stream both tables, the ratios, and what is needed to judge them. */
export function renderReport(result) {
  const { machine } = result;
  const parts = [
    `Measured ${machine.date} on ${machine.cores} cores (${machine.cpu}), ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}. ` +
      `Client and server share the machine. Medians of ${result.rounds} rounds, clients taking turns; those that take minutes to begin (vllm bench serve, aiperf, guidellm) take part in the first alone.`,
  ];
  const other = median(result.runs.map((run) => run.otherCpuShare));
  if (other > QUIET_CORES) {
    parts.push(
      `**Other work took ${number(other, 1)} cores while this ran.** CPU and memory may be compared between clients; times and requests per second are those of a busy machine.`,
    );
  }
  const goals = renderGoals(result);
  if (goals !== null) parts.push(goals);
  for (const stream of new Set(result.runs.map((run) => run.stream))) {
    const own = result.runs.filter((run) => run.stream === stream);
    const timed = own.filter((run) => run.table === 'timed');
    const instant = own.filter((run) => run.table === 'instant');
    parts.push(`### ${STREAMS[stream]}`);
    if (timed.length > 0) parts.push(renderTimed(timed, result.timed));
    if (instant.length > 0) parts.push(renderInstant(instant, result.instant));
    const ratios = renderRatios({ ...result, runs: own });
    if (ratios !== null) parts.push(ratios);
  }
  const failures = result.runs.filter((run) => run.failed !== null);
  if (failures.length > 0) parts.push(renderFailures(failures));
  return parts.join('\n\n');
}

function renderTimed(runs, spec) {
  const rows = groups(runs).map(({ client, concurrency, good }) => {
    const middle = (of) => median(good.map(of));
    return [
      client,
      `${concurrency}${isServerLate(good) ? ' †' : ''}`,
      pair(
        good,
        (run) => run.ttftMs?.p50,
        (run) => run.ttftMs?.p99,
        1,
      ),
      pair(
        good,
        (run) => run.lateFirstMs.p50_ms,
        (run) => run.lateFirstMs.p99_ms,
        2,
      ),
      pair(
        good,
        (run) => ttftError(run, spec, 'p50'),
        (run) => ttftError(run, spec, 'p99'),
        2,
      ),
      pair(
        good,
        (run) => run.itlMs?.p50,
        (run) => run.itlMs?.p99,
        2,
      ),
      pair(
        good,
        (run) => run.tpotMs?.p50,
        (run) => run.tpotMs?.p99,
        2,
      ),
      number(
        middle((run) => run.cpuPerEventUs),
        1,
      ),
      number(
        middle((run) => run.peakMb),
        0,
      ),
      number(
        middle((run) => run.inFlightMean),
        0,
      ),
      number(
        middle((run) => run.otherCpuShare),
        2,
      ),
    ];
  });
  const head =
    'client|C|TTFT p50 / p99, ms|server late p50 / p99|client error p50 / p99|ITL p50 / p99|TPOT p50 / p99|CPU per event, µs|peak MB|in flight|other work, cores';
  return (
    `#### Known timing: first token after ${spec.ttftMs} ms, then one each ${spec.itlMs} ms, ${spec.tokens} tokens (prompts of ${spec.promptTokens} tokens)\n\n` +
    `${table(head, rows)}\n\n` +
    'Client error: the TTFT that the client reported, less what the server had really delivered at that percentile (the schedule and ' +
    "its own lateness, counted from the kernel's stamp of the request's last byte). In flight: the mean over the run, as the server saw it. " +
    `Other work: processor time that neither client nor server used while the run lasted. † The server was late itself by more than ${SERVER_LATE.p50_ms} ms at p50 or ${SERVER_LATE.p99_ms} ms at p99: client and server share the cores, and the row tells nothing of the client alone.`
  );
}

function renderInstant(runs, spec) {
  const rows = groups(runs).map(({ client, concurrency, good }) => {
    const middle = (of) => median(good.map(of));
    return [
      client,
      concurrency,
      number(
        middle((run) => run.rps),
        0,
      ),
      number(
        middle((run) => run.cpuPerRequestUs),
        0,
      ),
      number(
        middle((run) => run.firstRequestS),
        2,
      ),
      number(
        middle((run) => run.requests),
        0,
      ),
      number(
        middle((run) => run.requestBytes),
        0,
      ),
      number(
        middle((run) => run.peakMb),
        0,
      ),
      number(
        middle((run) => run.serverCpuShare),
        2,
      ),
      number(
        middle((run) => run.otherCpuShare),
        2,
      ),
    ];
  });
  const head =
    'client|C|requests/s|CPU per request, µs|start to first request, s|of requests|request bytes|peak MB|server CPU, cores|other work, cores';
  return (
    `#### A server that answers at once: prompts of ${spec.promptTokens} tokens, ${spec.tokens} tokens out\n\n${table(head, rows)}\n\n` +
    'Requests/s: as the server counted, from the first request to the last answer. wrk sends one prepared body over and over and reads no event: ' +
    'the ceiling of server and loopback, not a client to do the same work.'
  );
}

/** kvbench against each reference: the goals are ratios within one run. Null when kvbench or the references are missing. */
function renderRatios(result) {
  const rows = [];
  for (const run of groups(result.runs)) {
    if (run.client !== 'kvbench') continue;
    for (const reference of REFERENCES) {
      const other = groups(result.runs).find(
        (group) =>
          group.client === reference && group.table === run.table && group.concurrency === run.concurrency,
      );
      if (other === undefined || other.good.length === 0 || run.good.length === 0) continue;
      const ratio = (of) => median(run.good.map(of)) / median(other.good.map(of));
      if (run.table === 'instant') {
        rows.push([
          `requests/s, C=${run.concurrency}`,
          reference,
          number(
            ratio((r) => r.rps),
            2,
          ),
        ]);
        continue;
      }
      for (const p of ['p50', 'p99']) {
        const error = (group) => median(group.good.map((r) => ttftError(r, result.timed, p)));
        const late = isServerLate(run.good) || isServerLate(other.good) ? ' †' : '';
        const both = `${number(error(run), 2)} against ${number(error(other), 2)} ms${late}`;
        rows.push([`TTFT ${p} error, C=${run.concurrency}`, reference, both]);
      }
      rows.push([
        `CPU per event, C=${run.concurrency}`,
        reference,
        number(
          ratio((r) => r.cpuPerEventUs),
          2,
        ),
      ]);
    }
  }
  if (rows.length === 0) return null;
  return `#### kvbench against the others\n\n${table('figure|against|kvbench ÷ other', rows)}`;
}

/** Each goal of the client with what came of it, on Dynamo's streams; null where they were not measured. */
function renderGoals(result) {
  const all = groups(result.runs.filter((run) => run.stream === 'dynamo'));
  const own = all.filter((group) => group.client === 'kvbench' && group.good.length > 0);
  if (own.length === 0) return null;
  const rows = GOALS.flatMap(({ goal, table: kind, at, other, figure, isMet, digits }) =>
    own
      .filter((group) => group.table === kind && (at === undefined || at.includes(group.concurrency)))
      .map((group) => {
        const reference = all.find(
          ({ client, table: same, concurrency, good }) =>
            client === other && same === kind && concurrency === group.concurrency && good.length > 0,
        );
        const mine = median(group.good.map((run) => figure(run, result)));
        const name = `${goal}, C=${group.concurrency}`;
        if (other !== undefined && reference === undefined) {
          return [name, number(mine, digits), `not told: ${other} did not run`];
        }
        const theirs =
          reference === undefined ? null : median(reference.good.map((run) => figure(run, result)));
        const isLate = kind === 'timed' && isServerLate([...group.good, ...(reference?.good ?? [])]);
        const shown = `${number(mine, digits)}${theirs === null ? '' : ` against ${number(theirs, digits)}`}`;
        // CPU and memory are the client's own, however late the server was.
        const isBusy = median(group.good.map((run) => run.otherCpuShare)) > QUIET_CORES;
        const outcome =
          goal.startsWith('TTFT') && (isLate || isBusy)
            ? `not told: ${isLate ? 'the server was late' : 'the machine was busy'}`
            : isMet(mine, theirs)
              ? 'met'
              : 'missed';
        return [name, `${shown}${isLate ? ' †' : ''}`, outcome];
      }),
  );
  return rows.length === 0
    ? null
    : `### Goals\n\n${table('goal, on streams as Dynamo sends them|kvbench|outcome', rows)}`;
}

function renderFailures(runs) {
  const lines = runs.map(
    (run) => `- ${run.client}, ${run.table}, C=${run.concurrency}: ${run.failed.slice(0, 300)}`,
  );
  return `### Runs that failed\n\n${lines.join('\n')}`;
}

/** More other work than this, and a client waits for a processor now and then. */
const QUIET_CORES = 0.2;

/** Beyond this a server is no clock to hold a client against. */
const SERVER_LATE = { p50_ms: 1, p99_ms: 10 };

function isServerLate(runs) {
  return Object.entries(SERVER_LATE).some(([p, ms]) => median(runs.map((run) => run.lateFirstMs[p])) > ms);
}

/** Runs of one client and load, the good ones of them, in the order of first appearance by table and concurrency. */
function groups(runs) {
  const byKey = new Map();
  for (const run of runs) {
    const key = `${run.table}/${run.concurrency}/${run.client}`;
    const group = byKey.get(key) ?? {
      client: run.client,
      table: run.table,
      concurrency: run.concurrency,
      good: [],
    };
    if (run.failed === null) group.good.push(run);
    byKey.set(key, group);
  }
  return [...byKey.values()].sort((a, b) => a.concurrency - b.concurrency);
}

function pair(runs, first, second, digits) {
  return `${number(median(runs.map(first)), digits)} / ${number(median(runs.map(second)), digits)}`;
}

function median(values) {
  const sorted = values.filter((value) => typeof value === 'number').sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function number(value, digits) {
  if (value === null || Number.isNaN(value)) return '–';
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function table(head, rows) {
  const columns = head.split('|');
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)].join(
    '\n',
  );
}

function version(command, args) {
  try {
    return execFileSync(command, args, { encoding: 'utf8' }).trim();
  } catch {
    return null;
  }
}
