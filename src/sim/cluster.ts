import type { ModelClock } from './clock/virtual-clock.js';
import type { SimParams } from './params/sim-params.js';
import { createPolicy } from './policies/create-policy.js';
import type { RoutedRequest } from './policies/policy.js';
import { createOwnDevice, createSharedDevice, type Device } from './worker/device.js';
import { createKvCache } from './worker/kv-cache.js';
import { createWorker, type Worker } from './worker/worker.js';

export interface ClusterRequest extends RoutedRequest {
  readonly outputTokens: number;
}

/** What the client of a cluster sees of one request. */
export interface ClusterObserver {
  /** The router chose. */
  routed(worker: number, overlapBlocks: number | null): void;
  /** The worker began with the prompt. */
  scheduled(cachedTokens: number): void;
  /** The prompt is computed and its KV goes to a decode worker. Only in a disaggregated cluster. */
  handedOver?(decodeWorker: number, transferMs: number): void;
  token(last: boolean): void;
  /** The request can never fit a worker's cache, or no decode worker can be reached. Nothing follows. */
  refused(why: RefusedWhy): void;
}

export type RefusedWhy = 'too-large' | 'unreachable';

/** A router in front of workers. */
export interface Cluster {
  readonly workers: readonly Worker[];
  /** Sends a request through the router; the answer aborts it and frees what it holds. */
  submit(request: ClusterRequest, on: ClusterObserver): () => void;
  /** Sends a request to one worker, past the router, which does not see it. */
  submitTo(worker: number, request: ClusterRequest, on: ClusterObserver): () => void;
  /** Requests the router has in flight, per worker. */
  readonly inFlight: Int32Array;
}

/** A cluster of workers with `blocks` cache blocks each. Its only clock is `clock`; all its chance comes from the seed. */
export function createCluster(params: SimParams, blocks: number, clock: ModelClock): Cluster {
  const inFlight = new Int32Array(params.workers);
  const { policy, events } = createPolicy(params, {
    workers: params.workers,
    inFlight,
    now: () => clock.now(),
  });
  const workers = createDevices(params, clock).map((device, i) =>
    createWorker(clock, device, createKvCache(blocks), params, (changes) => {
      if (events !== null) clock.at(clock.now() + params.eventDelayMs, () => events.apply(i, changes));
    }),
  );

  function start(worker: number, request: ClusterRequest, on: ClusterObserver): (() => void) | null {
    const added = (workers[worker] as Worker).add({
      segments: request.segments,
      promptTokens: request.promptTokens,
      outputTokens: request.outputTokens,
      on: { scheduled: on.scheduled, token: on.token },
    });
    if (added === null) on.refused('too-large');
    return added?.cancel ?? null;
  }

  return {
    workers,
    inFlight,
    submit(request, on) {
      let cancelWork: (() => void) | null = null;
      let chosen = -1;
      function end(): void {
        if (chosen === -1) return;
        inFlight[chosen] = (inFlight[chosen] as number) - 1;
        policy.finished(request, chosen);
        chosen = -1;
      }
      const cancelRouting = clock.at(clock.now() + params.routerOverheadMs + params.serverOverheadMs, () => {
        const choice = policy.choose(request);
        chosen = choice.worker;
        inFlight[chosen] = (inFlight[chosen] as number) + 1;
        on.routed(choice.worker, choice.overlapBlocks);
        let first = true;
        cancelWork = start(choice.worker, request, {
          ...on,
          refused(why) {
            end();
            on.refused(why);
          },
          token(last) {
            if (first) {
              first = false;
              policy.firstToken(request, choice.worker);
            }
            if (last) end();
            on.token(last);
          },
        });
      });
      return () => {
        cancelRouting();
        cancelWork?.();
        end();
      };
    },
    submitTo(worker, request, on) {
      let cancelWork: (() => void) | null = null;
      const cancelStart = clock.at(clock.now() + params.serverOverheadMs, () => {
        on.routed(worker, null);
        cancelWork = start(worker, request, on);
      });
      return () => {
        cancelStart();
        cancelWork?.();
      };
    },
  };
}

/** The device of each worker. */
function createDevices(params: SimParams, clock: ModelClock): Device[] {
  const speeds = params.deviceSpeeds ?? new Array<number>(params.workers).fill(1);
  const deviceOf =
    params.deviceWorkers?.flatMap((count, device) => new Array<number>(count).fill(device)) ??
    Array.from({ length: params.workers }, (_, worker) => worker % speeds.length);
  const users = new Int32Array(speeds.length);
  for (const device of deviceOf) users[device] = (users[device] as number) + 1;
  const devices = speeds.map((speed, device) =>
    (users[device] as number) > 1 ? createSharedDevice(clock, speed) : createOwnDevice(clock, speed),
  );
  return deviceOf.map((device) => devices[device] as Device);
}
