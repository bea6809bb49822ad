/** Which cases of a broad table run. */

import { IS_QUICK } from './num-runs.ts';

/**
 * Returns the first cases of a table whose rows all state one fact, in `npm test`; everywhere else, all of them. `.ci/run` runs every file that
 * imports this once more, with all cases.
 *
 * @param quick how many of them `npm test` runs.
 */
export function someOf<Case>(cases: readonly Case[], quick = 1): readonly Case[] {
  return IS_QUICK ? cases.slice(0, quick) : cases;
}
