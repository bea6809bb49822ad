/** Sealed secrets of all tables, for rotating the key ring: connections, connect flows, upstream clients, endpoints. */

import type { AliasedExpression } from 'kysely';
import type { Executor } from '../schema.ts';
import { replaceSealedSecret, upstreamClientBinding } from './upstream/upstream-clients.ts';

/** The tables with sealed credentials. */
export const SEALED_TABLES = ['connections', 'connection_attempts', 'upstream_clients', 'webhook_endpoints'] as const;

type SealedTable = (typeof SEALED_TABLES)[number];

/** A sealed credential with its binding; see `CredentialBinding`. */
export interface SealedCredential {
  readonly connectionId: string;
  readonly partnerId: string;
  readonly userId: string;
  readonly service: string;
  readonly sealed: string;
}

interface Page {
  /** Row id; `''` for the first page. */
  readonly after: string;
  readonly limit: number;
}

/** The next sealed credentials, by row id. */
export async function listSealedCredentials(
  executor: Executor,
  table: SealedTable,
  page: Page,
): Promise<SealedCredential[]> {
  const rows = await READERS[table](executor, page);
  return rows.flatMap(({ sealed, ...binding }) => (sealed === null ? [] : { sealed, ...binding }));
}

const READERS = {
  connections: ofConnections,
  connection_attempts: ofAttempts,
  upstream_clients: ofUpstreamClients,
  webhook_endpoints: ofEndpoints,
};

function ofConnections(executor: Executor, { after, limit }: Page) {
  return executor
    .selectFrom('connections as c')
    .innerJoin('users as u', 'u.id', 'c.user_id')
    .select(['c.id as connectionId', 'u.partner_id as partnerId', 'c.user_id as userId', 'c.service'])
    .select('c.sealed_credential as sealed')
    .where('c.sealed_credential', 'is not', null)
    .where('c.id', '>', after)
    .orderBy('c.id')
    .limit(limit)
    .execute();
}

function ofAttempts(executor: Executor, { after, limit }: Page) {
  return executor
    .selectFrom('connection_attempts')
    .select(['id as connectionId', 'partner_id as partnerId', 'external_user_id as userId', 'service'])
    .select('sealed_credential as sealed')
    .where('sealed_credential', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
}

async function ofUpstreamClients(executor: Executor, { after, limit }: Page) {
  const rows = await executor
    .selectFrom('upstream_clients')
    .select(['id', 'partner_id as partnerId', 'service', 'sealed_secret as sealed'])
    .where('sealed_secret', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map(({ sealed, ...client }) => ({ ...upstreamClientBinding(client), sealed }));
}

/** See `endpointBinding`. */
async function ofEndpoints(executor: Executor, { after, limit }: Page) {
  const rows = await executor
    .selectFrom('webhook_endpoints')
    .select(['id as connectionId', 'partner_id as partnerId', 'sealed_credential as sealed'])
    .where('sealed_credential', 'is not', null)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, userId: '', service: 'webhook' }));
}

/** Replaces a sealed text if it is unchanged. @returns false if it was replaced or removed meanwhile. */
export async function replaceSealedCredential(
  executor: Executor,
  table: SealedTable,
  change: { id: string; from: string; to: string },
): Promise<boolean> {
  if (table === 'upstream_clients') return replaceSealedSecret(executor, change);
  const replaced = await executor
    .updateTable(table as 'connections')
    .set({ sealed_credential: change.to })
    .where('id', '=', change.id)
    .where('sealed_credential', '=', change.from)
    .returning('id')
    .executeTakeFirst();
  return replaced !== undefined;
}

/** One secret of a connection or upstream client that starts with none of these prefixes, or undefined. */
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
