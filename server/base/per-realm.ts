/** Dependencies that exist once for live and once for test traffic, so that nothing of one is used for the other. */

import { RequestError } from './http/errors.ts';
import type { InRealm } from './realm.ts';

/** A request of test mode at a gateway that names no sandbox. */
export class TestModeOffError extends RequestError<'test_mode_off'> {
  override readonly name = 'TestModeOffError';

  constructor() {
    super(403, 'test_mode_off', 'This is a user of test mode, which is off at this gateway.');
  }
}

/** A pair of dependencies, one for each realm. There is no default: the caller names whose request it is. */
export class PerRealm<T> {
  readonly #live: T;
  readonly #test: T | null;

  /** @param test null if the gateway names no sandbox. */
  constructor(live: T, test: T | null) {
    this.#live = live;
    this.#test = test;
  }

  /** @throws {TestModeOffError} */
  of(owner: InRealm): T {
    const dependency = this.find(owner);
    if (dependency === null) throw new TestModeOffError();
    return dependency;
  }

  /** Returns null if test mode is off. */
  find({ realm }: InRealm): T | null {
    return realm === 'live' ? this.#live : this.#test;
  }

  map<U>(convert: (of: T) => U): PerRealm<U> {
    return new PerRealm(convert(this.#live), this.#test === null ? null : convert(this.#test));
  }
}
