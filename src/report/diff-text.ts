import type { Comparison } from '../core/compare/comparison.js';
import type { ComparisonFinding } from '../core/compare/comparison-findings.js';
import type { FailResult } from '../core/compare/fail-rule.js';
import type { MeasureKey } from '../core/measure/measures.js';
import { describeEvidence } from './describe-evidence.js';
import {
  buildCapacityCeiling,
  buildChanges,
  buildLoad,
  buildLostHits,
  buildSideBySide,
  buildVerdictCounts,
  buildWorkerPrefixCounts,
  type DiffTable,
  describeMethod,
  MARKS_LEGEND,
} from './diff-tables.js';
import { formatSigned } from './format.js';
import { EN } from './messages/en.js';
import { textTable } from './text-table.js';

/** What of a comparison is shown. */
export interface DiffView {
  readonly measures: readonly MeasureKey[];
  /** The requests of every worker and prefix, too. */
  readonly workers: boolean;
  readonly gates: readonly FailResult[];
}

/** A comparison as plain text for 80 columns: what forbids it, verdicts, changes, why. */
export function renderDiffText(comparison: Comparison, view: DiffView): string {
  const several = comparison.candidates.length > 1;
  const parts = [
    renderSides(comparison),
    ...groupFindings(comparison.findings).map(renderFinding),
    ...comparison.candidates.map((_, c) => renderTable(buildVerdictCounts(comparison, c))),
    ...(several
      ? [...buildSideBySide(comparison, view.measures).map(renderTable), `  ${MARKS_LEGEND}`]
      : comparison.candidates.flatMap((_, c) => buildChanges(comparison, c, view.measures).map(renderTable))),
    ...[buildLostHits(comparison), buildCapacityCeiling(comparison), buildLoad(comparison)].flatMap(
      (table) => (table === null ? [] : renderTable(table)),
    ),
    ...(view.workers ? buildWorkerPrefixCounts(comparison).map(renderTable) : []),
    ...comparison.candidates.flatMap((_, c) => renderReasons(comparison, c)),
    ...view.gates.map(renderGate),
    wrap(describeMethod(comparison), ''),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderSides({ sides }: Comparison): string {
  return sides
    .map((side, index) => {
      const size =
        side.repeats === null
          ? 'grid.csv alone'
          : `${side.repeats} x ${side.requests} requests, ${side.model}`;
      return `${index === 0 ? 'baseline ' : 'candidate'}  ${side.label}: ${side.source} (${size})`;
    })
    .join('\n');
}

function renderTable(table: DiffTable): string {
  const notes = table.notes.map((note) => wrap(note, '  '));
  return [table.title, textTable(table.head, table.rows, table.nameColumns), ...notes].join('\n');
}

/** One finding for each thing seen, with every side that it is about. */
export function groupFindings(findings: readonly ComparisonFinding[]): ComparisonFinding[] {
  const groups = new Map<string, ComparisonFinding>();
  for (const finding of findings) {
    const key = JSON.stringify([finding.code, finding.evidence, finding.where]);
    const known = groups.get(key);
    const sides = [...new Set([...(known?.sides ?? []), ...finding.sides])];
    groups.set(key, { ...finding, sides });
  }
  return [...groups.values()];
}

const LABELS = { forbid: 'FORBIDS COMPARISON', caution: 'CAUTION', note: 'NOTE' } as const;
/** Places named before the rest are counted. */
const PLACES_SHOWN = 6;

/** ` in p2-c4, p7-c4 and 3 more`; empty for none. */
export function describePlaces(where: readonly string[]): string {
  const places = [...new Set(where)];
  if (places.length === 0) return '';
  const rest = places.length - PLACES_SHOWN;
  return ` in ${places.slice(0, PLACES_SHOWN).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

/** What was seen in the first of several places says where that was. */
export function seenInFirst(where: readonly string[], seen: string): string {
  return where.length > 1 ? `${where[0]}: ${seen}` : seen;
}

function renderFinding(finding: ComparisonFinding): string {
  return [
    wrap(
      `${LABELS[finding.severity]} ${finding.code} (${finding.sides.join(', ')})${describePlaces(finding.where)}`,
      '',
    ),
    wrap(describeEvidence(finding.evidence, EN.evidence), '  '),
    wrap(`-> ${EN.findings.codes[finding.code].advice}`, '  '),
  ].join('\n');
}

function renderReasons({ sides, candidates }: Comparison, candidate: number): string[] {
  const { label = '', explanations = [] } = candidates[candidate] ?? {};
  if (explanations.length === 0) return [];
  const lines = explanations.map(({ code, evidence, where }) =>
    [
      wrap(`${code}${describePlaces(where)}`, '  '),
      wrap(seenInFirst(where, describeEvidence(evidence, EN.evidence)), '    '),
      wrap(`-> ${EN.reasons[code].advice}`, '    '),
    ].join('\n'),
  );
  return [[`Why ${label} is not (more) different from ${sides[0]?.label}`, ...lines].join('\n')];
}

function renderGate({ rule, broken, judged }: FailResult): string {
  if (judged === 0) return `FAILED --fail-on ${rule.text}: no change to hold it against`;
  if (broken.length === 0) return `passed --fail-on ${rule.text}: ${judged} changes held against it`;
  const lines = broken.map(
    ({ candidate, cell, change }) =>
      `  ${candidate} ${cell}: ${formatSigned(change.change ?? 0)} ${change.unit}${change.verdict === null ? ' (no verdict)' : ''}`,
  );
  return [`FAILED --fail-on ${rule.text}`, ...lines].join('\n');
}

const WIDTH = 80;

/** Breaks a text between words, every line indented, those after the first a little more. */
function wrap(text: string, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const next = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
    if (next.length <= WIDTH || line.trim() === '') line = next;
    else {
      lines.push(line);
      line = `${indent}  ${word}`;
    }
  }
  return [...lines, line].join('\n');
}
