import { howToReport } from '../core/answer/dialects.js';
import type { RequestRecord } from '../core/answer/request-record.js';
import type { TargetFacts } from '../core/measure/run-file.js';
import { formatMs } from './format.js';

const CACHED: Readonly<Record<TargetFacts['cached_tokens'], string>> = {
  reported: 'yes: the server reports cached_tokens, zeros too',
  'omits-zero': 'yes: cached_tokens is left out when it is 0, and counted so',
  'not-reported': `no: no answer carried cached_tokens: not reported (${howToReport('cachedTokens')}), or left out when 0 and nothing hit`,
};

/** What can be measured at a target, from the probe; `sample` is its first answer. */
export function renderDoctor(facts: TargetFacts, sample: RequestRecord): string {
  const rows: readonly (readonly [string, string])[] = [
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
    [
      'workers per prefix',
      sample.worker === null
        ? `no: answers name no worker (${howToReport('workers')})`
        : `yes: ${sample.worker} answered`,
    ],
    ["the server's own times", sample.server === null ? 'no' : 'yes'],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const probe = facts.probe.map((line) => `  ${line}`);
  return `${[...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`), '', 'Probe', ...probe].join('\n')}\n`;
}
