/** Sealed credentials wherever they lie, for rotating the key ring: of connections, and of connect flows that are pending. */

import type { Executor } from '../schema.ts';

/** Where sealed credentials are. The row's id is what they are sealed for. */
export const SEALED_TABLES = ['connections', 'connection_attempts'] as const;

type SealedTable = (typeof SEALED_TABLES)[number];

interface SealedCredential {
  /** Row id. */
  readonly id: string;
  readonly sealed: string;
}

/** The next `limit` sealed credentials behind `after` (a row id, or `''` at first), by id. */
export async function listSealedCredentials(
  executor: Executor,
  table: SealedTable,
  page: { after: string; limit: number },
): Promise<SealedCredential[]> {
  const rows = await executor
    .selectFrom(table as 'connections')
    .select(['id', 'sealed_credential as sealed'])
    .where('sealed_credential', 'is not', null)
    .where('id', '>', page.after)
    .orderBy('id')
    .limit(page.limit)
    .execute();
  return rows.flatMap(({ id, sealed }) => (sealed === null ? [] : { id, sealed }));
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
