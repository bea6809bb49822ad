/** Continues the chains of the audit trail: holds the signing keys of each store, and appends events. */

import type { DialectAdapter } from 'kysely';
import { locksRows } from '../conflicts.ts';
import type { AuditChainsTable, AuditEventsTable, Executor } from '../schema.ts';
import { openChain } from './open-chain.ts';
import { type AuditKeys, checkChain, sealChain, signEvent } from './signing.ts';

/** How a store signs its audit events. */
export interface AuditTrail {
  /** An error: there is no matching key, and recording an event fails with this error. */
  readonly keys: AuditKeys | Error;
  /** The host, which writes to its own chains. */
  readonly node: string;
}

type Event = Omit<AuditEventsTable, 'chain' | 'chain_seq' | 'chain_mac'>;

/** After this time without an event, another host may continue a chain. This keeps the number of chains small. */
const IDLE_MS = 3_600_000;

/** A database and its transactions share one adapter. */
const trails = new WeakMap<DialectAdapter, AuditTrail>();

/** From now on, the events of this store are signed. Without this call they are in no chain. */
export function signAuditEvents(db: Executor, trail: AuditTrail): void {
  trails.set(db.getExecutor().adapter, trail);
}

/** The keys given to `signAuditEvents`, or undefined. @throws the error that was given instead of keys. */
export function auditKeysOf(executor: Executor): AuditKeys | undefined {
  const keys = trails.get(executor.getExecutor().adapter)?.keys;
  if (keys instanceof Error) throw keys;
  return keys;
}

/**
 * Appends an event to a chain of this host.
 *
 * A chain is locked until the transaction ends. No one waits for it: if all chains of its host are in use, a
 * transaction takes an idle one or opens another.
 */
export async function insertAuditEvent(executor: Executor, event: Event): Promise<void> {
  const keys = auditKeysOf(executor);
  const node = trails.get(executor.getExecutor().adapter)?.node ?? '';
  if (keys === undefined) {
    await executor
      .insertInto('audit_events')
      .values({ ...event, chain: null, chain_seq: null, chain_mac: null })
      .execute();
  } else if (executor.isTransaction) {
    await append(executor, event, keys, node);
  } else {
    await executor.transaction().execute((transaction) => append(transaction, event, keys, node));
  }
}

async function append(transaction: Executor, event: Event, keys: AuditKeys, node: string): Promise<void> {
  const now = event.created_at;
  const chain =
    (await takeChain(transaction, { keys, node, now })) ?? (await openChain(transaction, { keys, node, now }));
  const placed = { ...event, chain: chain.number, chain_seq: chain.head_seq + 1 };
  const mac = signEvent(keys, placed, chain.head_mac);
  const ends = { ...chain, head_seq: placed.chain_seq, head_mac: mac };
  await transaction
    .updateTable('audit_chains')
    .set({ node, updated_at: now, head_seq: ends.head_seq, head_mac: mac, seal: sealChain(keys, ends) })
    .where('number', '=', chain.number)
    .execute();
  await transaction
    .insertInto('audit_events')
    .values({ ...placed, chain_mac: mac })
    .execute();
}

/** Locks a chain whose seal is intact. Continuing a broken chain would hide the tampering. */
async function takeChain(
  transaction: Executor,
  { keys, node, now }: { keys: AuditKeys; node: string; now: number },
): Promise<AuditChainsTable | undefined> {
  for (const broken = [0]; ; ) {
    let query = transaction
      .selectFrom('audit_chains')
      .selectAll()
      .where('number', 'not in', broken)
      .where(({ or, eb }) => or([eb('node', '=', node), eb('updated_at', '<', now - IDLE_MS)]))
      .orderBy(({ eb }) => eb.case().when('node', '=', node).then(0).else(1).end())
      .orderBy('number')
      .limit(1);
    if (locksRows(transaction)) query = query.forUpdate().skipLocked();
    const chain = await query.executeTakeFirst();
    if (chain === undefined || checkChain(keys, chain) === 'valid') return chain;
    broken.push(chain.number);
  }
}
