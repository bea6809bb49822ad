/** Signs each event of earlier versions with a separate MAC. Those versions signed an event together with the previous event, in a chain. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Executor } from '../../base/store/schema.ts';
import { EVENT_COLUMNS } from './read.ts';
import { type AuditKeys, signEvent, toSignedText } from './signing.ts';
import type { AuditEvent } from './tables.ts';

const PAGE_ROWS = 200;

interface ChainedEvent extends AuditEvent {
  readonly chain: number | null;
  readonly chain_seq: number | null;
  readonly chain_mac: string | null;
  /** `chain_mac` of the previous event. Null if there is no such event. */
  readonly previous_mac: string | null;
}

/**
 * Signs each event whose signature in its chain is right. The others stay without a MAC, so `verifyAuditTrail` reports them.
 *
 * It can run again at any time, in several processes at once, and at the same time as gateways of earlier versions.
 *
 * @param signal ends it after the current page when it aborts.
 * @returns the number of signed events.
 */
export async function signChainedEvents(executor: Executor, keys: AuditKeys, signal?: AbortSignal): Promise<number> {
  let signed = 0;
  for (let last = ''; signal?.aborted !== true; ) {
    const events = await readPage(executor, last);
    const valid = events.filter((event) => hasValidSignature(keys, event));
    if (valid.length > 0) await storeMacs(executor, keys, valid);
    signed += valid.length;
    if (events.length < PAGE_ROWS) break;
    last = events.at(-1)?.id ?? last;
    await nextTurn();
  }
  return signed;
}

async function readPage(executor: Executor, after: string): Promise<ChainedEvent[]> {
  const page = executor
    .selectFrom('audit_events')
    .selectAll()
    .where('mac', 'is', null)
    .where('chain', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(PAGE_ROWS);
  return executor
    .selectFrom(page.as('e'))
    .leftJoin('audit_events as previous', (join) =>
      join.onRef('previous.chain', '=', 'e.chain').on('previous.chain_seq', '=', sql`e.chain_seq - 1`),
    )
    .leftJoin('audit_chains as c', (join) =>
      join.onRef('c.number', '=', 'e.chain').on('c.base_seq', '=', sql`e.chain_seq - 1`),
    )
    .select(EVENT_COLUMNS.map((column) => `e.${column}` as const))
    .select(['e.chain', 'e.chain_seq', 'e.chain_mac'])
    .select(({ fn }) => fn.coalesce('previous.chain_mac', 'c.base_mac').as('previous_mac'))
    .orderBy('e.id')
    .execute();
}

function hasValidSignature(keys: AuditKeys, event: ChainedEvent): boolean {
  if (event.chain_mac === null || event.previous_mac === null) return false;
  const prefix = ['utg audit event v1', event.chain, event.chain_seq, event.previous_mac];
  return keys.check(event.chain_mac, toSignedText(prefix, event)) === 'valid';
}

/** @param events in the order of their ids, so that PostgreSQL reads no other rows. */
async function storeMacs(executor: Executor, keys: AuditKeys, events: readonly ChainedEvent[]): Promise<void> {
  const rows = events.map((event) => sql`(${event.id}, ${signEvent(keys, event)})`);
  await sql`
    with signed (id, mac) as (values ${sql.join(rows)})
    update audit_events set mac = signed.mac from signed
     where audit_events.id = signed.id and audit_events.mac is null
       and audit_events.id between ${events[0]?.id} and ${events.at(-1)?.id}`.execute(executor);
}
