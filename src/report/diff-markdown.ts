import type { Comparison } from '../core/compare/comparison.js';
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
import { type DiffView, describePlaces, groupFindings, seenInFirst } from './diff-text.js';
import { formatSigned } from './format.js';
import { markdownTable } from './markdown.js';
import { EN } from './messages/en.js';

/** A comparison as Markdown, for a pull request or an experiment report. */
export function renderDiffMarkdown(comparison: Comparison, view: DiffView): string {
  const several = comparison.candidates.length > 1;
  const parts = [
    `## ${comparison.sides.map((side) => side.label).join(' → ')}`,
    ...renderFindings(comparison),
    ...comparison.candidates.map((_, c) => renderTable(buildVerdictCounts(comparison, c))),
    ...(several ? [...buildSideBySide(comparison, view.measures).map(renderTable), MARKS_LEGEND] : []),
    ...comparison.candidates.flatMap((candidate, c) => [
      ...(several ? [`### ${candidate.label}`] : []),
      ...buildChanges(comparison, c, view.measures).map(renderTable),
    ]),
    ...[buildLostHits(comparison), buildCapacityCeiling(comparison), buildLoad(comparison)].flatMap(
      (table) => (table === null ? [] : renderTable(table)),
    ),
    ...(view.workers ? buildWorkerPrefixCounts(comparison).map(renderTable) : []),
    ...comparison.candidates.flatMap(({ label, explanations }) =>
      explanations.length === 0
        ? []
        : [
            `### Why ${label} is not (more) different`,
            explanations
              .map(
                ({ code, evidence, where }) =>
                  `- **${code}**${describePlaces(where)}: ${seenInFirst(where, describeEvidence(evidence, EN.evidence))}. *${EN.reasons[code].advice}*`,
              )
              .join('\n'),
          ],
    ),
    ...renderGates(view),
    describeMethod(comparison),
  ];
  return `${parts.join('\n\n')}\n`;
}

function renderFindings({ findings }: Comparison): string[] {
  const lines = groupFindings(findings).map(
    ({ severity, code, sides, where, evidence }) =>
      `- **${severity === 'forbid' ? 'Forbids comparison' : severity === 'caution' ? 'Caution' : 'Note'}: ${code}** (${sides.join(', ')})${describePlaces(where)}: ${describeEvidence(evidence, EN.evidence)}. *${EN.findings.codes[code].advice}*`,
  );
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function renderGates({ gates }: DiffView): string[] {
  const lines = gates.map(({ rule, broken, judged }) => {
    if (judged === 0) return `- **failed** \`${rule.text}\`: no change to hold it against`;
    if (broken.length === 0) return `- passed \`${rule.text}\``;
    const places = broken.map(
      ({ candidate, cell, change }) =>
        `${candidate} ${cell} ${formatSigned(change.change ?? 0)} ${change.unit}`,
    );
    return `- **failed** \`${rule.text}\`: ${places.join('; ')}`;
  });
  return lines.length === 0 ? [] : [lines.join('\n')];
}

function renderTable(table: DiffTable): string {
  const notes = table.notes.map((note) => `*${note}*`);
  return [`**${table.title}**`, markdownTable(table.head, table.rows), ...notes].join('\n\n');
}
