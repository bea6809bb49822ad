/** Table data: arrays of cells become objects keyed by column name. */

import type { RowsRule } from '../../../contract/index.ts';
import { readPointer, replaceAt } from '../json/pointer.ts';

/**
 * Copies the answer with its rows as objects, and keeps the column list.
 *
 * Returns the answer unchanged if column names are missing or repeated, or a row differs in length from the column
 * list.
 */
export function nameCells(answer: unknown, rule: RowsRule): unknown {
  const columns = readPointer(answer, rule.columns);
  const rows = readPointer(answer, rule.rows);
  if (!Array.isArray(columns) || !Array.isArray(rows)) return answer;
  const names = columns.map((column) => readPointer(column, rule.columnName));
  const distinct = names.every((name) => typeof name === 'string') && new Set(names).size === names.length;
  if (!distinct || !rows.every((row) => Array.isArray(row) && row.length === names.length)) return answer;
  const objects = rows.map((row: unknown[]) => Object.fromEntries(row.map((cell, index) => [names[index], cell])));
  return replaceAt(answer, rule.rows, objects);
}
