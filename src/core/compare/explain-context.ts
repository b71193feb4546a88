import type { RequestRecord } from '../answer/request-record.js';
import type { Evidence } from '../base/evidence.js';
import type { CacheFact, Reading } from '../measure/measures.js';
import type { ComparedMeasure } from './bootstrap.js';
import type { SideTrial } from './compared-variant.js';
import type { CandidateCell, CellSide, MeasureChange } from './comparison.js';
import type { ReasonCode } from './reasons.js';

/** One cell of both, as the rules look at it. */
export interface Scene {
  readonly baseline: Actor;
  readonly candidate: Actor;
  readonly changes: CandidateCell['changes'];
}

export interface Actor {
  readonly label: string;
  readonly side: CellSide;
  readonly reading: Reading;
  readonly trials: readonly SideTrial[];
  readonly ok: readonly RequestRecord[];
  readonly reported: readonly CacheFact[];
}

/** A reason with what was seen of it. */
export type Reason = readonly [ReasonCode, Evidence];

export type Rule = (scene: Scene) => Reason | null;

export function firstOf(scene: Scene, rules: readonly Rule[]): Reason[] {
  for (const rule of rules) {
    const reason = rule(scene);
    if (reason !== null) return [reason];
  }
  return [];
}

/** The first of the two that a test says something of. */
export function either(scene: Scene, test: (actor: Actor) => Evidence | null): Evidence | null {
  for (const actor of [scene.candidate, scene.baseline]) {
    const evidence = test(actor);
    if (evidence !== null) return labelled(actor, evidence);
  }
  return null;
}

/** Evidence of one side, in a sentence that does not name it. */
export function labelled({ label }: Actor, evidence: Evidence): Evidence {
  return { ...evidence, label };
}

export function rule(code: ReasonCode, evidence: Evidence | null): Reason | null {
  return evidence === null ? null : [code, evidence];
}

export function changeOf(scene: Scene, measure: ComparedMeasure): MeasureChange | undefined {
  return scene.changes.find((change) => change.measure === measure);
}

/** A share, or a part of a whole, for a sentence. */
export function percent(part: number, whole = 1): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
