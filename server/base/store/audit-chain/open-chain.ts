/** Opens a chain of audit events, and counts it in the register, so that the removal of a chain is detected. */

import { locksRows } from '../conflicts.ts';
import type { AuditChainsTable, Executor } from '../schema.ts';
import { type AuditKeys, checkChain, sealChain } from './signing.ts';

/** The chain number of the register. */
export const REGISTER = 0;

interface Opening {
  readonly keys: AuditKeys;
  readonly node: string;
  readonly now: number;
}

/** Needs a transaction, and locks the register until it ends. This is rare, because chains are reused. */
export async function openChain(transaction: Executor, opening: Opening): Promise<AuditChainsTable> {
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
