/** A group of changes as the annotation formats need it: one line of a file, and a message. */

import { locateMember } from '../read/locate.ts';
import { RULES } from '../rules.ts';
import type { Change, ChangeGroup } from '../types.ts';
import { figure, plural, toolsOf, valueText } from './words.ts';

/** If the head does not have the file, the annotation goes to the top of the service's `index.ts`. */
export function placeOf(group: ChangeGroup, { file, pointer }: Change, textOf: (file: string) => string | null) {
  const text = textOf(file);
  if (text === null) return { file: `generated/${group.service}/index.ts`, line: 1 };
  return { file, line: file.endsWith('.ts') ? locateMember(file, text, pointer ?? []) : 1 };
}

/** Tool, place and values; why it matters; the fingerprint or the reason of its acknowledgement. */
export function messageOf(group: ChangeGroup, { place, before, after, note }: Change): string {
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
