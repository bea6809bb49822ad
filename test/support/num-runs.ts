/** How many cases a property test generates. */

/** True in `npm test`, false in `npm run test:all`, and if the command line selects the tests. */
export const IS_QUICK = process.env.QUICK === '1';

/** `whole` cases, or a fifth of them in `npm test`. */
export function numRuns(whole: number): number {
  return IS_QUICK ? Math.ceil(whole / 5) : whole;
}
