import type { Answer } from '../../src/core/answer/recorder.js';
import type { Clock, OutgoingRequest, StopSignal, Transport } from '../../src/engine/ports.js';
import { createVirtualClock, type VirtualClock } from '../../src/sim/clock/virtual-clock.js';

/** A virtual clock for tests. */
export function testClock(): VirtualClock {
  return createVirtualClock(() => new Promise((resolve) => setImmediate(resolve)));
}

/** Nobody stops the run. */
export const NEVER: StopSignal = { stopping: false, onAbort: () => () => {} };

const ANSWER: Answer = {
  promptTokens: 2300,
  cachedTokens: 0,
  outputTokens: 64,
  prefillWorker: 'a',
  decodeWorker: 'a',
  finishReason: 'length',
  requestId: null,
  server: null,
};

/** How the fake server answers one request: after `ms`, with a status and an answer. */
export interface FakeAnswer {
  readonly ms: number;
  readonly status?: number;
  readonly answer?: Partial<Answer>;
  /** In which it names workers or times. */
  readonly dialect?: string;
}

export interface FakeTransport extends Transport {
  readonly sent: OutgoingRequest[];
  /** Most requests in flight at the same time. */
  peak(): number;
  readonly opened: number[];
}

/** A server that takes the time it is told, on a virtual clock; `ms: Infinity` never answers. */
export function createFakeTransport(
  clock: Clock,
  respond: (request: OutgoingRequest, index: number) => FakeAnswer,
): FakeTransport {
  const sent: OutgoingRequest[] = [];
  const opened: number[] = [];
  let inFlight = 0;
  let peak = 0;
  return {
    sent,
    opened,
    peak: () => peak,
    open: async (connections) => {
      opened.push(connections);
    },
    send: (request, recorder, done) => {
      const { ms, status = 200, answer = {}, dialect = null } = respond(request, sent.length);
      sent.push(request);
      peak = Math.max(peak, ++inFlight);
      recorder.sent(clock.now());
      let over = false;
      const end: typeof done = (how) => {
        if (over) return;
        over = true;
        inFlight--;
        done(how);
      };
      if (Number.isFinite(ms)) {
        clock.at(clock.now() + ms, () => {
          if (over) return;
          recorder.response(status, { extras: { workers: null, server: null, workerSource: null, dialect } });
          if (status === 200) {
            recorder.token(clock.now());
            recorder.answer({ ...ANSWER, ...answer });
          }
          end({ kind: 'end' });
        });
      }
      return (how) => {
        clock.at(clock.now(), () => end(how));
      };
    },
    close: async () => {},
  };
}
