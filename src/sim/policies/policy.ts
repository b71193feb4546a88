import type { Segment } from '../worker/kv-cache.js';

/** A request as a router sees it. One object per request: policies may keep it as a key. */
export interface RoutedRequest {
  readonly segments: readonly Segment[];
  readonly promptTokens: number;
  /** The client connection it came in on. */
  readonly connection: number;
}

/** Where a request goes. */
export interface Choice {
  readonly worker: number;
  /** Full blocks of the prompt that the router expects to be cached there; null when the policy does not track that. */
  readonly overlapBlocks: number | null;
}

/** A router policy. `choose` books the request; the other two update the books. */
export interface Policy {
  choose(request: RoutedRequest): Choice;
  /** The request's first token passed through the router. */
  firstToken(request: RoutedRequest, worker: number): void;
  /** The request ended, successfully or not. Called once per choice. */
  finished(request: RoutedRequest, worker: number): void;
}

/** What a policy knows of the cluster without asking its workers. */
export interface PolicyContext {
  readonly workers: number;
  /** Requests in flight per worker, as the router counts them. The cluster keeps it up to date. */
  readonly inFlight: Int32Array;
  readonly now: () => number;
}

/** For policies that keep no books. */
export const noBooks = {
  firstToken: (): void => undefined,
  finished: (): void => undefined,
} as const;
