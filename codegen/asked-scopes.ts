/** The OAuth 2.0 scopes that a connection asks its user for: what the tools need, and no more. */

import { byCodeUnit } from './json.ts';

/**
 * Those that are always asked for, then those of the tools, sorted.
 *
 * Of a tool's alternatives, the one is taken that adds least to what the others need anyway; of those that add the same,
 * the first. The gateway asks in the same way.
 *
 * @param needs the alternatives of each tool; none for a tool that needs no scope.
 */
export function askedScopes(
  always: readonly string[],
  needs: readonly (readonly (readonly string[])[])[],
): readonly string[] {
  const asked = new Set(always);
  const added = (alternative: readonly string[]) => alternative.filter((scope) => !asked.has(scope)).length;
  for (const alternatives of needs.toSorted((a, b) => a.length - b.length)) {
    const [first = [], ...others] = alternatives;
    const least = others.reduce((best, each) => (added(each) < added(best) ? each : best), first);
    for (const scope of least) asked.add(scope);
  }
  const own = [...new Set(always)];
  return [...own, ...[...asked].filter((scope) => !own.includes(scope)).sort(byCodeUnit)];
}
