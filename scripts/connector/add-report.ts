/** The texts with which `utg add` and `utg update` say what was refused, and why: grouped, and counted. */

import type { Diagnostic } from '../../codegen/diagnostics.ts';
import { formatPlace } from '../../codegen/diagnostics.ts';
import { toShortText } from '../../codegen/tools/words/texts.ts';
import { UTG } from '../../shared/cli/run.ts';
import { escapeInvisible } from '../../shared/invisible.ts';
import { toCount } from './proposals/draft.ts';
import type { Unfollowed } from './references/gather.ts';

const MAX_GROUPS = 5;
const MAX_CODES = 12;
const MAX_TEXT_CHARS = 200;

/** The result of a command: everything was done, only a part, or nothing that can be used. */
export type Outcome = 'whole' | 'partial' | 'failed';

/** Returns one line for each reason why references were not followed. The text is empty if all were followed. */
export function formatUnfollowed(unfollowed: readonly Unfollowed[]): string {
  const groups = [...Map.groupBy(unfollowed, ({ reason }) => reason)].sort(([, a], [, b]) => b.length - a.length);
  const lines = groups.slice(0, MAX_GROUPS).map(([reason, [first, ...others]]) => {
    const ref = `$ref ${JSON.stringify(first?.location)}`;
    return others.length === 0
      ? `${ref} is left as it is: ${reason}.\n`
      : `${ref} and ${toCount(others.length, 'other')} are left as they are: ${reason}.\n`;
  });
  const rest = groups.slice(MAX_GROUPS).reduce((sum, [, group]) => sum + group.length, 0);
  if (rest > 0) lines.push(`${toCount(rest, 'more reference')} for other reasons.\n`);
  return lines.join('');
}

/** Words of a reason that differ from operation to operation: quoted names, paths, placeholders, names in backticks. */
const NAMES =
  /"[^"]*"|`[^`]*`|\{[^}]*\}|\b(?:GET|PUT|POST|DELETE|OPTIONS|HEAD|PATCH|TRACE|QUERY) \/\S*|\bpaths\/\S+|\d+/g;

/** Returns each reason with its count, the most common first, in the words of its first case. Reasons that differ only in names count as one. */
export function formatReasons(reasons: readonly string[]): string {
  const groups = [...Map.groupBy(reasons, (reason) => reason.replaceAll(NAMES, '…')).values()];
  groups.sort((a, b) => b.length - a.length);
  const lines = groups.slice(0, MAX_GROUPS).map(([first = '', ...others]) => {
    const text = escapeInvisible(toShortText(first, MAX_TEXT_CHARS));
    return others.length === 0 ? `  1: ${text}\n` : `  ${others.length + 1}, such as: ${text}\n`;
  });
  const rest = groups.length - lines.length;
  if (rest > 0) lines.push(`  and ${toCount(rest, 'other reason')}\n`);
  return lines.join('');
}

/** Returns a table of warnings: the number of each code, and the first of them. It is empty without warnings. Notes are left out. */
export function formatWarnings(diagnostics: readonly Diagnostic[], service: string): string {
  const warnings = diagnostics.filter(({ severity }) => severity === 'warning');
  if (warnings.length === 0) return '';
  const groups = [...Map.groupBy(warnings, ({ code }) => code)].sort(([, a], [, b]) => b.length - a.length);
  const width = Math.max(...groups.map(([, group]) => String(group.length).length));
  const lines = groups.slice(0, MAX_CODES).map(([code, group]) => {
    const [first] = group;
    const position = first === undefined ? '' : formatPlace(first);
    const message = escapeInvisible(toShortText(first?.message ?? '', MAX_TEXT_CHARS));
    return `  ${String(group.length).padStart(width)} ${code}${group.length === 1 ? '' : ', first'}: ${position} ${message}\n`;
  });
  const rest = groups.length - lines.length;
  if (rest > 0) lines.push(`  and ${toCount(rest, 'other code')}\n`);
  return `${toCount(warnings.length, 'warning')} (${UTG} codegen ${service} --verbose prints all, with what to do):\n${lines.join('')}`;
}
