import { type AddressInfo, createServer, type Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { createTimeHistogram } from '../core/base/time-histogram.js';

/**
 * What runs in the thread of the server that a client is calibrated against: every request is answered on a schedule that
 * begins when its last byte was read. It keeps how late each of its writes was, so that its own lateness is not taken for
 * the client's.
 */

/** The schedule. */
export interface PaceSchedule {
  readonly firstTokenMs: number;
  readonly gapMs: number;
  readonly tokens: number;
}

/** Lateness of all writes since it was asked last. */
export interface PaceReport {
  readonly writes: number;
  readonly late_p50_ms: number;
  readonly late_p99_ms: number;
}

interface Stream {
  readonly socket: Socket;
  dueMs: number;
  left: number;
}

const schedule = workerData as PaceSchedule;
const TICK_MS = 1;
const HEAD_END = '\r\n\r\n';

const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
const token = chunkOf('{"id":"c","choices":[{"index":0,"delta":{"content":" word"}}]}');
const usage = `{"id":"c","choices":[],"usage":{"prompt_tokens":1,"completion_tokens":${schedule.tokens}}}`;
const FIRST = Buffer.from(head + token);
const NEXT = Buffer.from(token);
const END = Buffer.from(`${chunkOf(usage)}${chunkOf('[DONE]')}0\r\n\r\n`);

/** All streams have one schedule, so each line is in the order of its due times. */
const waitForFirst: Stream[] = [];
const waitForNext: Stream[] = [];
let late = createTimeHistogram();

function tick(): void {
  const nowMs = performance.now();
  writeDue(waitForFirst, FIRST, nowMs);
  writeDue(waitForNext, NEXT, nowMs);
  setTimeout(tick, TICK_MS);
}

function writeDue(line: Stream[], bytes: Buffer, nowMs: number): void {
  let count = 0;
  for (const stream of line) {
    if (stream.dueMs > nowMs) break;
    count++;
    late.add(performance.now() - stream.dueMs);
    stream.left--;
    stream.dueMs += schedule.gapMs;
    if (stream.left > 0) {
      stream.socket.write(bytes);
      waitForNext.push(stream);
    } else stream.socket.write(Buffer.concat([bytes, END]));
  }
  line.splice(0, count);
}

/** Requests one after another, each with a head that tells the length of its body. */
function readRequests(socket: Socket): void {
  let read = Buffer.alloc(0);
  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (bytes) => {
    read = read.length === 0 ? bytes : Buffer.concat([read, bytes]);
    const headEnd = read.indexOf(HEAD_END);
    if (headEnd === -1) return;
    const length = Number(/content-length: (\d+)/i.exec(read.toString('latin1', 0, headEnd))?.[1] ?? 0);
    const end = headEnd + HEAD_END.length + length;
    if (read.length < end) return;
    read = read.subarray(end);
    waitForFirst.push({
      socket,
      dueMs: performance.now() + schedule.firstTokenMs,
      left: schedule.tokens,
    });
  });
}

function chunkOf(data: string): string {
  const text = `data: ${data}\n\n`;
  return `${text.length.toString(16)}\r\n${text}\r\n`;
}

parentPort?.on('message', () => {
  const report: PaceReport = {
    writes: late.size(),
    late_p50_ms: late.percentile(0.5) ?? 0,
    late_p99_ms: late.percentile(0.99) ?? 0,
  };
  late = createTimeHistogram();
  parentPort?.postMessage(report);
});
const server = createServer(readRequests).listen(0, '127.0.0.1', () => {
  parentPort?.postMessage((server.address() as AddressInfo).port);
});
tick();
