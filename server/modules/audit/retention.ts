/** Removes the oldest audit events, and leaves a signed checkpoint in their chain. */

import { locksRows } from '../../base/store/conflicts.ts';
import type { Executor } from '../../base/store/schema.ts';
import { auditKeysOf, REGISTER } from './append.ts';
import { type AuditKeys, checkChain, checkEvent, sealChain } from './signing.ts';
import type { AuditChainsTable } from './tables.ts';

/**
 * Removes at most `limit` events that are older than `before` (milliseconds since 1970).
 *
 * A chain is shortened from its beginning, up to the first event that is younger or was tampered with: a forged time
 * must not get an event removed. Without keys, nothing is removed from a chain.
 *
 * @returns how many were removed.
 */
export async function removeAuditEvents(
  db: Executor,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<number> {
  let removed = await removeUnchained(db, before, limit);
  const keys = auditKeysOf(db);
  if (keys === undefined) return removed;
  const chains = await db.selectFrom('audit_chains').select('number').where('number', '>', REGISTER).execute();
  for (const { number } of chains) {
    if (removed >= limit) break;
    const shorten = { number, before, limit: limit - removed };
    removed += await db.transaction().execute((transaction) => shortenChain(transaction, keys, shorten));
  }
  return removed;
}

async function removeUnchained(db: Executor, before: number, limit: number): Promise<number> {
  const old = db
    .selectFrom('audit_events')
    .select('id')
    .where('chain', 'is', null)
    .where('created_at', '<', before)
    .orderBy('created_at')
    .limit(limit);
  const { numDeletedRows } = await db.deleteFrom('audit_events').where('id', 'in', old).executeTakeFirst();
  return Number(numDeletedRows);
}

async function shortenChain(
  transaction: Executor,
  keys: AuditKeys,
  { number, before, limit }: { number: number; before: number; limit: number },
): Promise<number> {
  const chain = await lockChain(transaction, number);
  if (chain === undefined || checkChain(keys, chain) !== 'valid') return 0;
  const events = await transaction
    .selectFrom('audit_events')
    .selectAll()
    .where('chain', '=', number)
    .orderBy('chain_seq')
    .limit(limit)
    .execute();
  let [seq, mac] = [chain.base_seq, chain.base_mac];
  for (const { chain_mac, ...event } of events) {
    const isNext = event.chain_seq === seq + 1 && event.created_at < before;
    if (!isNext || checkEvent(keys, event, chain_mac ?? '', mac) !== 'valid') break;
    [seq, mac] = [seq + 1, chain_mac ?? ''];
  }
  if (seq === chain.base_seq) return 0;
  await transaction.deleteFrom('audit_events').where('chain', '=', number).where('chain_seq', '<=', seq).execute();
  await transaction
    .updateTable('audit_chains')
    .set({ base_seq: seq, base_mac: mac, seal: sealChain(keys, { ...chain, base_seq: seq, base_mac: mac }) })
    .where('number', '=', number)
    .execute();
  return seq - chain.base_seq;
}

/** @returns undefined if the chain is in use: the next purge comes soon. */
function lockChain(transaction: Executor, number: number): Promise<AuditChainsTable | undefined> {
  const query = transaction.selectFrom('audit_chains').selectAll().where('number', '=', number);
  return (locksRows(transaction) ? query.forUpdate().skipLocked() : query).executeTakeFirst();
}
