/** Finds import cycles. */

import type { ImportArrow } from './rules.ts';

/** The strongly connected components of more than one file (Tarjan 1972), each sorted. */
export function findCycles(arrows: readonly Pick<ImportArrow, 'from' | 'to'>[]): string[][] {
  const targets = Map.groupBy(arrows, ({ from }) => from);
  const low = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (file: string): number => {
    const known = low.get(file);
    if (known !== undefined) return known;
    const index = low.size;
    low.set(file, index);
    open.push(file);
    const lowest = Math.min(index, ...(targets.get(file) ?? []).map(({ to }) => visit(to)));
    low.set(file, lowest);
    if (lowest < index) return lowest;
    const component = open.splice(open.indexOf(file));
    for (const closed of component) low.set(closed, Number.POSITIVE_INFINITY);
    if (component.length > 1) cycles.push(component.sort());
    return Number.POSITIVE_INFINITY;
  };
  for (const { from } of arrows) visit(from);
  return cycles;
}
