/** Untrusted text inside Markdown: shown literally, never as markup, a link target or HTML. */

import { escapeInvisible } from '../../shared/invisible.ts';

/**
 * One line of plain text: line ends become spaces, markup characters are escaped, invisible characters are shown.
 *
 * Escapes addresses too, because GitHub turns them into links (GitHub Flavored Markdown §6.9).
 */
export function markdownText(text: string): string {
  const line = escapeInvisible(
    text
      .replaceAll(/[\s\u2028\u2029]+/g, ' ')
      .trim()
      .replaceAll('\\', '\\\\'),
  );
  return line
    .replaceAll(/[`*_{}[\]|~$@]|\\(?=u)/g, '\\$&')
    .replaceAll(/:(?=\/\/)|(?<=(?:^|[^a-z0-9])www)\./gi, '\\$&')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/^(?:#{1,6}|[-+])(?=\s|$)|^-(?=[-\s]*$)/g, '\\$&')
    .replaceAll(/^(\d+)(?=[.)](?:\s|$))/g, '$1\\');
}

/** A code span that is also safe in a table cell. */
export function markdownCode(text: string): string {
  const line = escapeInvisible(text.replaceAll(/[\n\r\t]+/g, ' ')).replaceAll('|', '\\|');
  const longest = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 || line.trim() === '' ? ' ' : '';
  return fence + pad + line + pad + fence;
}

/** A table whose cells are already Markdown. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const rule = head.map((title) => (title.startsWith('Tokens') ? '---:' : '---'));
  return [line(head), line(rule), ...rows.map(line)].join('\n');
}
