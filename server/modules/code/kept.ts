/** What a run leaves for a later one, sealed, for ten minutes: a result that is too large, or calls that wait for approval. */

import { randomBytes } from 'node:crypto';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import type { Principal } from '../../base/principal/principal.ts';
import { hashSecret } from '../../base/principal/secrets.ts';
import { createTables, type TableSet } from '../../base/store/migrations/table-set.ts';
import type { Executor } from '../../base/store/schema.ts';

interface KeptByCodeTable {
  /** Hash of the handle. */
  id: string;
  user_id: string;
  /** For the user and the grant. */
  sealed: string;
  created_at: number;
}

declare module '../../base/store/schema.ts' {
  interface Database {
    kept_by_code: KeptByCodeTable;
  }
}

const baseline = createTables(
  () => `
create table kept_by_code (
  id text primary key,
  user_id text not null references users (id) on delete cascade,
  sealed text not null,
  created_at bigint not null
);
create index kept_by_code_by_time on kept_by_code (created_at);
create index kept_by_code_by_user on kept_by_code (user_id, created_at);`,
);

export const CODE_TABLES: TableSet = {
  owner: 'code',
  tables: ['kept_by_code'],
  migrations: { '0001-baseline': baseline },
};

export const KEEP_MS = 600_000;

/** Of one user. The oldest make room. */
const MAX_KEPT = 10;

/** A result as its JSON, or calls that wait. */
export type Kept =
  | { readonly result: string }
  | { readonly calls: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[] };

/** Keeps values in the store, so that any node reads them. */
export interface KeptValues {
  /** @returns the handle. */
  keep(owner: Principal, value: Kept): Promise<string>;
  /** A result. @returns undefined: there is none, it is too old, of another user, grant or client, or was kept under another access. */
  read(owner: Principal, handle: string): Promise<Kept | undefined>;
  /** Calls that wait, once: the next reader gets nothing. Each is checked again when it is made. */
  take(owner: Principal, handle: string): Promise<Kept | undefined>;
}

/** @param options.keys of the module. @param options.rules what the operator withholds. @param options.now milliseconds since 1970. */
export function createKeptValues(options: {
  readonly db: Executor;
  readonly keys: readonly EncryptionKey[];
  readonly rules: readonly unknown[];
  readonly now: () => number;
}): KeptValues {
  const { db, now } = options;
  const sealer = createValueSealer({ keys: options.keys, purpose: 'kept by code' });
  const idOf = (handle: string): string => hashSecret(db, `kept by code ${handle}`);
  const open = async (owner: Principal, handle: string, under: string): Promise<Kept | undefined> => {
    const id = idOf(handle);
    const rows = db.selectFrom('kept_by_code').select('sealed').where('id', '=', id);
    const row = await rows.where('user_id', '=', owner.userId).executeTakeFirst();
    const holder = `${holderOf(owner, id)}${under}`;
    return row && (sealer.open(row.sealed, { holder, now: now() }) as Kept | undefined);
  };
  const accessOf = ({ services, scopes, permission: { only, without, pins, accounts } }: Principal): string =>
    JSON.stringify([services, scopes, only, without, pins, accounts, options.rules]);
  return {
    async keep(owner, value) {
      const handle = `kept_${randomBytes(16).toString('base64url')}`;
      const { userId } = owner;
      const id = idOf(handle);
      const under = 'result' in value ? accessOf(owner) : '';
      const sealed = sealer.seal(value, { holder: `${holderOf(owner, id)}${under}`, expiresAt: now() + KEEP_MS });
      const newest = db.selectFrom('kept_by_code').select('id').where('user_id', '=', userId);
      await db.insertInto('kept_by_code').values({ id, user_id: userId, sealed, created_at: now() }).execute();
      await db
        .deleteFrom('kept_by_code')
        .where('user_id', '=', userId)
        .where('id', 'not in', newest.orderBy('created_at', 'desc').orderBy('id').limit(MAX_KEPT))
        .execute();
      return handle;
    },
    read: (owner, handle) => open(owner, handle, accessOf(owner)),
    async take(owner, handle) {
      const value = await open(owner, handle, '');
      if (value === undefined) return undefined;
      const { numDeletedRows } = await db.deleteFrom('kept_by_code').where('id', '=', idOf(handle)).executeTakeFirst();
      return numDeletedRows === 0n ? undefined : value;
    },
  };
}

/** Of a grant: its later tokens read what its earlier ones left. */
function holderOf({ userId, grantId, tokenId }: Principal, id: string): string {
  return JSON.stringify([id, userId, grantId === null ? 'token' : 'grant', grantId ?? tokenId]);
}
