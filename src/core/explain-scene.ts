import type { ComparedMeasure } from './bootstrap.js';
import type { CandidateCell, CellSide, MeasureChange } from './comparison.js';
import type { CacheFact, Reading } from './measures.js';
import type { ReasonCode } from './reasons.js';
import type { RequestRecord } from './record.js';
import type { SideTrial } from './side.js';

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

export type Rule = (scene: Scene) => readonly [ReasonCode, string] | null;

export function firstOf(scene: Scene, rules: readonly Rule[]): [ReasonCode, string][] {
  for (const rule of rules) {
    const reason = rule(scene);
    if (reason !== null) return [[...reason]];
  }
  return [];
}

/** The first of the two that a test says something of. */
export function either(scene: Scene, test: (actor: Actor) => string | null): string | null {
  for (const actor of [scene.candidate, scene.baseline]) {
    const seen = test(actor);
    if (seen !== null) return `${actor.label}: ${seen}`;
  }
  return null;
}

export function rule(code: ReasonCode, seen: string | null): readonly [ReasonCode, string] | null {
  return seen === null ? null : [code, seen];
}

export function changeOf(scene: Scene, measure: ComparedMeasure): MeasureChange | undefined {
  return scene.changes.find((change) => change.measure === measure);
}
