/** Checks the newest events of the audit trail. `utg audit verify` reads every event. */

import { type Check, type CheckResult, error, NO_STORE, ok, warning } from '../../base/checks.ts';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { Store } from '../../base/store/index.ts';
import type { CheckContext } from '../../module.ts';
import { loadAuditKeys } from './keys.ts';
import { readNewestEvents } from './read.ts';
import { findProblem } from './verify.ts';

const CHECKED_EVENTS = 500;

/** Returns the checks of the audit trail for `utg doctor`. */
export function checksOfAudit({ store, keys }: CheckContext): Check[] {
  const run = async () => {
    if (store === null) return NO_STORE;
    return keys === null ? [] : checkAuditTrail(store, keys);
  };
  return [{ name: 'audit trail', run }];
}

async function checkAuditTrail({ db }: Store, ring: readonly EncryptionKey[]): Promise<CheckResult[]> {
  const { keys, lost, isForeign } = await loadAuditKeys(db, ring);
  if (isForeign) {
    return [
      error('the audit trail is signed with keys that are not here', 'set ENCRYPTION_KEYS as the gateways have it'),
    ];
  }
  const events = await readNewestEvents(db, CHECKED_EVENTS);
  const problem = events.map((event) => findProblem(keys, event)).find((each) => each !== null);
  const findings: CheckResult[] = [];
  if (problem !== undefined) findings.push(error(problem, 'utg audit verify says which events are affected'));
  if (lost.length > 0) {
    const text = `events that were signed with the key ${lost.join(', ')} cannot be verified`;
    findings.push(warning(text, 'put that key back into ENCRYPTION_KEYS'));
  }
  if (findings.length > 0) return findings;
  if (events.length === 0) return [ok('the audit trail is empty')];
  return [ok(`newest audit events verified: ${events.length}`)];
}
