/** Helpers that the pages share: table cells with text of ours. */

import { markdownTable } from '../../codegen/emit/markdown.ts';

const CODE = /(`[^`]*`)/;
const SETTING = /(?<![`\w])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![`\w])/g;

/** Returns one line of Markdown: keeps links and code, marks names of settings as code, and escapes characters that would end the cell. */
export function cell(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  const segments = line.split(CODE);
  const escaped = segments.map((segment, index) =>
    index % 2 === 1 ? segment : segment.replaceAll(/[*<]/g, '\\$&').replaceAll(SETTING, '`$&`'),
  );
  return escaped.join('');
}

/** Returns a table of such cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${markdownTable(
    head,
    rows.map((cells) => cells.map(cell)),
  )}\n`;
}

export function code(text: string): string {
  return `\`${text}\``;
}
