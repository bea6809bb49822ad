/** The report as annotations that GitHub shows beside the changed lines. */

import { escapeInvisible } from '../../emit/literal.ts';
import { isGated } from '../levels.ts';
import { locateMember } from '../read/locate.ts';
import { RULES } from '../rules.ts';
import type { Change, ChangeGroup, Report } from '../types.ts';
import { figure, plural, toolsOf, valueText } from './words.ts';

/**
 * Workflow commands, one a line: `error` for what must be decided, `warning` for behaviour, `notice` for the rest.
 *
 * @param textOf Text of a file of the head, or null where it has none.
 */
export function formatGithub(report: Report, textOf: (file: string) => string | null): string {
  return report.groups.map((group) => `${annotation(group, textOf)}\n`).join('');
}

function annotation(group: ChangeGroup, textOf: (file: string) => string | null): string {
  const [first] = group.changes;
  if (first === undefined) return '';
  const { level, acknowledged, rule } = group;
  const command = isGated(level) && acknowledged === null ? 'error' : level === 'behaviour' ? 'warning' : 'notice';
  const { file, line } = placeOf(group, first, textOf);
  const properties = [`file=${property(file)}`, `line=${line}`, `title=${property(`${level}: ${RULES[rule].title}`)}`];
  return `::${command} ${properties.join(',')}::${data(message(group, first))}`;
}

/** A file that the head does not have is annotated where its service begins. */
function placeOf(group: ChangeGroup, { file, pointer }: Change, textOf: (file: string) => string | null) {
  const text = textOf(file);
  if (text === null) return { file: `generated/${group.service}/index.ts`, line: 1 };
  return { file, line: file.endsWith('.ts') ? locateMember(file, text, pointer ?? []) : 1 };
}

function message(group: ChangeGroup, { place, before, after, note }: Change): string {
  const tools = toolsOf(group);
  const where =
    tools.length > 1 ? `${tools[0]} and ${plural(tools.length - 1, 'other tool')}` : (tools[0] ?? group.service);
  const change =
    before === undefined
      ? valueText(after)
      : `${valueText(before)} -> ${after === undefined ? 'none' : valueText(after)}`;
  const why = RULES[group.rule].why;
  const places = group.changes.length > 1 ? ` (${figure(group.changes.length)} places)` : '';
  const end = group.acknowledged === null ? `fingerprint ${group.fingerprint}` : `acknowledged: ${group.acknowledged}`;
  return [`${where}: ${place}${places}: ${change}${note === undefined ? '' : ` (${note})`}`, why, end].join('\n');
}

function data(text: string): string {
  return text
    .split('\n')
    .map(escapeInvisible)
    .join('\n')
    .replaceAll('%', '%25')
    .replaceAll('\r', '%0D')
    .replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
