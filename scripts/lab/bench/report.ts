/** A measured table, and the figures in it: medians of all rounds. */

import type { Table } from '../table.ts';

export interface Section {
  /** Name of the markers around the table in the documentation. */
  readonly name: string;
  readonly title: string;
  readonly table: Table;
  /** A sentence below the table. */
  readonly note?: string;
}

/** @returns the middle of the sorted values, or the mean of the two in the middle; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? Number.NaN) + (sorted[middle] ?? Number.NaN)) / 2;
}

/** The median with minimum and maximum, such as `24 (22-31)`. */
export function withRange(values: readonly number[], digits: number): string {
  const middle = median(values).toFixed(digits);
  return values.length < 2
    ? middle
    : `${middle} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;
}
