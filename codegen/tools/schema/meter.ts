/** A wall against schemas that are small in the descriptor and endless when they are written out. */

import type { Schema } from '../../model/types.ts';
import type { Resolve } from './readers.ts';

/** References that one tool may follow: a hundred times the most that any of 3,000 published operations needed (DocuSign's, 5,235). */
const MAX_FOLLOWED = 500_000;

/** One operation needs more steps than any should. */
export class TooLargeError extends Error {
  override name = 'TooLargeError';
}

interface Meter {
  readonly resolve: Resolve;
  /** Begins the count of another tool. */
  restart(): void;
}

/** Counts what is followed: nothing grows without bounds but along references. @throws {TooLargeError} in `resolve` */
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
