/** Prints measurements: medians and tables for a terminal, or for `docs/explanations/performance.md`. */

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

/** Prints one table. */
export type Print = (section: Section) => void;

export interface Section {
  /** Name of the markers around the table in the documentation. */
  readonly name: string;
  readonly title: string;
  readonly table: Table;
  /** A sentence below the table. */
  readonly note?: string;
}

/** @param markdown true: prints tables with the documentation's markers around them. */
export function createPrint(markdown: boolean): Print {
  return ({ name, title, table, note }) => {
    const below = note === undefined ? '' : `\n${markdown ? '\n' : ''}${note}`;
    const text = markdown
      ? `<!-- bench:${name} -->\n\n${title}:\n\n${toMarkdown(table)}${below}\n\n<!-- /bench:${name} -->`
      : `${title}\n${toText(table)}${below}`;
    process.stdout.write(`\n${text}\n`);
  };
}

/** @returns the middle of the sorted values, or the mean of the two in the middle; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** @returns the median of the ratios of each round; NaN if there is nothing to compare with. */
export function medianRatio(values: readonly number[], bases: readonly number[]): number {
  return median(values.map((value, round) => value / (bases[round] ?? Number.NaN)));
}

/** The median with minimum and maximum, such as `24 (22-31)`. */
export function withRange(values: readonly number[], digits: number): string {
  const middle = median(values).toFixed(digits);
  return values.length < 2
    ? middle
    : `${middle} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;
}

/** The value below which this share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}
