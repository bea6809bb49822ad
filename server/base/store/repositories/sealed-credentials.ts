/** Sealed secrets of all tables, for rotating the key ring: connections, connect flows, upstream clients, and what modules seal. */

import type { AliasedExpression } from 'kysely';
import { withService } from '../rows.ts';
import type { Executor } from '../schema.ts';
import { replaceSealedSecret, upstreamClientBinding } from './upstream/upstream-clients.ts';

/** The binding of a sealed credential: in another row, or in the same row under another owner, it does not open. */
export interface CredentialBinding {
  /** Id of the row that holds it. */
  readonly connectionId: string;
  /** Row id. The key is derived for it. */
  readonly partnerId: string;
  /** Row id of the user. In a connect flow that was not redeemed yet, the partner's own name for the user. */
  readonly userId: string;
  /** The partner's own name for the user; empty: it belongs to no user. */
  readonly externalUserId: string;
  /** Connector name. */
  readonly service: string;
}

/** A sealed credential with its binding. */
export interface SealedCredential extends CredentialBinding {
  readonly sealed: string;
}

/** A part of a table. */
interface SealedPage {
  /** Row id; `''` for the first page. */
  readonly after: string;
  readonly limit: number;
}

interface SealedChange {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

/** One table with sealed credentials. */
export interface SealedRows {
  readonly table: string;
  /** The next ones, by row id. */
  readonly list: (executor: Executor, page: SealedPage) => Promise<readonly SealedCredential[]>;
  /** Replaces a sealed text if it is unchanged. Default: in the column `sealed_credential`. */
  readonly replace?: (executor: Executor, change: SealedChange) => Promise<boolean>;
}

/** Those of the core. */
export const SEALED_BY_CORE: readonly SealedRows[] = [
  { table: 'connections', list: ofConnections },
  { table: 'connection_attempts', list: ofAttempts },
  { table: 'upstream_clients', list: ofUpstreamClients, replace: replaceSealedSecret },
];

async function ofConnections(executor: Executor, { after, limit }: SealedPage) {
  const rows = await executor
    .selectFrom('connections as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .select(['c.id as connectionId', 'u.partner_id as partnerId', 'c.user_id as userId', 'c.service'])
    .select(['u.external_user_id as externalUserId', 'c.sealed_credential as sealed'])
    .$narrowType<{ sealed: string }>()
    .where('c.sealed_credential', 'is not', null)
    .where('c.id', '>', after)
    .orderBy('c.id')
    .limit(limit)
    .execute();
  return rows.map(withService);
}

function ofAttempts(executor: Executor, { after, limit }: SealedPage) {
  return executor
    .selectFrom('connection_attempts')
    .select(['id as connectionId', 'partner_id as partnerId', 'external_user_id as userId', 'service'])
    .select(['external_user_id as externalUserId', 'sealed_credential as sealed'])
    .$narrowType<{ sealed: string }>()
    .where('sealed_credential', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

async function ofUpstreamClients(executor: Executor, { after, limit }: SealedPage) {
  const rows = await executor
    .selectFrom('upstream_clients')
    .select(['id', 'partner_id as partnerId', 'service', 'sealed_secret as sealed'])
    .$narrowType<{ sealed: string }>()
    .where('sealed_secret', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ sealed, ...client }) => ({ ...upstreamClientBinding(client), sealed }));
}

/** Replaces a sealed text if it is unchanged. @returns false if it was replaced or removed meanwhile. */
export async function replaceSealedCredential(
  executor: Executor,
  { table, replace }: SealedRows,
  change: SealedChange,
): Promise<boolean> {
  if (replace !== undefined) return replace(executor, change);
  const replaced = await executor
    .updateTable(table as 'connections')
    .set({ sealed_credential: change.to })
    .where('id', '=', change.id)
    .where('sealed_credential', '=', change.from)
    .returning('id')
    .executeTakeFirst();
  return replaced !== undefined;
}

/** Returns a secret of a connection or upstream client that starts with another prefix than these, or undefined. */
export async function findOtherwiseSealed(
  executor: Executor,
  beginnings: readonly string[],
): Promise<string | undefined> {
  const credentials = executor.selectFrom('connections').select('sealed_credential as sealed').as('secrets');
  const secrets = executor.selectFrom('upstream_clients').select('sealed_secret as sealed').as('secrets');
  return (await findIn(executor, credentials, beginnings)) ?? findIn(executor, secrets, beginnings);
}

async function findIn(
  executor: Executor,
  secrets: AliasedExpression<{ sealed: string | null }, 'secrets'>,
  beginnings: readonly string[],
): Promise<string | undefined> {
  let query = executor.selectFrom(secrets).select('sealed').where('sealed', 'is not', null).limit(1);
  for (const beginning of beginnings) {
    query = query.where((row) =>
      row(row.fn<string>('substr', ['sealed', row.lit(1), row.lit(beginning.length)]), '<>', beginning),
    );
  }
  return (await query.executeTakeFirst())?.sealed ?? undefined;
}
