/** Writes CSV (RFC 4180) that spreadsheets show as text and never run. */

type Row = Readonly<Record<string, string | number | null>>;

/** Characters with which a spreadsheet begins a formula, also behind spaces and in their full-width forms. */
const FORMULA = /^\s*[=+\-@|%\uFF1D\uFF0B\uFF0D\uFF20]|^[\t\r\n]/;

/**
 * Writes the rows below a line with the names of their columns.
 *
 * @param notes last lines, each with one cell.
 */
export function toCsv(columns: readonly string[], rows: readonly Row[], notes: readonly string[]): string {
  const cellsOf = (row: Row) => columns.map((name) => row[name] ?? null);
  const lines = [columns, ...rows.map(cellsOf), ...notes.map((note) => [note])];
  return lines.map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('');
}

function toCell(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = FORMULA.test(value) ? `'${value}` : value;
  return `"${text.replaceAll('"', '""')}"`;
}
