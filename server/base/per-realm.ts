/** Values that exist once for each realm, so that nothing of one realm is used for the other. */

import { RequestError } from './http/errors.ts';
import type { InRealm } from './realm.ts';

/** A request of test mode at a gateway that names no sandbox. */
export class TestModeOffError extends RequestError<'test_mode_off'> {
  override readonly name = 'TestModeOffError';

  constructor() {
    super(403, 'test_mode_off', 'This is a user of test mode, which is off at this gateway.');
  }
}

/** A value for each realm. It has no default: a caller says whose request it is for. */
export class PerRealm<T> {
  readonly #live: T;
  readonly #test: T | null;

  /** @param test null if the gateway names no sandbox. */
  constructor(live: T, test: T | null) {
    this.#live = live;
    this.#test = test;
  }

  /** @throws {TestModeOffError} */
  of(who: InRealm): T {
    const found = this.find(who);
    if (found === null) throw new TestModeOffError();
    return found;
  }

  /** Returns null if test mode is off. */
  find({ realm }: InRealm): T | null {
    return realm === 'live' ? this.#live : this.#test;
  }

  map<U>(convert: (of: T) => U): PerRealm<U> {
    return new PerRealm(convert(this.#live), this.#test === null ? null : convert(this.#test));
  }
}
