/** The two realms of a gateway: the live one, and that of test mode, whose services are a sandbox. Nothing of one is used for the other. */

import { RequestError } from './http/errors.ts';

/** A partner is of one realm from its first day to its last, and so is everything that it owns. */
export type Realm = 'live' | 'test';

/** Something that belongs to a realm. */
export interface InRealm {
  readonly realm: Realm;
}

/** @param testOf the column of a partner's row. */
export function realmOf(testOf: string | null): Realm {
  return testOf === null ? 'live' : 'test';
}

/** Follows the `client_id` of a partner in that of its test partner. `parseClientId` lets no other partner have it. */
const SUFFIX = '~test';

/** The `client_id` of the test partner. @param clientId of either of the two. */
export function testClientId(clientId: string): string {
  return liveClientId(clientId) + SUFFIX;
}

/** The `client_id` by which rules of the operator name a partner: a test partner obeys those of the live one. */
export function liveClientId(clientId: string): string {
  return clientId.endsWith(SUFFIX) ? clientId.slice(0, -SUFFIX.length) : clientId;
}

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
