/** Records events in the chains of the audit trail: holds the signing keys of each store, opens chains and continues them. */

import type { DialectAdapter } from 'kysely';
import { locksRows } from '../../base/store/conflicts.ts';
import { type AnyEvent, type Listen, textOf } from '../../base/store/events.ts';
import { newId } from '../../base/store/rows.ts';
import type { Executor } from '../../base/store/schema.ts';
import { type AuditKeys, checkChain, sealChain, signEvent } from './signing.ts';
import type { AuditChainsTable, AuditEventsTable } from './tables.ts';

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

/** Records each event that has a sentence for people, and replaces a removed user by its pseudonym. */
export const recordEvents: Listen = async (transaction, events) => {
  for (const event of events) {
    if (!('module' in event) && event.type === 'user_erased') {
      const { userId, formerId } = event;
      await transaction.updateTable('audit_events').set({ user_id: userId }).where('user_id', '=', formerId).execute();
    }
    if (textOf(event) !== null) await insertAuditEvent(transaction, toRow(event));
  }
};

function toRow(event: AnyEvent): Event {
  return {
    id: newId(event.now),
    created_at: event.now,
    type: event.type,
    partner_id: event.partnerId ?? null,
    user_id: event.userId ?? null,
    client_id: event.clientId ?? null,
    grant_id: event.grantId ?? null,
    address: event.address ?? null,
    request_id: event.requestId ?? null,
    details: JSON.stringify({ ...event.details, operator: event.operator }),
  };
}

/**
 * Appends an event to a chain of this host.
 *
 * A chain is locked until the transaction ends. No one waits for it: if all chains of its host are in use, a
 * transaction takes an idle one or opens another.
 */
async function insertAuditEvent(transaction: Executor, event: Event): Promise<void> {
  const keys = auditKeysOf(transaction);
  if (keys !== undefined) {
    const node = trails.get(transaction.getExecutor().adapter)?.node ?? '';
    return append(transaction, event, keys, node);
  }
  await transaction
    .insertInto('audit_events')
    .values({ ...event, chain: null, chain_seq: null, chain_mac: null })
    .execute();
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

/** The chain number of the register. */
export const REGISTER = 0;

interface Opening {
  readonly keys: AuditKeys;
  readonly node: string;
  readonly now: number;
}

/** Needs a transaction, and locks the register until it ends. This is rare, because chains are reused. */
async function openChain(transaction: Executor, opening: Opening): Promise<AuditChainsTable> {
  const register = await takeRegister(transaction, opening);
  const number = Math.max(register?.head_seq ?? 0, await greatestNumber(transaction)) + 1;
  if (register !== undefined) {
    const counted = { ...register, head_seq: number };
    await transaction
      .updateTable('audit_chains')
      .set({ head_seq: number, updated_at: opening.now, seal: sealChain(opening.keys, counted) })
      .where('number', '=', REGISTER)
      .execute();
  }
  const chain = emptyChain(number, opening);
  await transaction.insertInto('audit_chains').values(chain).execute();
  return chain;
}

/** @returns undefined if the register was changed, or removed while chains exist, so that this stays detectable. */
async function takeRegister(transaction: Executor, opening: Opening): Promise<AuditChainsTable | undefined> {
  if ((await greatestNumber(transaction)) < 0) {
    const register = emptyChain(REGISTER, opening);
    await transaction
      .insertInto('audit_chains')
      .values(register)
      .onConflict((conflict) => conflict.column('number').doNothing())
      .execute();
  }
  let query = transaction.selectFrom('audit_chains').selectAll().where('number', '=', REGISTER);
  if (locksRows(transaction)) query = query.forUpdate();
  const register = await query.executeTakeFirst();
  return register !== undefined && checkChain(opening.keys, register) === 'valid' ? register : undefined;
}

async function greatestNumber(transaction: Executor): Promise<number> {
  const { greatest } = await transaction
    .selectFrom('audit_chains')
    .select(({ fn }) => fn.max('number').as('greatest'))
    .executeTakeFirstOrThrow();
  return greatest ?? -1;
}

function emptyChain(number: number, { keys, node, now }: Opening): AuditChainsTable {
  const ends = { number, created_at: now, base_seq: 0, base_mac: '', head_seq: 0, head_mac: '' };
  return { ...ends, node, updated_at: now, seal: sealChain(keys, ends) };
}
