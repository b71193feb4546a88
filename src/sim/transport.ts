import type { StreamEnd } from '../core/answer/exchange.js';
import type { Recorder } from '../core/answer/recorder.js';
import type { Clock, OutgoingRequest, Transport } from '../engine/ports.js';
import type { ModelClock } from './clock/virtual-clock.js';
import type { Cluster, RefusedWhy } from './cluster.js';
import { createDecodeLog, type DecodeLog, renderDecodeSummary } from './disaggregated/decode-log.js';
import { buildCluster } from './disaggregated/disaggregated-cluster.js';
import { capacityBlocks, isDisaggregated, type SimParams } from './params/sim-params.js';
import { createPromptSegments } from './prompt-segments.js';

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
    const promptTokens = request.prompt.prefixTokens + request.prompt.tailTokens;
    const blocks = capacityBlocks(params, promptTokens);
    cluster = buildCluster(params, blocks, modelClock, (record, segments) => decode?.note(record, segments));
    return cluster;
  }

  function takeConnection(): number {
    return free.shift() ?? connectionsMade++;
  }

  return {
    async open(connections) {
      free = Array.from({ length: connections }, () => connectionsMade++);
    },
    send(request, recorder, done) {
      const { prompt, outputTokens } = request;
      const promptTokens = prompt.prefixTokens + prompt.tailTokens;
      const exchange = createExchange(clock, recorder, `sim-${sent++}`, promptTokens, params.blockSize);
      const connection = takeConnection();
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
        { segments: prompts.of(prompt), promptTokens, outputTokens, connection },
        {
          routed: exchange.routed,
          scheduled: exchange.scheduled,
          handedOver: exchange.handedOver,
          token(last) {
            exchange.token();
            if (last) {
              exchange.finish();
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

/** What the simulated server tells its client about one request. */
function createExchange(
  clock: Clock,
  recorder: Recorder,
  requestId: string,
  promptTokens: number,
  blockSize: number,
): {
  routed(worker: number, overlapBlocks: number | null): void;
  scheduled(cachedTokens: number): void;
  handedOver(decodeWorker: number, transferMs: number): void;
  token(): void;
  finish(): void;
} {
  const sentMs = clock.now();
  let worker = '';
  let decodeWorker: string | null = null;
  let computedMs: number | null = null;
  let transferMs: number | null = null;
  let expectedHitRate: number | null = null;
  let routedMs = 0;
  let scheduledMs = 0;
  let cached = 0;
  let firstMs = 0;
  let tokens = 0;
  return {
    routed(chosen, overlapBlocks) {
      worker = workerName(chosen);
      expectedHitRate = overlapBlocks === null ? null : (overlapBlocks * blockSize) / promptTokens;
      routedMs = clock.now();
    },
    scheduled(cachedTokens) {
      scheduledMs = clock.now();
      cached = cachedTokens;
    },
    handedOver(chosen, movedMs) {
      decodeWorker = `d${chosen}`;
      computedMs = clock.now();
      transferMs = movedMs;
    },
    token() {
      const now = clock.now();
      if (tokens === 0) {
        firstMs = now;
        recorder.response(200, { requestId });
      }
      tokens++;
      recorder.token(now);
    },
    finish() {
      recorder.answer({
        promptTokens,
        cachedTokens: cached,
        outputTokens: tokens,
        prefillWorker: worker,
        decodeWorker: decodeWorker ?? worker,
        finishReason: 'length',
        requestId,
        server: {
          prefill_wait_ms: scheduledMs - routedMs,
          prefill_ms: (computedMs ?? firstMs) - scheduledMs,
          ttft_ms: firstMs - sentMs,
          total_ms: clock.now() - sentMs,
          kv_transfer_ms: transferMs,
          kv_hit_rate: expectedHitRate,
          queue_depth: null,
        },
      });
    },
  };
}

/** The id a simulated worker goes by. */
export function workerName(worker: number): string {
  return `w${worker}`;
}
