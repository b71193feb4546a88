import { describe, expect, it } from 'vitest';
import { buildComparedVariants } from '../../../src/core/compare/compared-variant.js';
import {
  type ComparisonFinding,
  findComparisonFindings,
  isForbidden,
} from '../../../src/core/compare/comparison-findings.js';
import { buildExperimentRecord } from '../../../src/core/measure/experiment-record.js';
import type { RunFile, TargetFacts } from '../../../src/core/measure/run-file.js';
import type { RunData, RunInput } from '../../../src/core/measure/run-input.js';
import { trialEvidence } from '../../../src/core/measure/trial-evidence.js';
import { inEnglish } from '../../support/english.js';
import { FAIR_CLIENT } from '../../support/records.js';
import { runOf } from '../../support/runs.js';

/** With what was seen in English. */
function findingsOf(...inputs: readonly RunInput[]): (ComparisonFinding & { readonly seen: string })[] {
  return findComparisonFindings(buildComparedVariants(inputs)).map((finding) => ({
    ...finding,
    seen: inEnglish(finding.evidence),
  }));
}

/** `severity code: seen` of every finding. */
function lines(...inputs: readonly RunInput[]): string[] {
  return findingsOf(...inputs).map(({ severity, code, seen }) => `${severity} ${code}: ${seen}`);
}

function withRun(data: RunData, over: Partial<RunFile>): RunData {
  return { ...data, run: { ...data.run, ...over } };
}

function withTarget(data: RunData, over: Partial<TargetFacts>): RunData {
  return withRun(data, {
    variants: data.run.variants.map((variant) => ({ ...variant, target: { ...variant.target, ...over } })),
  });
}

const RR = runOf('rr');
const KV = runOf('kv');

