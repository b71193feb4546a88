import type { ModelClock } from '../clock/virtual-clock.js';
import { type Cluster, type ClusterObserver, type ClusterRequest, createCluster } from '../cluster.js';
import { type DisaggregatedParams, isDisaggregated, type SimParams } from '../params/sim-params.js';
import type { Worker } from '../worker/worker.js';
import { type BookedDecode, createDecodePool, type DecodeRecord } from './decode-pool.js';

/** One request's way to its first token, ms. */
export interface DecodeSegments {
  /** Before the prefill worker began: router, server and its queue. */
  readonly prefillWaitMs: number;
  readonly prefillMs: number;
  readonly transferMs: number;
  /** In the decode worker's queue, its KV there. */
  readonly decodeWaitMs: number;
  readonly firstStepMs: number;
  readonly ttftMs: number;
}

/** Told of each choice once its request has its first token. */
export type DecodeListener = (record: DecodeRecord, segments: DecodeSegments) => void;

/** The cluster that `params` describe, aggregated or disaggregated. */
export function buildCluster(
  params: SimParams,
  blocks: number,
  clock: ModelClock,
  decided: DecodeListener,
): Cluster {
  return isDisaggregated(params)
    ? createDisaggregatedCluster(params, blocks, clock, decided)
    : createCluster(params, blocks, clock);
}

/**
 * Disaggregated prefill and decode: the router's policy chooses the prefill worker, which computes the prompt; then its
 * KV moves to a decode worker chosen by `decodePolicy`, which generates every token. The prefill worker's blocks are
 * released once the prompt is computed; a decode worker keeps no prefixes.
 */
function createDisaggregatedCluster(
  params: DisaggregatedParams,
  blocks: number,
  clock: ModelClock,
  decided: DecodeListener,
): Cluster {
  const prefill = createCluster(params, blocks, clock);
  const decode = createDecodePool(params, blocks, clock);

  return {
    ...prefill,
    workers: [...prefill.workers, ...decode.workers],
    submit(request, on) {
      const sentMs = clock.now();
      let prefillWorker = 0;
      let startedMs = sentMs;
      let cancelNow: () => void = () => undefined;

      cancelNow = prefill.submit(
        { ...request, outputTokens: 1 },
        {
          routed(worker, overlapBlocks) {
            prefillWorker = worker;
            on.routed(worker, overlapBlocks);
          },
          scheduled(cachedTokens) {
            startedMs = clock.now();
            on.scheduled(cachedTokens);
          },
          refused: on.refused,
          token() {
            const computedMs = clock.now();
            const booked = decode.choose(prefillWorker, request.promptTokens, request.outputTokens);
            if (booked === null) {
              on.refused('unreachable');
              return;
            }
            const { worker, record } = booked;
            on.handedOver?.(worker, record.transferMs);
            cancelNow = startDecode(clock, decode.workers, request, booked, on, (waitMs, firstStepMs) =>
              decided(record, {
                prefillWaitMs: startedMs - sentMs,
                prefillMs: computedMs - startedMs,
                transferMs: record.transferMs,
                decodeWaitMs: waitMs,
                firstStepMs,
                ttftMs: clock.now() - sentMs,
              }),
            );
          },
        },
      );
      return () => cancelNow();
    },
  };
}

/** Moves the KV to the booked worker and generates there; the answer aborts it. `first` is told of the first token. */
function startDecode(
  clock: ModelClock,
  workers: readonly Worker[],
  request: ClusterRequest,
  booked: BookedDecode,
  on: ClusterObserver,
  first: (waitMs: number, firstStepMs: number) => void,
): () => void {
  let cancelWork: () => void = () => undefined;
  let arrivedMs = 0;
  let startedMs = 0;
  let tokens = 0;
  const cancelMove = clock.at(clock.now() + booked.record.transferMs, () => {
    arrivedMs = clock.now();
    const added = workers[booked.worker]?.add({
      segments: [],
      promptTokens: request.promptTokens,
      outputTokens: request.outputTokens,
      computedElsewhere: true,
      on: {
        scheduled() {
          startedMs = clock.now();
        },
        token(last) {
          if (tokens++ === 0) first(startedMs - arrivedMs, clock.now() - startedMs);
          if (last) booked.ended();
          on.token(last);
        },
      },
    });
    if (added === null || added === undefined) {
      booked.ended();
      on.refused('too-large');
    } else cancelWork = added.cancel;
  });
  return () => {
    cancelMove();
    cancelWork();
    booked.ended();
  };
}
