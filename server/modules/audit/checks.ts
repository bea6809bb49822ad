/** Checks whether the audit trail ends as it was signed. `utg audit verify` reads every event. */

import { type Check, count, error, NO_STORE, ok, type Seen, warning } from '../../base/checks.ts';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { Store } from '../../base/store/index.ts';
import type { CheckContext } from '../../module.ts';
import { REGISTER } from './append.ts';
import { loadAuditKeys } from './keys.ts';
import { type AuditKeys, checkChain } from './signing.ts';
import type { AuditChainsTable } from './tables.ts';

/** What `utg doctor` checks of the audit trail. */
export function checksOfAudit({ store, keys }: CheckContext): Check[] {
  const run = async () => (store === null ? NO_STORE : keys === null ? [] : checkAuditTrail(store, keys));
  return [{ name: 'audit trail', run }];
}

/** Reads two rows per chain, however long the chain is. */
async function checkAuditTrail(store: Store, keys: readonly EncryptionKey[]): Promise<Seen[]> {
  const { keys: signing, lost, isForeign } = await loadAuditKeys(store.db, keys);
  if (isForeign) {
    return [
      error('the audit trail is signed with keys that are not here', 'set ENCRYPTION_KEYS as the gateways have it'),
    ];
  }
  const chains = await store.db.selectFrom('audit_chains').selectAll().orderBy('number').execute();
  const found = await Promise.all(chains.map((chain) => problemOf(store, signing, chain)));
  const problems = found.filter((problem) => problem !== null);
  const own = chains.filter(({ number }) => number !== REGISTER).length;
  const registered = chains.find(({ number }) => number === REGISTER)?.head_seq ?? 0;
  if (own !== registered) problems.push(`${registered} chains are registered, but ${own} exist`);
  const fix = 'utg audit verify says which events are affected';
  const judged = problems.map((problem) => error(problem, fix));
  if (lost.length > 0) {
    const seen = `events that were signed with the key ${lost.join(', ')} cannot be verified`;
    judged.push(warning(seen, 'put that key back into ENCRYPTION_KEYS'));
  }
  if (own === 0 && judged.length === 0) return [ok('the audit trail is empty')];
  return judged.length > 0 ? judged : [ok(`${count(own, 'audit chain')} verified`)];
}

async function problemOf({ db }: Store, keys: AuditKeys, chain: AuditChainsTable): Promise<string | null> {
  const name = chain.number === REGISTER ? 'the register of chains' : `chain ${chain.number}`;
  if (checkChain(keys, chain) !== 'valid') return `the ends of ${name} do not match their signature`;
  if (chain.number === REGISTER || chain.head_seq === chain.base_seq) return null;
  const last = await db
    .selectFrom('audit_events')
    .select('chain_mac')
    .where('chain', '=', chain.number)
    .where('chain_seq', '=', chain.head_seq)
    .executeTakeFirst();
  return last?.chain_mac === chain.head_mac ? null : `the last event of ${name} is missing or was changed`;
}
