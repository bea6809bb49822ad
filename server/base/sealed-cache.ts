/** Values that a call stores for a later one, sealed in the store for a while, so that any node can read them. */

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import { createValueSealer } from './credentials/sealed-value.ts';
import { createLongSealer, type LongSealing } from './long-values.ts';
import { type Principal, sharesOf } from './principal/principal.ts';
import { hashSecret } from './principal/secrets.ts';
import type { RetentionRule } from './store/retention.ts';
import type { Executor } from './store/schema.ts';
import { defineTables, type Row } from './store/tables/table-set.ts';

const COLUMNS = {
  /** Hash of the handle. */
  id: 'text primary key',
  user_id: 'text not null references users (id) on delete cascade',
  /** For the user, and the grant or token. */
  sealed: 'text not null',
  created_at: 'bigint not null',
} as const;

/** A stored value. */
export type SealedCacheRow = Row<typeof COLUMNS>;

export const CACHE_TTL_MS = 600_000;

/**
 * Returns the table of a module that stores such values, and its retention rule.
 *
 * @param why the reason why old rows are not read any more.
 */
export function sealedCacheTable(owner: string, table: string, why: string) {
  const tables = defineTables(owner, {
    [table]: {
      columns: COLUMNS,
      indexes: { [`${table}_by_time`]: '(created_at)', [`${table}_by_user`]: '(user_id, created_at)' },
    },
  });
  const retention = (): RetentionRule[] => [{ table, key: 'id', column: 'created_at', keepMs: CACHE_TTL_MS, why }];
  return { tables, retention };
}

/** Values of one kind, each JSON. */
export interface SealedCache<Value> {
  /** Stores a value for `read`. @param value without raw numbers, which do not reach a thread. @returns the handle. */
  store(owner: Principal, value: Value): Promise<string>;
  /**
   * @returns undefined if there is none, it is too old, it belongs to another user, grant or client, or the access has changed since.
   * @throws {StoredValueBusyError}
   */
  read(owner: Principal, handle: string): Promise<Value | undefined>;
  /** Stores a value for `take`, which reads it under any access of the grant that has the same shared accounts. @returns the handle. */
  storeForOneUse(owner: Principal, value: Value): Promise<string>;
  /** Returns a value of `storeForOneUse` and removes it. Undefined as for `read`. */
  take(owner: Principal, handle: string): Promise<Value | undefined>;
}

interface Options extends LongSealing {
  readonly db: Executor;
  /** The operator's rules of withheld members. */
  readonly rules: readonly unknown[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly table: string;
  /** Of handles. */
  readonly prefix: string;
  /** Values of one user. The oldest make room. */
  readonly maxPerUser: number;
}

/** Values in a table that `sealedCacheTable` declares. */
export function createSealedCache<Value>(options: Options): SealedCache<Value> {
  const { now, prefix, maxPerUser } = options;
  // The name of the table is known only at run time, so the types have one name for all.
  const table = options.table as 'sealed_cache';
  const db = options.db as unknown as Kysely<{ sealed_cache: SealedCacheRow }>;
  const purpose = table.replaceAll('_', ' ');
  const sealer = createValueSealer({ keys: options.keys, purpose });
  const longSealer = createLongSealer(options, purpose);
  const idOf = (handle: string): string => hashSecret(options.db, `${purpose} ${handle}`);
  const find = async (owner: Principal, handle: string, access: string) => {
    const id = idOf(handle);
    const rows = db.selectFrom(table).select('sealed').where('id', '=', id);
    const row = await rows.where('user_id', '=', owner.userId).executeTakeFirst();
    return row && { sealed: row.sealed, opening: { holder: `${holderOf(owner, id)}${access}`, now: now() } };
  };
  const begin = (owner: Principal, access: string) => {
    const handle = `${prefix}${randomBytes(16).toString('base64url')}`;
    const id = idOf(handle);
    return { handle, id, sealing: { holder: `${holderOf(owner, id)}${access}`, expiresAt: now() + CACHE_TTL_MS } };
  };
  const insert = async (userId: string, id: string, sealed: string) => {
    const otherValues = db.selectFrom(table).select('id').where('user_id', '=', userId).where('id', '!=', id);
    const newest = otherValues
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .limit(maxPerUser - 1);
    await db.insertInto(table).values({ id, user_id: userId, sealed, created_at: now() }).execute();
    await db
      .deleteFrom(table)
      .where('user_id', '=', userId)
      .where('id', '!=', id)
      .where('id', 'not in', newest)
      .execute();
  };
  const accessOf = (owner: Principal): string => accessKeyOf(owner, options.rules);
  return {
    async store(owner, value) {
      const { handle, id, sealing } = begin(owner, accessOf(owner));
      await insert(owner.userId, id, await longSealer.seal(owner.userId, value, sealing));
      return handle;
    },
    async read(owner, handle) {
      const entry = await find(owner, handle, accessOf(owner));
      return entry && ((await longSealer.open(owner.userId, entry.sealed, entry.opening)) as Value | undefined);
    },
    async storeForOneUse(owner, value) {
      const { handle, id, sealing } = begin(owner, shareKeyOf(owner));
      await insert(owner.userId, id, sealer.seal(value, sealing));
      return handle;
    },
    async take(owner, handle) {
      const entry = await find(owner, handle, shareKeyOf(owner));
      const value = entry && (sealer.open(entry.sealed, entry.opening) as Value | undefined);
      if (value === undefined) return undefined;
      const { numDeletedRows } = await db.deleteFrom(table).where('id', '=', idOf(handle)).executeTakeFirst();
      return numDeletedRows === 0n ? undefined : value;
    },
  };
}

/** All that a caller may do, and what the operator withholds: a value that is stored under one access is not read under another. */
export function accessKeyOf(owner: Principal, rules: readonly unknown[]): string {
  const { services, scopes, permission } = owner;
  const { only, without, pins, accounts, allows } = permission;
  return JSON.stringify([services, scopes, only, without, pins, accounts, allows, rules]) + shareKeyOf(owner);
}

/** What teams share with a caller: a value that one of their accounts gave is not read without it. Empty if there is nothing. */
function shareKeyOf(owner: Principal): string {
  const shares = sharesOf(owner);
  return shares.length === 0 ? '' : JSON.stringify(shares);
}

/** Of a grant: its later tokens read what its earlier ones left. */
export function holderOf({ userId, grantId, tokenId }: Principal, id: string): string {
  return JSON.stringify([id, userId, grantId === null ? 'token' : 'grant', grantId ?? tokenId]);
}
