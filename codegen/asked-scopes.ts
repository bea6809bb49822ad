/** The OAuth 2.0 scopes that a connection requests from its user: only what the tools need. */

import { byCodeUnit } from './json.ts';

/**
 * Returns the scopes that are always requested, followed by those of the tools, sorted.
 *
 * If a tool has alternatives, takes the alternative that adds the fewest scopes to those that other tools already need; on a tie, the first. The
 * gateway follows the same rule.
 *
 * @param needs the alternatives of each tool. The list is empty for a tool that needs no scope.
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
  const alwaysAsked = [...new Set(always)];
  return [...alwaysAsked, ...[...asked].filter((scope) => !alwaysAsked.includes(scope)).sort(byCodeUnit)];
}
