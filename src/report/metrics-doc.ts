import { OUTCOMES } from '../core/answer/request-record.js';
import { FINDINGS, type FindingCode, severityOf } from '../core/measure/finding-codes.js';
import { MEASURES } from '../core/measure/measures.js';
import { markdownTable } from './document/markdown.js';
import { EN } from './messages/en.js';

const UNITS: Readonly<Record<string, string>> = { '': '', '1/s': 'requests/s', ratio: '0-1' };

/** docs/metrics.md, from the declared measures, findings and outcomes: what is printed there is what is computed. */
export function renderMetricsDoc(): string {
  return `${[HEAD, measuresTable(), RECORD, OTHER_TOOLS, `${OUTCOMES_HEAD}${OUTCOMES.map((outcome) => `\`${outcome}\``).join(', ')}.`, TIMEOUTS, FINDINGS_HEAD, findingsTable()].join('\n\n')}\n`;
}

function measuresTable(): string {
  const rows = MEASURES.map((measure) => [
    `\`${measure.key}\``,
    UNITS[measure.unit] ?? measure.unit,
    measure.formula,
    measure.nullWhen,
    measure.band ? 'yes' : '',
  ]);
  return markdownTable(
    ['column', 'unit', 'formula, over the measured requests of one trial', 'empty when', 'min, max'],
    rows,
  );
}

function findingsTable(): string {
  const rows = (Object.keys(FINDINGS) as FindingCode[]).map((code) => [
    `\`${code}\``,
    severityOf(code),
    EN.findings.codes[code].advice,
  ]);
  return markdownTable(['finding', 'effect', 'what to do'], rows);
}

const HEAD = `# Metrics

Written by \`npm run docs\` from the declarations in src/core/measure/measures.ts and src/core/measure/trial-findings.ts.

A trial's figures come from its records (requests.jsonl), each of which holds what one request got. A cell's figure is the
median over its kept trials (the mean of two); \`_min\` and \`_max\` in grid.csv are the lowest and highest
kept trial. Percentiles are nearest rank over requests, no interpolation: p99 of 240 requests is the 238th. Only \`ok\`
requests enter a latency. Times are monotonic, in ms, to 1 µs.`;

const RECORD = `## What a record's times mean

- \`sent_ms\`: the request's bytes are handed to an open socket. Connecting is not the server's latency (\`connect_ms\`, only on a
  new connection), nor is waiting inside the client (\`send_lag_ms\` = sent − due).
- \`ttft_ms\`: arrival of the socket read that carries the first token − sent. A token is non-empty \`content\`, \`reasoning\`,
  \`reasoning_content\`, tool-call text, or \`text\` of a completion; a role-only delta, a comment or a usage chunk does not count.
- \`e2e_ms\`: last token − sent. \`tpot_ms\` = (e2e − ttft) / (output tokens − 1), output tokens from \`usage\`, not from chunks: a
  chunk may carry several tokens, or wait for the rest of a character.
- \`cached_tokens\`: a number, or null because the server did not say. Null is not 0, unless the probe before the run saw the
  target leave zeros out (a first send without the field, a repeat with it); then run.json says \`omits-zero\`.
- \`worker\`: where the prefix's KV lives: the prefill worker if reported, else the decode worker. Ids are text: real ones are
  64-bit numbers, which a double folds into one.
- \`server\`: the times that the server itself reports (Dynamo: \`nvext.timing\`). \`kv_hit_rate\` there is the router's prediction.`;

const OTHER_TOOLS = `## The same words in other tools

Read off the source of the versions named; check before comparing figures.

| here | vllm bench serve 0.33.0 | aiperf 0.13.0 | guidellm 0.8.1 |
| --- | --- | --- | --- |
| TPOT: (e2e − ttft) / (n − 1), one value a request | TPOT | Inter Token Latency (ITL); the first chunk's own tokens are subtracted when known | inter_token_latency_ms |
| ITL: gaps between token events, pooled | ITL | Inter Chunk Latency (ICL) | none |
| none | none | none | time_per_output_token_ms: (last token − start) / n, with the first token's time in it |
| E2E: last token − sent | E2EL | Request Latency: last response − start | request latency |
| percentile: nearest rank | numpy, linear interpolation | numpy, linear interpolation | its own |`;

const OUTCOMES_HEAD = `## Outcomes

Every planned request has exactly one record with one outcome; planned = the sum of them, in every row: `;

const TIMEOUTS = `Limits of time, each with its own code in \`error.code\`: \`connect_timeout\` (--connect-timeout, 10 s; outcome \`connect_error\`, for
no request was sent), and with the outcome \`timeout\`: \`first_token_timeout\` (--first-token-timeout, from sending), \`idle_timeout\`
(--idle-timeout, from one token to the next or to the end), \`timeout\` (--timeout, the whole request from when it was due, 120 s). Bytes that carry
no token extend none of them.`;

const FINDINGS_HEAD = `## Findings

\`drop\`: the trial's figures are wrong and it is left out of its cell. \`forbid\`: figures must not be compared. Both set exit code 1.
\`withhold\`: measures that cannot be right have no value in the trial; the others stand. \`caution\`: compare knowing this.`;
