/** Medians, and ratios per round. */

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
