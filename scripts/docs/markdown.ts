/** What the pages share: cells of tables whose text is ours. */

import { markdownTable } from '../../codegen/emit/markdown.ts';

const CODE = /(`[^`]*`)/;
const SETTING = /(?<![`\w])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+(?![`\w])/g;

/** One line of Markdown: links and code stay, names of settings become code, and nothing ends the cell. */
export function cell(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
  const parts = line.split(CODE);
  const shown = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replaceAll(/[*<]/g, '\\$&').replaceAll(SETTING, '`$&`'),
  );
  return shown.join('');
}

/** A table of such cells. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return `${markdownTable(
    head,
    rows.map((cells) => cells.map(cell)),
  )}\n`;
}

export function code(text: string): string {
  return `\`${text}\``;
}
