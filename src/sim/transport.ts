import type { StreamEnd } from '../core/answer/exchange.js';
import type { Answer } from '../core/answer/recorder.js';
import { promptTokens } from '../core/workload/prompts.js';
import type { Clock, OutgoingRequest, Transport } from '../engine/ports.js';
import type { ModelClock } from './clock/virtual-clock.js';
import type { Cluster, RefusedWhy } from './cluster.js';
import { createDecodeLog, type DecodeLog, renderDecodeSummary } from './disaggregated/decode-log.js';
import { buildCluster } from './disaggregated/disaggregated-cluster.js';
import { capacityBlocks, isDisaggregated, type SimParams } from './params/sim-params.js';
import { createPromptSegments } from './prompt-segments.js';
import { createRequestTrace, type RequestOutcome, workerName } from './request-trace.js';

/** A transport that can say more of its run than its records hold. */
export interface SimTransport extends Transport {
  /** Decode choices of a disaggregated cluster; null for any other. */
  readonly decode: DecodeLog | null;
  /** Lines for whoever ran it; null when there is nothing to add to the records. */
  notes(): string | null;
}

const REFUSALS: Readonly<Record<RefusedWhy, { readonly status: number; readonly body: Uint8Array }>> = {
  'too-large': refusal(400, 'the prompt and its answer do not fit the cache of a worker'),
  unreachable: refusal(503, 'no decode worker can be reached from the prefill worker'),
};

function refusal(status: number, message: string): { status: number; body: Uint8Array } {
  return { status, body: new TextEncoder().encode(JSON.stringify({ error: { message, code: status } })) };
}

/**
 * The simulated cluster as a transport on `clock`: it works from the prompts' ids, needs no text, and costs no real time
 * on a virtual clock. Caches last as long as the transport, over trials, as on a real cluster; every `open` starts with
 * new connections. A request takes the connection that was free longest, as a pool does.
 *
 * A cache measured in requests gets its size from the first prompt sent. A request that no worker could hold is answered
 * with status 400; `checkRequestFits` (params.ts) says so before a run.
 */
export function createSimTransport(
  params: SimParams,
  clock: Clock & { readonly quiet?: ModelClock },
): SimTransport {
  const modelClock = clock.quiet ?? clock;
  const decode = isDisaggregated(params) ? createDecodeLog(params) : null;
  const prompts = createPromptSegments(params.blockSize);
  let cluster: Cluster | null = null;
  let connectionsMade = 0;
  let free: number[] = [];
  let sent = 0;

  function clusterFor(request: OutgoingRequest): Cluster {
    if (cluster !== null) return cluster;
    const blocks = capacityBlocks(params, promptTokens(request.prompt));
    cluster = buildCluster(params, blocks, modelClock, (record, segments) => decode?.note(record, segments));
    return cluster;
  }

  return {
    async open(connections) {
      free = Array.from({ length: connections }, () => connectionsMade++);
    },
    send(request, recorder, done) {
      const { prompt, outputTokens } = request;
      const tokens = promptTokens(prompt);
      const requestId = `sim-${sent++}`;
      const trace = createRequestTrace(clock, clock.now(), tokens, params.blockSize);
      const connection = free.shift() ?? connectionsMade++;
      let ended = false;

      // In an event of its own: `done` is the one place where the caller may wait for promises.
      function end(how: StreamEnd): void {
        if (ended) return;
        ended = true;
        free.push(connection);
        clock.at(clock.now(), () => done(how));
      }

      recorder.sent(clock.now());
      const cancel = clusterFor(request).submit(
        { segments: prompts.of(prompt), promptTokens: tokens, outputTokens, connection },
        {
          ...trace,
          token(last) {
            if (trace.token() === 0) recorder.response(200, { requestId });
            recorder.token(clock.now());
            if (last) {
              recorder.answer(answerOf(trace.outcome(), requestId));
              end({ kind: 'end' });
            }
          },
          refused(why) {
            recorder.response(REFUSALS[why].status, { contentType: 'application/json' });
            recorder.bytes(REFUSALS[why].body, clock.now());
            end({ kind: 'end' });
          },
        },
      );
      return (how) => {
        if (ended) return;
        cancel();
        end(how);
      };
    },
    async close() {
      free = [];
    },
    decode,
    notes() {
      return decode === null ? null : renderDecodeSummary(params, decode.summary());
    },
  };
}

/** The answer as the simulated server reports it. */
function answerOf(outcome: RequestOutcome, requestId: string): Answer {
  const { worker, decodeWorker } = outcome;
  const prefillWorker = workerName(worker);
  return {
    promptTokens: outcome.promptTokens,
    cachedTokens: outcome.cachedTokens,
    outputTokens: outcome.outputTokens,
    prefillWorker,
    decodeWorker: decodeWorker === null ? prefillWorker : `d${decodeWorker}`,
    finishReason: 'length',
    requestId,
    server: {
      prefill_wait_ms: outcome.waitMs,
      prefill_ms: outcome.prefillMs,
      ttft_ms: outcome.ttftMs,
      total_ms: outcome.totalMs,
      kv_transfer_ms: outcome.transferMs,
      kv_hit_rate: outcome.expectedHitRate,
      queue_depth: null,
    },
  };
}
