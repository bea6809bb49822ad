/** The report for programs: annotations of GitHub, and JSON. */

import { escapeInvisible } from '../../../shared/invisible.ts';
import { figure, plural } from '../../emit/figures.ts';
import { locateMember } from '../read/index.ts';
import { isGated, RULES } from '../rules.ts';
import type { Change, ChangeGroup, Report } from '../types.ts';
import { toolsOf, valueText } from './words.ts';

/** If the head does not have the file, the annotation goes to the top of the service's `index.ts`. */
function locate(group: ChangeGroup, { file, pointer }: Change, textOf: (file: string) => string | null) {
  const text = textOf(file);
  if (text === null) return { file: `generated/${group.service}/index.ts`, line: 1 };
  return { file, line: file.endsWith('.ts') ? locateMember(file, text, pointer ?? []) : 1 };
}

/** Tool, place and values; why it matters; the fingerprint or the reason of its acknowledgement. */
function messageOf(group: ChangeGroup, { place, before, after, note }: Change): string {
  const tools = toolsOf(group);
  const toolNames =
    tools.length > 1 ? `${tools[0]} and ${plural(tools.length - 1, 'other tool')}` : (tools[0] ?? group.service);
  const change =
    before === undefined
      ? valueText(after)
      : `${valueText(before)} -> ${after === undefined ? 'none' : valueText(after)}`;
  const why = RULES[group.rule].why;
  const placeCount = group.changes.length > 1 ? ` (${figure(group.changes.length)} places)` : '';
  const end = group.acknowledged === null ? `fingerprint ${group.fingerprint}` : `acknowledged: ${group.acknowledged}`;
  return [`${toolNames}: ${place}${placeCount}: ${change}${note === undefined ? '' : ` (${note})`}`, why, end].join(
    '\n',
  );
}

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
  const { file, line } = locate(group, first, textOf);
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

/**
 * `{ version: 2, base, head, open, services, groups, costs, newTexts, stale, usage }`; a value that did not exist is
 * missing.
 *
 * Members may be added; an existing member keeps its meaning within a version.
 */
export function formatJson(report: Report): string {
  const { base, head, undecided, services, groups, costs, newTexts, stale, requests, usage } = report;
  const groupEntries = groups.map(({ changes, ...group }) => ({
    ...group,
    title: RULES[group.rule].title,
    changes: changes.map(({ rule, tool, place, before, after, note, file, pointer, fingerprint, acknowledged }) => ({
      rule,
      tool,
      place,
      before,
      after,
      note,
      file,
      pointer,
      fingerprint,
      acknowledged,
    })),
  }));
  const output = {
    version: 2,
    base,
    head,
    open: undecided,
    services,
    groups: groupEntries,
    costs,
    newTexts,
    stale,
    usage,
  };
  return `${JSON.stringify(requests === null ? output : { ...output, requests }, null, 2)}\n`;
}
