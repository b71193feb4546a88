import { usageError } from '../base/errors.js';
import { suggest } from '../base/suggest.js';
import { COMPARED_KEYS, type ComparedKey, measureOf } from '../measure/measures.js';
import type { Cell } from '../workload/plan.js';
import type { ChangeUnit, Comparison, MeasureChange } from './comparison.js';

/** What must not happen: `ttft_p99_ms>+10%`, `request_hit_rate<-2pp`, `ttft_p50_ms@p12-c8>=+5%`. */
export interface FailRule {
  /** As given. */
  readonly text: string;
  readonly measure: ComparedKey;
  /** `p12-c8`, `p12`, `c8` or `q20`; null for every cell. */
  readonly cell: string | null;
  readonly comparator: '>' | '>=' | '<' | '<=';
  /** In `unit`. */
  readonly limit: number;
  readonly unit: ChangeUnit;
}

/** What a rule says of a comparison. */
export interface FailResult {
  readonly rule: FailRule;
  /** Where it holds. */
  readonly broken: readonly {
    readonly candidate: string;
    readonly cell: string;
    readonly change: MeasureChange;
  }[];
  /** Changes that it could be held against; with none the gate cannot vouch for anything, and is shut. */
  readonly judged: number;
}

const FORM = /^\s*([a-z0-9_]+)\s*(?:@\s*([a-z0-9.-]+)\s*)?(>=|<=|>|<)\s*([+-]?\d+(?:\.\d+)?)\s*(%|pp)\s*$/i;
const HINT = "write it as 'ttft_p99_ms>+10%', 'request_hit_rate<-2pp' or 'ttft_p50_ms@p12-c8>+5%'";

/**
 * Reads `MEASURE[@CELL] COMPARATOR CHANGE UNIT`: the unit is % for times and throughput and pp (points) for rates.
 *
 * @throws KvbenchError (exit code 2) for anything else.
 */
export function parseFailRule(text: string): FailRule {
  const match = FORM.exec(text);
  if (match === null) throw usageError('fail-on', `--fail-on: cannot read "${text}"`, HINT);
  const [, name = '', cell, comparator = '', limit, unit] = match;
  const measure = COMPARED_KEYS.find((known) => known === name.toLowerCase());
  if (measure === undefined) {
    const near = suggest(name, COMPARED_KEYS);
    throw usageError(
      'fail-on',
      `--fail-on: there is no compared measure "${name}"`,
      near === null ? `there are ${COMPARED_KEYS.join(', ')}` : `did you mean "${near}"?`,
    );
  }
  const expected: ChangeUnit = measureOf(measure).scale === 'points' ? 'pp' : '%';
  if (unit?.toLowerCase() !== expected) {
    throw usageError('fail-on', `--fail-on: changes of ${measure} are in ${expected}, got "${text}"`, HINT);
  }
  return {
    text,
    measure,
    cell: cell?.toLowerCase() ?? null,
    comparator: comparator as FailRule['comparator'],
    limit: Number(limit),
    unit: expected,
  };
}

/**
 * Holds every rule against every candidate and cell. A change breaks a rule when it is beyond the limit and, where there
 * is a verdict, statistically significant: noise does not fail a build. Where there is none (grid.csv alone, a single
 * repeat) the change itself decides.
 */
export function judgeFailRules(rules: readonly FailRule[], comparison: Comparison): FailResult[] {
  return rules.map((rule) => {
    const changes = comparison.cells.flatMap(({ cell, candidates }) =>
      !isMeant(rule, cell)
        ? []
        : candidates.flatMap((own, c) => {
            const change = own?.changes.find(({ measure }) => measure === rule.measure);
            const candidate = comparison.candidates[c]?.label ?? '';
            return change === undefined || change.change === null
              ? []
              : [{ candidate, cell: cell.id, change, value: change.change }];
          }),
    );
    const broken = changes.filter(
      ({ change, value }) => change.verdict !== 'not distinguishable' && isBeyond(rule, value),
    );
    return {
      rule,
      broken: broken.map(({ candidate, cell, change }) => ({ candidate, cell, change })),
      judged: changes.length,
    };
  });
}

/** Whether a gate with these results is shut. */
export function isShut(results: readonly FailResult[]): boolean {
  return results.some((result) => result.broken.length > 0 || result.judged === 0);
}

function isMeant(rule: FailRule, cell: Cell): boolean {
  if (rule.cell === null || rule.cell === cell.id.toLowerCase()) return true;
  const [point = ''] = cell.id.split('/');
  return [cell.group?.toLowerCase(), ...point.split('-')].includes(rule.cell);
}

function isBeyond({ comparator, limit }: FailRule, change: number): boolean {
  switch (comparator) {
    case '>':
      return change > limit;
    case '>=':
      return change >= limit;
    case '<':
      return change < limit;
    case '<=':
      return change <= limit;
  }
}
