import type { Load } from '../../core/plan.js';

/** Every text of a report in English. */
export const EN = {
  notMeasured: 'not measured',
  notReported: 'not reported',
  prefixes: (count: number) => (count === 1 ? '1 prefix' : `${count} prefixes`),
  load: (load: Load) =>
    load.kind === 'closed' ? `${load.concurrency} in flight` : `${Number(load.rate.toFixed(3))} req/s`,
  axis: {
    prefixes: 'prefix groups',
    prefix: 'prefix group',
    worker: 'worker',
    hitRate: 'requests, %',
    cachedRatio: 'prompt tokens, %',
    ttft: 'TTFT, ms',
    share: 'requests, %',
    concurrency: 'requests in flight',
    rate: 'offered load, req/s',
    throughput: 'completed, req/s',
    order: 'requests of the trial, in sending order, %',
    lost: 'expected cached tokens, %',
  },
  ceiling: 'ceiling',
  capacity: 'capacity ceiling',
  cached: 'cached',
  offered: 'offered',
  /** What became of the cached tokens that were expected. */
  parts: {
    cached: 'cached',
    firstTouch: 'first touch',
    eviction: 'eviction',
    inFlight: 'in flight',
    placement: 'placement',
    notFirstTouch: 'lost, cause not known',
  },
  figures: {
    cachedTokens: {
      title: 'Cached prompt tokens over prefix groups',
      caption:
        'Median over the kept trials; the shade spans the least and the greatest trial. The ceiling is what a perfect, endless cache would give the same requests.',
    },
    hitRate: {
      title: 'Request hit rate over prefix groups',
      caption:
        'Requests with any cached prefix token. Median over the kept trials; the shade spans the least and the greatest trial. The ceiling: every request hits but the first of its prefix.',
    },
    ttft: {
      title: 'Distribution of TTFT',
      caption:
        'Share of requests that had their first token within a time; the requests of all kept trials together, drawn at every whole percentile. Further left is faster.',
    },
    timeline: {
      title: 'TTFT in the course of each trial',
      caption:
        'One line for each kept trial: mean TTFT of consecutive tenths of its requests. A high start is the cold cache; lines that part are drift between trials.',
    },
    lostHits: {
      title: 'Where the expected cached tokens went',
      caption:
        'Expected is a whole-block hit of the prefix on every request. First touch cannot be avoided, eviction is capacity, in flight is concurrency, placement is the router.',
    },
    throughput: {
      title: 'Completed load',
      caption: 'Ok requests per second. Median over the kept trials; the shade spans the least and the greatest.',
    },
    workers: {
      title: 'Which worker served which prefix group',
      caption: (where: string) =>
        `Requests of the first kept trial at ${where}, the cell where the variants differ most in cached tokens. One square in a column: the prefix stayed on one worker. Workers are numbered in the order of their ids, for each variant anew.`,
    },
  },
} as const;

/** What a dictionary holds: as {@link EN}, every key, so that a missing one does not compile. */
export type Messages = Widened<typeof EN>;

type Widened<T> = T extends string
  ? string
  : T extends (...args: infer A) => string
    ? (...args: A) => string
    : { readonly [K in keyof T]: Widened<T[K]> };
