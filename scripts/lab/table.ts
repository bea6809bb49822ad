/** Tables of measurements, for a terminal or for a page. */

/** Rows of cells; the first row holds the headings. */
export type Table = readonly (readonly string[])[];

/** Aligns columns with spaces, the first one left. */
export function toText(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ');
  return table.map(line).join('\n');
}

export function toMarkdown([heads = [], ...rows]: Table): string {
  const rule = heads.map((_, column) => (column === 0 ? '---' : '---:'));
  return [heads, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
