/** Authorization codes (RFC 6749 §4.1.2), stored by hash. */

import { columnsOf, hasRow, type Row, toRow } from '../rows.ts';
import { CORE_TABLES, type Executor } from '../schema.ts';

const CODE = columnsOf(CORE_TABLES.tables.oauth_codes);

export type AuthorizationCode = Row<'oauth_codes', typeof CODE>;

export async function insertAuthorizationCode(
  executor: Executor,
  code: Omit<AuthorizationCode, 'createdAt' | 'consumedAt'> & { now: number },
): Promise<void> {
  await executor
    .insertInto('oauth_codes')
    .values(toRow(CODE, { ...code, createdAt: code.now }))
    .execute();
}

/** Finds a code whether or not it can still be used. */
export async function findAuthorizationCode(
  executor: Executor,
  codeHash: string,
): Promise<AuthorizationCode | undefined> {
  return executor.selectFrom('oauth_codes').select(CODE).where('code_hash', '=', codeHash).executeTakeFirst();
}

/** Consumes a code; one of several concurrent callers succeeds. @returns false if it was consumed or has expired. */
export async function consumeAuthorizationCode(executor: Executor, codeHash: string, now: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('oauth_codes')
      .set({ consumed_at: now })
      .where('code_hash', '=', codeHash)
      .where('consumed_at', 'is', null)
      .where('expires_at', '>', now)
      .returning('code_hash'),
  );
}
