import { createServer, type Socket } from 'node:net';
import { createRng, type Rng } from '../../src/core/base/rng.js';
import { BROKEN, FAULTS, refusal } from './faults.js';
import { type Fault, GOOD_ANSWERS } from './good-answers.js';
import { createWire, type LedgerEntry, type Line } from './wire.js';

/** A target that does to each request what its seed says, and keeps its own account of it. */
export interface FaultyTarget {
  readonly url: string;
  /** One entry for each planned request that arrived, in the order of arrival. */
  readonly ledger: readonly LedgerEntry[];
  /** What no client may do, in words: a request nobody planned, one on a connection that was of no use. */
  readonly complaints: readonly string[];
  /** Kept-alive connections that were ended behind an answer: each may swallow a request that was on its way. */
  endedIdle(): number;
  /** Most connections open at the same time. */
  peak(): number;
  /** Resolves when no connection is open. */
  allClosed(): Promise<void>;
  close(): Promise<void>;
}

export interface FaultyTargetOptions {
  readonly seed: string;
  /** The `trial/seq` of a planned request, by its prompt; null for any other. */
  readonly identify: (prompt: string) => string | null;
}

/** Consecutive requests of a trial among which a burst of refusals keeps; and how many of those bursts there are. */
const BURST = 40;
const BURST_SHARE = 0.05;
const FAULTY_SHARE = 0.3;
/** Connections that the target reads late. */
const SLOW_READER_SHARE = 0.03;
const MODELS = '{"object":"list","data":[{"id":"m","object":"model"}]}';

export async function startFaultyTarget({ seed, identify }: FaultyTargetOptions): Promise<FaultyTarget> {
  const sockets = new Set<Socket>();
  const ledger: LedgerEntry[] = [];
  const complaints: string[] = [];
  const slowness = createRng(`${seed}/slow-readers`);
  let endedIdle = 0;
  let peak = 0;

  async function answer(line: Line, prompt: string): Promise<void> {
    const { socket } = line;
    line.requests++;
    const key = identify(prompt);
    const isPlanned = key !== null;
    const rng = createRng(`${seed}/${key}`);
    const entry = openEntry(key ?? 'probe');
    if (isPlanned) ledger.push(entry);
    if (line.isLeft) complaints.push(`${entry.key} came on a connection that was of no use`);
    if (line.isEnded) {
      Object.assign(entry, { fault: 'came as the connection closed', outcome: 'stream_error', code: BROKEN });
      return;
    }
    const fault = isPlanned ? drawFault(seed, entry.key, rng) : PROBE_ANSWER;
    entry.fault = fault.name;
    entry.outcome = fault.outcome;
    entry.code = fault.code ?? null;
    line.isLeft = fault.leaves === true;
    await fault.act(createWire(line, rng, entry));
    if (slowness.next() < SLOW_READER_SHARE) {
      socket.pause();
      setTimeout(() => socket.resume(), 20 + slowness.int(130));
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    peak = Math.max(peak, sockets.size);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    const line: Line = { socket, requests: 0, isEnded: false, isLeft: false };
    socket.on('close', () => {
      sockets.delete(socket);
      if (line.isEnded && !line.isLeft) endedIdle++;
    });
    readRequests(socket, (head, body) => {
      if (head.startsWith('GET ')) {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${MODELS.length}\r\n\r\n${MODELS}`);
      } else void answer(line, promptOf(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 511, resolve));
  const address = server.address();
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    ledger,
    complaints,
    endedIdle: () => endedIdle,
    peak: () => peak,
    async allClosed() {
      await Promise.all(
        [...sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))),
      );
    },
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

const PROBE_ANSWER = GOOD_ANSWERS.find(({ name }) => name === 'all tokens at once') as Fault;

function openEntry(key: string): LedgerEntry {
  return {
    key,
    fault: '',
    receivedMs: performance.now(),
    outcome: 'ok',
    code: null,
    status: null,
    chunks: 0,
    promptTokens: null,
    cachedTokens: null,
    outputTokens: null,
    finishReason: null,
    firstTokenMs: null,
    lastTokenMs: null,
  };
}

/** By the seed and the request alone, so that a run can be had again. */
function drawFault(seed: string, key: string, rng: Rng): Fault {
  const at = key.lastIndexOf('/');
  const burst = createRng(
    `${seed}/burst/${key.slice(0, at)}/${Math.floor(Number(key.slice(at + 1)) / BURST)}`,
  );
  if (burst.next() < BURST_SHARE) return refusal([429, 500, 502, 503][burst.int(4)] as number);
  return pick(rng, rng.next() < FAULTY_SHARE ? FAULTS : GOOD_ANSWERS);
}

function pick(rng: Rng, faults: readonly Fault[]): Fault {
  let left = rng.next() * faults.reduce((sum, { weight }) => sum + weight, 0);
  const drawn = faults.find(({ weight }) => {
    left -= weight;
    return left < 0;
  });
  return drawn ?? (faults[0] as Fault);
}

function promptOf(body: string): string {
  try {
    return String(JSON.parse(body).messages[0].content);
  } catch {
    return '';
  }
}

function readRequests(socket: Socket, onRequest: (head: string, body: string) => void): void {
  let pending = '';
  socket.on('data', (bytes) => {
    pending += bytes.toString('latin1');
    for (;;) {
      const headEnd = pending.indexOf('\r\n\r\n');
      if (headEnd === -1) return;
      const head = pending.slice(0, headEnd);
      const bodyEnd = headEnd + 4 + Number(/content-length: *(\d+)/i.exec(head)?.[1] ?? 0);
      if (pending.length < bodyEnd) return;
      const body = pending.slice(headEnd + 4, bodyEnd);
      pending = pending.slice(bodyEnd);
      onRequest(head, body);
    }
  });
}
