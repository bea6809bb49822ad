/** What a call leaves for a later one, sealed in the store for a while, so that any node reads it. */

import { randomBytes } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { EncryptionKey } from './credentials/index.ts';
import { createValueSealer } from './credentials/sealed-value.ts';
import type { Principal } from './principal/principal.ts';
import { hashSecret } from './principal/secrets.ts';
import { createTables, type TableSet } from './store/migrations/table-set.ts';
import type { RetentionRule } from './store/retention.ts';
import type { Executor } from './store/schema.ts';

export interface KeptRow {
  /** Hash of the handle. */
  id: string;
  user_id: string;
  /** For the user and, unless any client of the user may read it, the grant. */
  sealed: string;
  created_at: number;
}

export const KEEP_MS = 600_000;

/** The table of a module that keeps values, and how long. @param why nobody reads them later. */
export function keptTable(owner: string, table: string, why: string, keepMs = KEEP_MS) {
  const baseline = createTables(
    () => `
create table ${table} (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  sealed text not null,
  created_at bigint not null
);
create index ${table}_by_time on ${table} (created_at);
create index ${table}_by_user on ${table} (user_id, created_at);`,
  );
  const tables: TableSet = { owner, tables: [table], migrations: { '0001-baseline': baseline } };
  const retention = (): RetentionRule[] => [{ table, key: 'id', column: 'created_at', keepMs, why }];
  return { tables, retention };
}

/** Values of one kind, each JSON. */
export interface KeptValues<Value> {
  /** @returns the handle. */
  keep(owner: Principal, value: Value): Promise<string>;
  /** @returns undefined: there is none, it is too old, of another user, grant or client, or was kept under another access. */
  read(owner: Principal, handle: string): Promise<Value | undefined>;
  /** For `take`, under any access of the grant. @returns the handle. */
  keepOnce(owner: Principal, value: Value): Promise<string>;
  /** What `keepOnce` kept, once: the next reader gets nothing. */
  take(owner: Principal, handle: string): Promise<Value | undefined>;
  /** For the user, whichever client asks. @param create the value, which may have its handle. */
  keepForUser(userId: string, create: (handle: string) => Value): Promise<void>;
  /** What `keepForUser` kept, newest first. */
  listOfUser(userId: string): Promise<readonly Value[]>;
  drop(handle: string): Promise<void>;
}

interface Options {
  readonly db: Executor;
  /** Of the module. */
  readonly keys: readonly EncryptionKey[];
  /** What the operator withholds. */
  readonly rules: readonly unknown[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly table: string;
  /** Of handles. */
  readonly prefix: string;
  /** Values of one user. The oldest make room. */
  readonly most: number;
  /** Milliseconds. Default: `KEEP_MS`. */
  readonly keepMs?: number;
}

/** Values in a table that `keptTable` declares. */
export function createKeptValues<Value>(options: Options): KeptValues<Value> {
  const { now, prefix, most, keepMs = KEEP_MS } = options;
  const table = options.table as 'kept';
  const db = options.db as unknown as Kysely<{ kept: KeptRow }>;
  const purpose = table.replaceAll('_', ' ');
  const sealer = createValueSealer({ keys: options.keys, purpose });
  const idOf = (handle: string): string => hashSecret(options.db, `${purpose} ${handle}`);
  const open = async (owner: Principal, handle: string, under: string): Promise<Value | undefined> => {
    const id = idOf(handle);
    const rows = db.selectFrom(table).select('sealed').where('id', '=', id);
    const row = await rows.where('user_id', '=', owner.userId).executeTakeFirst();
    const holder = `${holderOf(owner, id)}${under}`;
    return row && (sealer.open(row.sealed, { holder, now: now() }) as Value | undefined);
  };
  const newHandle = () => `${prefix}${randomBytes(16).toString('base64url')}`;
  const insert = async (userId: string, value: Value, { id, holder }: { id: string; holder: string }) => {
    const sealed = sealer.seal(value, { holder, expiresAt: now() + keepMs });
    const newest = db.selectFrom(table).select('id').where('user_id', '=', userId);
    await db.insertInto(table).values({ id, user_id: userId, sealed, created_at: now() }).execute();
    await db
      .deleteFrom(table)
      .where('user_id', '=', userId)
      .where('id', 'not in', newest.orderBy('created_at', 'desc').orderBy('id').limit(most))
      .execute();
  };
  const keep = async (owner: Principal, value: Value, under: string): Promise<string> => {
    const handle = newHandle();
    const id = idOf(handle);
    await insert(owner.userId, value, { id, holder: `${holderOf(owner, id)}${under}` });
    return handle;
  };
  const accessOf = (owner: Principal): string => wholeAccessOf(owner, options.rules);
  return {
    keep: (owner, value) => keep(owner, value, accessOf(owner)),
    read: (owner, handle) => open(owner, handle, accessOf(owner)),
    keepOnce: (owner, value) => keep(owner, value, ''),
    async take(owner, handle) {
      const value = await open(owner, handle, '');
      if (value === undefined) return undefined;
      const { numDeletedRows } = await db.deleteFrom(table).where('id', '=', idOf(handle)).executeTakeFirst();
      return numDeletedRows === 0n ? undefined : value;
    },
    async keepForUser(userId, create) {
      const handle = newHandle();
      const id = idOf(handle);
      await insert(userId, create(handle), { id, holder: JSON.stringify([id, userId]) });
    },
    async listOfUser(userId) {
      const rows = db.selectFrom(table).select(['id', 'sealed']).where('user_id', '=', userId);
      const kept = await rows.orderBy('created_at', 'desc').orderBy('id').execute();
      const holderIn = (id: string) => ({ holder: JSON.stringify([id, userId]), now: now() });
      return kept.flatMap(({ id, sealed }) => (sealer.open(sealed, holderIn(id)) as Value | undefined) ?? []);
    },
    async drop(handle) {
      await db.deleteFrom(table).where('id', '=', idOf(handle)).execute();
    },
  };
}

/** All that a caller may do, and what the operator withholds: what is kept under one access is not read under another. */
export function wholeAccessOf(
  { services, scopes, permission: { only, without, pins, accounts } }: Principal,
  rules: readonly unknown[],
): string {
  return JSON.stringify([services, scopes, only, without, pins, accounts, rules]);
}

/** Of a grant: its later tokens read what its earlier ones left. */
export function holderOf({ userId, grantId, tokenId }: Principal, id: string): string {
  return JSON.stringify([id, userId, grantId === null ? 'token' : 'grant', grantId ?? tokenId]);
}
