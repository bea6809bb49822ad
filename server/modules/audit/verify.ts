/**
 * Verifies the audit trail: every chain from checkpoint to end, the register of chains, and events outside of chains.
 */

import type { Executor } from '../../base/store/schema.ts';
import { REGISTER } from './append.ts';
import { type AuditKeys, checkChain } from './signing.ts';
import { type ChainHead, type VerifiedChain, verifyChain } from './verify-chain.ts';

/** The result of verifying the audit trail. */
export interface AuditVerdict {
  readonly chains: readonly VerifiedChain[];
  /** Events in no chain, from before the first chain. */
  readonly unchained: number;
  /** One sentence each; empty: the trail is intact. The problem of a chain names its first broken event. */
  readonly problems: readonly string[];
}

/** @param heads of an earlier run, to detect events that were removed or rewritten since. */
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
      heads.find((head) => head.chain === number),
    );
    chains.push(chain);
    if (chain.problem !== null) problems.push(`chain ${number}: ${chain.problem}`);
  }
  const outside = await findOutside(executor, register?.created_at ?? Number.MAX_SAFE_INTEGER);
  return { chains, unchained: outside.unchained, problems: [...problems, ...outside.problems] };
}

async function findOutside(executor: Executor, since: number): Promise<{ unchained: number; problems: string[] }> {
  const { unchained } = await executor
    .selectFrom('audit_events')
    .select(({ fn }) => fn.countAll<number>().as('unchained'))
    .where('chain', 'is', null)
    .executeTakeFirstOrThrow();
  const late = await executor
    .selectFrom('audit_events')
    .select('id')
    .where('chain', 'is', null)
    .where('created_at', '>=', since)
    .orderBy('id')
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
  if (late !== undefined) {
    problems.push(
      `event ${late.id} is in no chain, though it is newer than the first: SQL, or an older gateway, wrote it`,
    );
  }
  if (lost !== undefined) problems.push(`event ${lost.id} names chain ${lost.chain}, which is not there`);
  return { unchained, problems };
}
