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
export function selectScopes(
  alwaysRequested: readonly string[],
  needs: readonly (readonly (readonly string[])[])[],
): readonly string[] {
  const requested = new Set(alwaysRequested);
  const countNewScopes = (alternative: readonly string[]) =>
    alternative.filter((scope) => !requested.has(scope)).length;
  for (const alternatives of needs.toSorted((a, b) => a.length - b.length)) {
    const [first = [], ...otherAlternatives] = alternatives;
    const cheapest = otherAlternatives.reduce(
      (best, each) => (countNewScopes(each) < countNewScopes(best) ? each : best),
      first,
    );
    for (const scope of cheapest) requested.add(scope);
  }
  const alwaysScopes = [...new Set(alwaysRequested)];
  return [...alwaysScopes, ...[...requested].filter((scope) => !alwaysScopes.includes(scope)).sort(byCodeUnit)];
}
