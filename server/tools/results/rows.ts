/** Table data: arrays of cells become objects keyed by column name. */

import type { RowsRule } from '../../contract/index.ts';
import { readPointer, replaceAt } from '../json/pointer.ts';

/**
 * A copy of the answer with its rows as objects, next to the column list as it came.
 *
 * Left as it is when the columns have no distinct names, or a row is not as long as the column list.
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
