/** Verifies one chain of the audit trail, event by event. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Executor } from '../../base/store/schema.ts';
import { type AuditKeys, checkChain, checkEvent } from './signing.ts';
import type { AuditChainsTable } from './tables.ts';

/** The end of a chain at some time, kept outside the database. */
export interface ChainHead {
  readonly chain: number;
  readonly seq: number;
  readonly mac: string;
}

/** The result of verifying a chain. */
export interface VerifiedChain {
  readonly number: number;
  /** The host that last wrote to it; null: there is no such chain. */
  readonly node: string | null;
  /** Events from its beginning on that exist and are unchanged. */
  readonly events: number;
  /** Events that retention removed before them. */
  readonly removed: number;
  /** The last event that is unchanged. */
  readonly head: ChainHead;
  /** Completes the sentence "chain N: ..."; null: the chain is intact. */
  readonly problem: string | null;
}

const PAGE_ROWS = 500;
/** Verification starts again if retention shortened the chain meanwhile. */
const MAX_ATTEMPTS = 5;

/** @param known ends of the chain at earlier times. */
export async function verifyChain(
  executor: Executor,
  keys: AuditKeys,
  number: number,
  known: readonly ChainHead[],
): Promise<VerifiedChain> {
  const heads = Map.groupBy(known, ({ seq }) => seq);
  for (let attempt = 1; ; attempt += 1) {
    const begin = await findChain(executor, number);
    if (begin === undefined) return missingChain(number);
    const walk = await walkEvents(executor, keys, begin, heads);
    const end = await findChain(executor, number);
    const shortened = end?.base_seq !== begin.base_seq;
    if (walk.problem !== null && shortened && attempt < MAX_ATTEMPTS) continue;
    return {
      number,
      node: begin.node,
      events: walk.seq - begin.base_seq,
      removed: begin.base_seq,
      head: { chain: number, seq: walk.seq, mac: walk.mac },
      problem: walk.problem ?? problemOfHead(walk, heads),
    };
  }
}

/** By the number of the event. */
type KnownHeads = ReadonlyMap<number, readonly ChainHead[]>;

interface Walk {
  readonly seq: number;
  readonly mac: string;
  readonly problem: string | null;
}

/** Follows the events to the recorded end of the chain, which concurrent writers may move. */
async function walkEvents(
  executor: Executor,
  keys: AuditKeys,
  begin: AuditChainsTable,
  known: KnownHeads,
): Promise<Walk> {
  if (checkChain(keys, begin) !== 'valid') {
    return { seq: begin.base_seq, mac: '', problem: 'its beginning or end was changed, or its key is lost' };
  }
  let [seq, mac, after] = [begin.base_seq, begin.base_mac, -1];
  const broken = (problem: string): Walk => ({ seq, mac, problem });
  for (;;) {
    const events = await readPage(executor, begin.number, after);
    for (const { chain_mac, ...event } of events) {
      const at = `event ${event.id} (${event.type}, ${new Date(event.created_at).toISOString()})`;
      if (event.chain_seq !== seq + 1) return broken(`events are missing or too many before ${at}`);
      const verdict = checkEvent(keys, event, chain_mac ?? '', mac);
      if (verdict === 'unknown-key') return broken(`${at} was signed with a key that is lost`);
      if (verdict === 'invalid') return broken(`${at} was changed, or one before it was`);
      [seq, mac, after] = [seq + 1, chain_mac ?? '', seq + 1];
      if (known.get(seq)?.some((head) => head.mac !== mac))
        return broken(`${at} is not the one that was there earlier`);
    }
    if (events.length === PAGE_ROWS) continue;
    const end = await findChain(executor, begin.number);
    if (end === undefined || checkChain(keys, end) !== 'valid') return broken('its end was changed');
    if (end.head_seq === seq && end.head_mac === mac) return { seq, mac, problem: null };
    if (end.head_seq <= seq) return broken(`its end was set back to event number ${end.head_seq}`);
    const [next] = await readPage(executor, begin.number, after);
    if (next === undefined) return broken(`its newest events are missing: ${seq + 1} to ${end.head_seq}`);
  }
}

/** Yields to the event loop first. */
async function readPage(executor: Executor, chain: number, after: number) {
  await nextTurn();
  return executor
    .selectFrom('audit_events')
    .selectAll()
    .where('chain', '=', chain)
    .where('chain_seq', '>', after)
    .orderBy('chain_seq')
    .limit(PAGE_ROWS)
    .execute();
}

function findChain(executor: Executor, number: number): Promise<AuditChainsTable | undefined> {
  return executor.selectFrom('audit_chains').selectAll().where('number', '=', number).executeTakeFirst();
}

function missingChain(number: number): VerifiedChain {
  const head = { chain: number, seq: 0, mac: '' };
  return { number, node: null, events: 0, removed: 0, head, problem: 'it is missing with all of its events' };
}

function problemOfHead({ seq }: Walk, known: KnownHeads): string | null {
  const later = [...known.keys()].find((number) => number > seq);
  return later === undefined ? null : `it went on to event number ${later} earlier`;
}
