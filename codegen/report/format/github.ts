/** The report as annotations that GitHub shows next to the changed lines. */

import { escapeInvisible } from '../../emit/literal.ts';
import { isGated } from '../levels.ts';
import { RULES } from '../rules.ts';
import type { ChangeGroup, Report } from '../types.ts';
import { messageOf, placeOf } from './annotation.ts';

/**
 * Workflow commands, one on each line: `error` for changes that need a decision, `warning` for behaviour, `notice` for
 * the rest.
 *
 * @param textOf Text of a file of the head, or null if it has none.
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
  return `::${command} ${properties.join(',')}::${data(messageOf(group, first))}`;
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
