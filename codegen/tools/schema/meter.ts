/** A limit for schemas that are small in the descriptor and endless when written out. */

import type { Schema } from '../../model/types.ts';
import type { Resolve } from './readers.ts';

/** References that one tool may follow: a hundred times the most that any of 3,000 published operations needed (DocuSign's, 5,235). */
const MAX_FOLLOWED = 500_000;

/** Thrown if one operation needs more steps than any should. */
export class TooLargeError extends Error {
  override name = 'TooLargeError';
}

export interface Meter {
  readonly resolve: Resolve;
  /** Starts the count for another tool. */
  restart(): void;
}

/**
 * Counts references that are followed: only along them can a schema grow without bounds. @throws {TooLargeError} in
 * `resolve`
 */
export function createMeter(resolve: Resolve, maxFollowed = MAX_FOLLOWED): Meter {
  let followed = 0;
  return {
    resolve: (ref: string): Schema => {
      followed += 1;
      if (followed > maxFollowed)
        throw new TooLargeError(`has schemas that follow more than ${maxFollowed} references`);
      return resolve(ref);
    },
    restart: () => {
      followed = 0;
    },
  };
}
