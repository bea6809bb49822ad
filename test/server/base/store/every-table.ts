/** Rows in every table, generated from the schema in the database, so that no table is forgotten. */

import { signAuditTrail } from '../../../../server/base/credentials/audit-keys.ts';
import { createCredentialVault, type EncryptionKey } from '../../../../server/base/credentials/index.ts';
import { recordAuditEvent } from '../../../../server/base/store/repositories/audit-events.ts';
import { type ColumnDescription, describeTables, type TableDescription } from '../../../../server/base/store/tables.ts';
import type { StoreUnderTest } from './dialects.ts';

type Row = Record<string, string | number | null>;

/** A prefix of stored texts: every kind of character that a copy could lose. */
const TEXT = 'Grüße, 世界 🜁 \u{10FFFF} \'"\\ %_ \t\r\n\u0001\u007F\u2028 ';

const LARGEST = { integer: 2 ** 31 - 1, bigint: Number.MAX_SAFE_INTEGER } as const;

/** Chains are signed, so their rows come from events. */
const WRITTEN_BY_EVENTS = new Set(['audit_events', 'audit_chains', 'audit_keys']);

const BESIDES = 5;

/**
 * Adds two rows to each table: one of the largest values, and one with null where it is allowed.
 *
 * @param from an even number, different for each call.
 */
export async function fillEveryTable(
  { store: { db }, dialect }: Pick<StoreUnderTest, 'store' | 'dialect'>,
  keys: readonly EncryptionKey[],
  from = 0,
): Promise<void> {
  for (const table of await describeTables(db, dialect)) {
    if (WRITTEN_BY_EVENTS.has(table.name)) continue;
    for (const n of [from, from + 1]) {
      const row = Object.fromEntries(table.columns.map((column) => [column.name, cellOf(table, column, n)]));
      await db
        .insertInto(table.name as 'users')
        .values({ ...row, ...sealedIn(table.name, row, keys, n) } as never)
        .execute();
    }
  }
  await signAuditTrail(db, keys, 'node-a');
  for (let n = 0; n < BESIDES; n += 1) {
    await recordAuditEvent(db, { type: 'consent_given', now: n, userId: keyOf('users', from), details: { n, TEXT } });
  }
}

function cellOf(table: TableDescription, column: ColumnDescription, n: number): string | number | null {
  const { name, type, references, isNullable } = column;
  if (isNullable && n % 2 === 1) return null;
  if (references !== null) return keyOf(references, n);
  if (name === table.key) return keyOf(table.name, n);
  if (name === 'permission') return JSON.stringify({ seen: TEXT });
  return type === 'text' ? `${TEXT}${table.name}.${name} ${n}` : LARGEST[type] - n;
}

function keyOf(table: string, n: number): string {
  return `${TEXT}${table} ${n}`;
}

function sealedIn(table: string, row: Row, keys: readonly EncryptionKey[], n: number): Row {
  const vault = createCredentialVault({ keys });
  const seal = (id: unknown, userId: unknown, service: unknown) =>
    vault.seal(
      { key: `${TEXT}${n}` },
      {
        connectionId: String(id),
        partnerId: keyOf('partners', n),
        userId: String(userId),
        service: String(service),
      },
    );
  switch (table) {
    case 'connections':
      return { sealed_credential: seal(row.id, row.user_id, row.service) };
    case 'connection_attempts':
      return { sealed_credential: seal(row.id, row.external_user_id, row.service) };
    case 'webhook_endpoints':
      return { sealed_credential: seal(row.id, '', 'webhook') };
    case 'upstream_clients':
      return { sealed_secret: n % 2 === 0 ? seal(row.id, '', row.service) : null };
    default:
      return {};
  }
}

/** Every row of every table, sorted. */
export async function readEveryTable({ store: { db }, dialect }: Pick<StoreUnderTest, 'store' | 'dialect'>) {
  const tables = await describeTables(db, dialect);
  const read = tables.map(async ({ name, columns }) => {
    const rows = await db
      .selectFrom(name as 'users')
      .select(columns.map((column) => column.name as 'id'))
      .execute();
    return [name, rows.map((row) => JSON.stringify(row)).toSorted()] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}
