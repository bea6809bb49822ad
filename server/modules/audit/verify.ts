/**
 * Verifies the audit trail: every chain from checkpoint to end, the register of chains, and events outside of chains.
 */

import { GONE, goneReference } from '../../base/store/repositories/user-references.ts';
import type { Executor } from '../../base/store/schema.ts';
import { REGISTER } from './append.ts';
import { type AuditKeys, checkChain } from './signing.ts';
import { type ChainHead, type VerifiedChain, verifyChain } from './verify-chain.ts';

/** The result of verifying the audit trail. */
export interface AuditVerdict {
  readonly chains: readonly VerifiedChain[];
  /** One sentence each; empty: the trail is intact. The problem of a chain names its first broken event. */
  readonly problems: readonly string[];
}

/** @param heads of earlier times, in any order, to detect events that were removed or rewritten since. */
export async function verifyAuditTrail(
  executor: Executor,
  keys: AuditKeys,
  heads: readonly ChainHead[] = [],
): Promise<AuditVerdict> {
  const problems: string[] = [];
  const register = await executor
    .selectFrom('audit_chains')
    .selectAll()
    .where('number', '=', REGISTER)
    .executeTakeFirst();
  const rows = await executor
    .selectFrom('audit_chains')
    .select('number')
    .where('number', '>', REGISTER)
    .orderBy('number')
    .execute();
  const isIntact = register !== undefined && checkChain(keys, register) === 'valid';
  const count = isIntact ? register.head_seq : 0;
  if (register === undefined)
    problems.push('there is no register of chains: nothing was recorded yet, or it was removed');
  else if (!isIntact) problems.push('the register of chains was changed, or its key is lost');
  const numbers = new Set([...rows.map(({ number }) => number), ...heads.map(({ chain }) => chain)]);
  for (let number = 1; number <= count; number += 1) numbers.add(number);

  const chains: VerifiedChain[] = [];
  for (const number of [...numbers].sort((one, other) => one - other)) {
    const chain = await verifyChain(
      executor,
      keys,
      number,
      heads.filter((head) => head.chain === number),
    );
    chains.push(chain);
    if (chain.problem !== null) problems.push(`chain ${number}: ${chain.problem}`);
  }
  problems.push(...(await findOutside(executor)), ...(await findRenamed(executor)));
  return { chains, problems };
}

/** What following the chains does not see. */
async function findOutside(executor: Executor): Promise<string[]> {
  const { unchained, example } = await executor
    .selectFrom('audit_events')
    .select(({ fn }) => [fn.countAll<number>().as('unchained'), fn.min('id').as('example')])
    .where(({ or, eb }) => or([eb('chain', 'is', null), eb('chain_seq', 'is', null), eb('chain_seq', '<', 0)]))
    .executeTakeFirstOrThrow();
  const double = await executor
    .selectFrom('audit_events')
    .select(['chain', 'chain_seq'])
    .where('chain_seq', 'is not', null)
    .groupBy(['chain', 'chain_seq'])
    .having(({ fn }) => fn.countAll(), '>', 1)
    .limit(1)
    .executeTakeFirst();
  const lost = await executor
    .selectFrom('audit_events')
    .select(['id', 'chain'])
    .where('chain', 'is not', null)
    .where('chain', 'not in', executor.selectFrom('audit_chains').select('number').where('number', '>', REGISTER))
    .limit(1)
    .executeTakeFirst();
  const problems: string[] = [];
  if (example !== null) {
    problems.push(`event ${example} is in no chain (${unchained} in all): SQL wrote it, or a version without chains`);
  }
  if (double !== undefined) problems.push(`chain ${double.chain} has more than one event number ${double.chain_seq}`);
  if (lost !== undefined) problems.push(`event ${lost.id} names chain ${lost.chain}, which is not there`);
  return problems;
}

/** An event's signature is the same with its user's pseudonym, which only the removal of the user puts there. */
async function findRenamed(executor: Executor): Promise<string[]> {
  const renamed = await executor
    .selectFrom('audit_events')
    .select('user_id')
    .distinct()
    .where('user_id', 'like', `${GONE}%`)
    .execute();
  if (renamed.length === 0) return [];
  const pseudonyms = new Set(renamed.map((event) => event.user_id));
  const users = await executor.selectFrom('users').select('id').execute();
  return users
    .filter(({ id }) => pseudonyms.has(goneReference(id)))
    .map(({ id }) => `events name user ${id} as a removed one, though it was not removed`);
}
