/** Rows in every table, generated from the schema in the database, so that no table is forgotten. */

import {
  type CredentialVault,
  createCredentialVault,
  type EncryptionKey,
} from '../../../../server/base/credentials/index.ts';
import { emit } from '../../../../server/base/store/events.ts';
import { describeTables, type TableDescription } from '../../../../server/base/store/tables/describe.ts';
import { signAuditTrail } from '../../../support/listening.ts';
import type { StoreUnderTest } from './dialects.ts';

type Row = Record<string, string | number | null>;

/** A prefix of stored texts: every kind of character that a copy could lose. */
const EVERY_CHARACTER = 'Grüße, 世界 🜁 \u{10FFFF} \'"\\ %_ \t\r\n\u0001\u007F\u2028 ';

const LARGEST = { integer: 2 ** 31 - 1, bigint: Number.MAX_SAFE_INTEGER } as const;

/** Events are signed, so their rows come from what happens. */
const WRITTEN_BY_EVENTS = new Set(['audit_events', 'audit_keys']);

const BESIDES = 5;

/**
 * Adds two rows to each table: one of the largest values, and one with null where it is allowed.
 *
 * @param options.from an even number, different for each call. Default: 0.
 * @param options.text a prefix of stored texts. Default: every kind of character that a copy could lose.
 */
export async function fillEveryTable(
  { store: { db }, dialect }: Pick<StoreUnderTest, 'store' | 'dialect'>,
  keys: readonly EncryptionKey[],
  { from = 0, text = EVERY_CHARACTER }: { from?: number; text?: string } = {},
): Promise<void> {
  const tables = await describeTables(db, dialect);
  const rows = new EveryRow(keys, text, tables);
  for (const table of tables) {
    if (WRITTEN_BY_EVENTS.has(table.name)) continue;
    for (const n of [from, from + 1]) {
      await db
        .insertInto(table.name as 'users')
        .values(rows.create(table, n) as never)
        .execute();
    }
  }
  await signAuditTrail(db, keys);
  for (let n = 0; n < BESIDES; n += 1) {
    const userId = rows.keyOf('users', from);
    await emit(db, { type: 'consent_given', now: n, userId, details: { n, TEXT: text } });
  }
}

class EveryRow {
  readonly #vault: CredentialVault;
  readonly #text: string;
  /** The table whose key a table has as its own. */
  readonly #parents: ReadonlyMap<string, string>;

  constructor(keys: readonly EncryptionKey[], text: string, tables: readonly TableDescription[]) {
    this.#vault = createCredentialVault({ keys });
    this.#text = text;
    this.#parents = new Map(
      tables.flatMap(({ name, key, columns }) => {
        const parent = columns.find((column) => column.name === key)?.references ?? null;
        return parent === null ? [] : [[name, parent] as const];
      }),
    );
  }

  create(table: TableDescription, n: number): Row {
    const row = Object.fromEntries(table.columns.map((column) => [column.name, this.#cellOf(table, column, n)]));
    return { ...row, ...this.#sealedIn(table.name, row, n) };
  }

  keyOf(table: string, n: number): string {
    const parent = this.#parents.get(table);
    if (parent !== undefined) return this.keyOf(parent, n);
    return `${this.#text}${table} ${n}`;
  }

  #cellOf(table: TableDescription, column: TableDescription['columns'][number], n: number): string | number | null {
    const { name, type, references, isNullable } = column;
    if (isNullable && n % 2 === 1) return null;
    if (references !== null) return this.keyOf(references, n);
    if (name === table.key && type === 'text') return this.keyOf(table.name, n);
    if (name === 'permission') return JSON.stringify({ seen: this.#text });
    return type === 'text' ? `${this.#text}${table.name}.${name} ${n}` : LARGEST[type] - n;
  }

  #sealedIn(table: string, row: Row, n: number): Row {
    switch (table) {
      case 'connections':
        return { sealed_credential: this.#seal(n, row.id, row.user_id, row.service) };
      case 'connection_attempts':
        return { sealed_credential: this.#seal(n, row.id, row.external_user_id, row.service) };
      case 'webhook_endpoints':
        return { sealed_credential: this.#seal(n, row.id, '', 'webhook') };
      case 'upstream_clients':
        return { sealed_secret: n % 2 === 0 ? this.#seal(n, row.id, '', row.service) : null };
      case 'event_inlets':
        return { sealed_credential: this.#seal(n, row.id, row.user_id, `events ${row.service}`) };
      case 'event_subscriptions':
        return { sealed_credential: this.#seal(n, row.id, row.user_id, 'event subscription') };
      default:
        return {};
    }
  }

  #seal(n: number, ...[id, userId, service]: readonly unknown[]): string {
    return this.#vault.seal(
      { key: `${this.#text}${n}` },
      {
        connectionId: String(id),
        partnerId: this.keyOf('partners', n),
        userId: String(userId),
        externalUserId: '',
        service: String(service),
      },
    );
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