describe('findComparisonFindings', () => {
  it('has nothing to say of two clean runs of one workload', () => {
    expect(findingsOf(RR, KV)).toEqual([]);
  });

  it('forbids another workload, and names what differs', () => {
    expect(lines(RR, runOf('kv', { seed: '2', tailTokens: 400 }))).toContain(
      'forbid workload-differs: seed: 1 and 2; tailTokens: 300 and 400',
    );
    const other = withRun(KV, { workload: { sha256: 'abcdef0123456789', salt_sha256: null } });
    expect(lines(RR, other)).toEqual([
      'forbid workload-differs: the hashes over every prompt differ (seed 1 and abcdef012345)',
    ]);
  });

  it('recognizes a workload that is equal but for its salt', () => {
    expect(lines(RR, runOf('kv', { salt: 'x' }))).toEqual([
      'note salt-differs: same workload hash, different salt',
    ]);
  });

  it('forbids another model, client setting or clock', () => {
    expect(lines(RR, withTarget(KV, { model: 'other' }))).toEqual([
      'forbid model-differs: model: m and other',
    ]);
    expect(lines(RR, runOf('kv', { connections: 'per-request', warmup: 5 }))).toEqual([
      'forbid client-settings-differ: connections: reuse and per-request; warmup: 0 and 5',
    ]);
    const virtual = withRun(KV, { provenance: { ...KV.run.provenance, clock: 'virtual' } });
    expect(lines(RR, virtual)).toEqual(['forbid clock-differs: clock: monotonic and virtual']);
  });

  it('forbids sent fields that change the work, and mentions those that only ask for reports', () => {
    expect(lines(RR, withTarget(KV, { sent: { ignore_eos: true, nvext: { extra_fields: ['x'] } } }))).toEqual(
      [
        'forbid client-settings-differ: sent ignore_eos: none and true',
        'caution asked-differently: sent nvext: none and {"extra_fields":["x"]}',
      ],
    );
  });

  it('forbids a variant that lost requests, from one in a hundred on', () => {
    const lose = (every: number) =>
      runOf('kv', {}, ({ seq, cell }) =>
        cell.prefixes === 2 && seq % every === 7
          ? { outcome: 'timeout', ttft_ms: null, e2e_ms: null, cached_tokens: null }
          : {},
      );
    const [lost] = findingsOf(RR, lose(50)).filter((finding) => finding.severity === 'forbid');
    expect(lost).toMatchObject({
      code: 'success-sets-differ',
      seen: '6 of 300 requests were ok in only one run (failed: 0 and 6)',
      where: ['p2-c4'],
      sides: ['rr', 'kv'],
    });
    const few = runOf('kv', { requests: 200 }, ({ seq, repeat }) =>
      seq === 7 && repeat === 1 ? { outcome: 'timeout', ttft_ms: null } : {},
    );
    expect(
      findingsOf(runOf('rr', { requests: 200 }), few).map(({ severity, code }) => `${severity} ${code}`),
    ).toEqual(['caution few-failures-differ', 'caution failed-requests']);
  });

  it('forbids answers of other lengths', () => {
    const short = runOf('kv', {}, () => ({ output_tokens: 50 }));
    expect(lines(RR, short)).toContain(
      'forbid output-lengths-differ: answers of 64.0 and 50.0 tokens on average',
    );
  });

  it('forbids what a run forbids itself, as dropped trials; a client that was the limit is to be known', () => {
    const warm = runOf('kv', {}, ({ repeat }) => (repeat === 1 ? { cached_tokens: 2000 } : {}));
    const codes = findingsOf(RR, warm)
      .filter((finding) => finding.severity === 'forbid')
      .map((finding) => finding.code);
    expect(codes).toEqual(['contaminated', 'missing-trials']);
    const busy = withRun(KV, {
      trials: KV.run.trials.map((trial) => ({
        ...trial,
        client: { ...FAIR_CLIENT, loop_delay_p99_ms: 80 },
      })),
    });
    expect(findingsOf(RR, busy).map(({ severity, code }) => `${severity} ${code}`)).toEqual([
      'caution client-limited',
    ]);
  });

  it('notes percentiles of too few requests, and forbids cells never measured', () => {
    expect(lines(runOf('rr', { requests: 60 }), runOf('kv', { requests: 60 }))).toEqual([
      'note percentile-unsupported: fewer than 100 ok requests in a trial',
      'note percentile-unsupported: fewer than 100 ok requests in a trial',
    ]);
    const stopped = withRun(KV, {
      status: 'interrupted',
      trials: KV.run.trials.filter((trial) => trial.id.startsWith('p2-')),
    });
    expect(lines(RR, stopped)).toEqual([
      'forbid run-incomplete: the run is interrupted: 1 of 2 cells were never measured',
      'caution cells-differ: 1 cell was measured by only one of them',
    ]);
  });

  it('mentions other versions and another reading of cached tokens', () => {
    const other = withRun(withTarget(KV, { cached_tokens: 'omits-zero' }), {
      provenance: { ...KV.run.provenance, kvbench: '0.2.0', host: 'elsewhere' },
    });
    expect(lines(RR, other)).toEqual([
      'caution versions-differ: kvbench: 0.1.0 and 0.2.0; host: host and elsewhere',
      'caution reading-differs: cached_tokens: reported and omits-zero',
    ]);
  });

  it('warns when more than the router mode changed in the record', () => {
    const record = (image: string) => buildExperimentRecord({ image, gpu: 'L4' });
    expect(lines(withRun(RR, { record: record('a:1') }), withRun(KV, { record: record('a:1') }))).toEqual([]);
    expect(lines(withRun(RR, { record: record('a:1') }), withRun(KV, { record: record('a:2') }))).toEqual([
      'caution conditions-changed: 2 recorded conditions changed: router-mode: rr and kv; image: a:1 and a:2',
    ]);
    expect(lines(withRun(RR, { record: record('a:1') }), KV)[0]).toBe(
      'caution conditions-changed: 3 recorded conditions changed: router-mode: rr and kv; image: a:1 and not stated; gpu: L4 and not stated',
    );
  });

  it('says what had to be left out to read a run, and puts what forbids first', () => {
    const cut = { ...withTarget(KV, { model: 'x' }), notes: [trialEvidence('last-line-cut', { line: 80 })] };
    expect(lines(RR, cut)).toEqual([
      'forbid model-differs: model: m and x',
      'note read-with-loss: requests.jsonl: its last line (80) is cut short, 1 record left out',
    ]);
  });
});

describe('isForbidden', () => {
  it('lets cautions and notes pass', () => {
    expect(isForbidden(findingsOf(RR, runOf('kv', { salt: 'x' })))).toBe(false);
    expect(isForbidden(findingsOf(RR, withTarget(KV, { model: 'x' })))).toBe(true);
  });
});
