/** The two realms of a gateway: the live one, and that of test mode, whose services are a sandbox. */

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
