import type { RequestRecord } from '../answer/request-record.js';
import type { Evidence } from '../base/evidence.js';
import type { CacheRules } from '../measure/cache-counts.js';
import type { ComparedKey } from '../measure/measures.js';
import type { CacheFact } from '../measure/trial-facts.js';

import type { ComparedTrial } from './compared-variant.js';
import type { CandidateCell, MeasureChange, VariantCell } from './comparison.js';
import type { ReasonCode } from './reasons.js';

/** One cell of both, as the rules look at it. */
export interface ExplainedCell {
  readonly baseline: ExplainedVariant;
  readonly candidate: ExplainedVariant;
  readonly changes: CandidateCell['changes'];
}

export interface ExplainedVariant {
  readonly label: string;
  readonly side: VariantCell;
  readonly rules: CacheRules;
  readonly trials: readonly ComparedTrial[];
  readonly ok: readonly RequestRecord[];
  readonly reported: readonly CacheFact[];
}

/** A reason with what was seen of it. */
export type Reason = readonly [ReasonCode, Evidence];

export type ReasonRule = (scene: ExplainedCell) => Reason | null;

export function firstOf(scene: ExplainedCell, rules: readonly ReasonRule[]): Reason[] {
  for (const rule of rules) {
    const reason = rule(scene);
    if (reason !== null) return [reason];
  }
  return [];
}

/** The first of the two that a test says something of. */
export function either(
  scene: ExplainedCell,
  test: (actor: ExplainedVariant) => Evidence | null,
): Evidence | null {
  for (const actor of [scene.candidate, scene.baseline]) {
    const evidence = test(actor);
    if (evidence !== null) return labelled(actor, evidence);
  }
  return null;
}

/** Evidence of one side, in a sentence that does not name it. */
export function labelled({ label }: ExplainedVariant, evidence: Evidence): Evidence {
  return { ...evidence, label };
}

export function reasonIf(code: ReasonCode, evidence: Evidence | null): Reason | null {
  return evidence === null ? null : [code, evidence];
}

export function changeOf(scene: ExplainedCell, measure: ComparedKey): MeasureChange | undefined {
  return scene.changes.find((change) => change.measure === measure);
}

/** A share, or a part of a whole, for a sentence. */
export function percent(part: number, whole = 1): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
