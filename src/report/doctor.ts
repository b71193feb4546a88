import { howToReport } from '../core/answer/dialects.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { TargetFacts } from '../core/measure/run-file.js';
import type { MetricsSource } from '../core/measure/servers/metrics-source.js';
import { formatMs } from './format.js';

const CACHED: Readonly<Record<TargetFacts['cached_tokens'], string>> = {
  reported: 'yes: the server reports cached_tokens, zeros too',
  'omits-zero': 'yes: cached_tokens is left out when it is 0, and counted so',
  'not-reported': `no: no answer carried cached_tokens: not reported (${howToReport('cachedTokens')}), or left out when 0 and nothing hit`,
};

/** Repeats of one prompt, as {@link renderDoctor} is told of them. */
interface RepeatedPrompt {
  readonly prompt_tokens: number;
  readonly sends: number;
  readonly cached_tokens: number;
  readonly repeated_worker: string | null;
  readonly block_size: number | null;
}

/**
 * What can be measured at a target, from the probe; `sample` is its first answer. `repeated` is null where repeats could
 * show nothing.
 */
export function renderDoctor(
  facts: TargetFacts,
  sample: RequestRecord,
  repeated: RepeatedPrompt | null = null,
): string {
  const rows: (readonly [string, string])[] = [
    ['target', facts.url],
    ['model', facts.model],
    ['dialect', `${facts.dialect}; sent: ${Object.keys(facts.sent).join(', ')}`],
    [
      'TTFT, E2E, throughput',
      sample.ttft_ms === null
        ? 'no: no token came'
        : `yes: first answer after ${formatMs(sample.ttft_ms)} ms`,
    ],
    [
      'TPOT, output tokens',
      sample.output_tokens === null ? 'no: usage is not reported' : 'yes: usage is reported',
    ],
    ['hit rate, cached tokens', CACHED[facts.cached_tokens]],
    ...(repeated === null ? [] : repeatRows(repeated)),
    [
      'workers per prefix',
      sample.worker === null
        ? `no: answers name no worker (${howToReport('workers')}; another header: --worker-header NAME; in the body: --worker-json PATH)`
        : `yes: the answer names its worker, "${sample.worker}" (${facts.worker_source})`,
    ],
    ["the server's own times", sample.server === null ? 'no' : 'yes'],
  ];
  rows.push(...(facts.metrics ?? []).map(metricsRow));
  const width = Math.max(...rows.map(([name]) => name.length));
  const probe = facts.probe.map((line) => `  ${line}`);
  return `${[...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`), '', 'Probe', ...probe].join('\n')}\n`;
}

function repeatRows(repeated: RepeatedPrompt): (readonly [string, string])[] {
  const { prompt_tokens: tokens, sends, cached_tokens: cached, repeated_worker: worker } = repeated;
  if (cached === 0) {
    const seen = `did not hit: one prompt of ${tokens} tokens, sent ${sends} times`;
    const why =
      worker === null
        ? `prefix caching is off, a block of the cache is longer than ${tokens} tokens, or no worker got it twice`
        : `worker ${worker} got it twice, so prefix caching is off there, or a block of the cache is longer than ${tokens} tokens`;
    return [['a repeated prompt', `${seen}; ${why}`]];
  }
  const size = repeated.block_size;
  const block: (readonly [string, string])[] =
    size === null ? [] : [["the cache's block", `${size} tokens, found by bisection: --block-size ${size}`]];
  return [['a repeated prompt', `hit: ${cached} of ${tokens} tokens were cached`], ...block];
}

function metricsRow({ name, url, unread, servers }: MetricsSource): readonly [string, string] {
  const kinds = [...new Set(servers.map(({ kind }) => kind))].join(', ');
  const of = servers.length > 1 ? ` of ${servers.length} servers` : '';
  const told = (key: 'block_size' | 'blocks') => [...new Set(servers.flatMap((server) => server[key] ?? []))];
  const cache = [
    ...told('block_size').map((size) => `blocks of ${size} tokens`),
    ...told('blocks').map((blocks) => `${blocks} blocks each`),
  ];
  return [
    `metrics, ${name}`,
    unread === null ? `yes: ${[kinds + of, ...cache].join(', ')}` : `no: ${unread} (${url})`,
  ];
}
