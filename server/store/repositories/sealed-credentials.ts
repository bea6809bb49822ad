/** Sealed credentials wherever they lie, for rotating the key ring: of connections, and of connect flows that are pending. */

import type { Executor } from '../schema.ts';

/** Where sealed credentials are. */
export const SEALED_TABLES = ['connections', 'connection_attempts'] as const;

type SealedTable = (typeof SEALED_TABLES)[number];

/** A sealed credential, and what it is bound to; see `CredentialBinding`. */
export interface SealedCredential {
  readonly connectionId: string;
  readonly partnerId: string;
  readonly userId: string;
  readonly service: string;
  readonly sealed: string;
}

interface Page {
  /** Row id, or `''` at first. */
  readonly after: string;
  readonly limit: number;
  /** How the sealed text begins; `''`: in any way. */
  readonly beginning: string;
}

/** The next sealed credentials by row id. */
export async function listSealedCredentials(
  executor: Executor,
  table: SealedTable,
  page: Page,
): Promise<SealedCredential[]> {
  const rows = await (table === 'connections' ? ofConnections(executor, page) : ofAttempts(executor, page));
  return rows.flatMap(({ sealed, ...binding }) => (sealed === null ? [] : { sealed, ...binding }));
}

function ofConnections(executor: Executor, { after, limit, beginning }: Page) {
  return executor
    .selectFrom('connections as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .select(['c.id as connectionId', 'u.partner_id as partnerId', 'c.user_id as userId', 'c.service'])
    .select('c.sealed_credential as sealed')
    .where('c.sealed_credential', 'like', `${beginning}%`)
    .where('c.id', '>', after)
    .orderBy('c.id')
    .limit(limit)
    .execute();
}

function ofAttempts(executor: Executor, { after, limit, beginning }: Page) {
  return executor
    .selectFrom('connection_attempts')
    .select(['id as connectionId', 'partner_id as partnerId', 'external_user_id as userId', 'service'])
    .select('sealed_credential as sealed')
    .where('sealed_credential', 'like', `${beginning}%`)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Puts another text in place of one that is still there. @returns false when it was replaced or removed meanwhile. */
export async function replaceSealedCredential(
  executor: Executor,
  table: SealedTable,
  change: { id: string; from: string; to: string },
): Promise<boolean> {
  const replaced = await executor
    .updateTable(table as 'connections')
    .set({ sealed_credential: change.to })
    .where('id', '=', change.id)
    .where('sealed_credential', '=', change.from)
    .returning('id')
    .executeTakeFirst();
  return replaced !== undefined;
}

/** One credential of a connection that no text of these beginnings begins, or undefined. */
export async function findOtherwiseSealed(
  executor: Executor,
  beginnings: readonly string[],
): Promise<string | undefined> {
  let query = executor.selectFrom('connections').select('sealed_credential as sealed').limit(1);
  query = query.where('sealed_credential', 'is not', null);
  for (const beginning of beginnings) {
    query = query.where((row) =>
      row(row.fn<string>('substr', ['sealed_credential', row.lit(1), row.lit(beginning.length)]), '<>', beginning),
    );
  }
  return (await query.executeTakeFirst())?.sealed ?? undefined;
}
