/** The table of uploads, and its statements, which decide between requests for the same address. */

import type { Kysely } from 'kysely';
import { lockUser } from '../../base/store/repositories/users.ts';
import { columnsOf, countRows, hasRow, type Row } from '../../base/store/rows.ts';
import type { Database, Executor } from '../../base/store/schema.ts';
import { column, defineTables, type RowsOf } from '../../base/store/tables/table-set.ts';

/** `waiting`: the address can be used. `receiving`: a request sends the file. `stored`: the file is there, and the address is used up. */
export type UploadStatus = 'waiting' | 'receiving' | 'stored';

export const UPLOADS_TABLES = defineTables('uploads', {
  /** A file that someone is to send, or has sent, for a later call. */
  uploads: {
    columns: {
      /** Hash of the handle. */
      id: 'text primary key',
      /** Hash of the one-time address. */
      address: 'text not null unique',
      user_id: 'text not null references users (id) on delete cascade',
      /** Null for a token without a grant. */
      grant_id: 'text references oauth_grants (id) on delete cascade',
      status: column<UploadStatus>('text not null'),
      /** `UploadRequest`, sealed for the address. */
      request: 'text not null',
      /** The file, sealed for its user, client and place. Null until it is stored. */
      sealed: 'text',
      /** Bytes of the file; while it is received, the most that it may have. */
      bytes: 'bigint not null',
      expires_at: 'bigint not null',
    },
    // With `bytes`, so that their sum is read here: SQLite reads a row to its end, and with it the file.
    indexes: {
      uploads_by_user: '(user_id, expires_at, bytes)',
      uploads_by_grant: '(grant_id)',
      uploads_by_expiry: '(expires_at, bytes)',
    },
  },
});

declare module '../../base/store/schema.ts' {
  interface Database extends RowsOf<typeof UPLOADS_TABLES> {}
}

const UPLOAD = columnsOf(UPLOADS_TABLES.tables.uploads);

export type Upload = Row<'uploads', typeof UPLOAD>;

/** Adds an upload that waits. Returns false if the user already has `maxUploads` uploads. @param now milliseconds since 1970. */
export async function insertUpload(
  db: Kysely<Database>,
  upload: Omit<Database['uploads'], 'status' | 'sealed' | 'bytes'>,
  { maxUploads, now }: { readonly maxUploads: number; readonly now: number },
): Promise<boolean> {
  const row = { ...upload, status: 'waiting', sealed: null, bytes: 0 } as const;
  return db.transaction().execute(async (transaction) => {
    await lockUser(transaction, upload.user_id);
    const others = transaction.selectFrom('uploads').where('user_id', '=', upload.user_id);
    if ((await countRows(others.where('expires_at', '>', now))) >= maxUploads) return false;
    await transaction.insertInto('uploads').values(row).execute();
    return true;
  });
}

/** Finds an upload that has not expired by its id. @param now milliseconds since 1970. */
export async function findUpload(
  executor: Executor,
  { id, userId, now }: { readonly id: string; readonly userId: string; readonly now: number },
): Promise<Upload | undefined> {
  return executor
    .selectFrom('uploads')
    .select(UPLOAD)
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .executeTakeFirst();
}

/** An upload by its one-time address, which anyone may use, or by its id. */
export type UploadKey = { readonly address: string } | { readonly id: string };

/** Finds an upload that waits, unless its grant was revoked or its partner is suspended. @param key with the hash of the address. @param now milliseconds since 1970. */
export async function findWaitingUpload(executor: Executor, key: UploadKey, now: number): Promise<Upload | undefined> {
  const query = executor
    .selectFrom('uploads')
    .innerJoin('users', 'users.id', 'uploads.user_id')
    .innerJoin('partners', 'partners.id', 'users.partner_id')
    .leftJoin('oauth_grants', 'oauth_grants.id', 'uploads.grant_id')
    .select(columnsOf(UPLOADS_TABLES.tables.uploads, { alias: 'uploads' }))
    .where('uploads.status', '=', 'waiting')
    .where('uploads.expires_at', '>', now)
    .where('oauth_grants.revoked_at', 'is', null)
    .where('partners.suspended_at', 'is', null);
  const ofKey = 'id' in key ? query.where('uploads.id', '=', key.id) : query.where('uploads.address', '=', key.address);
  return ofKey.executeTakeFirst();
}

/** Lets one request send the file. @param bytes that it may have. @returns false if another request does, or did. */
export async function claimUpload(executor: Executor, { id }: Upload, bytes: number): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('uploads')
      .set({ status: 'receiving', bytes })
      .where('id', '=', id)
      .where('status', '=', 'waiting')
      .returning('id'),
  );
}

/** Lets another request use the address, because no file arrived. */
export async function releaseUpload(executor: Executor, { id }: Upload): Promise<void> {
  await executor
    .updateTable('uploads')
    .set({ status: 'waiting', bytes: 0 })
    .where('id', '=', id)
    .where('status', '=', 'receiving')
    .execute();
}

/** Stores the file. @returns false if the upload was removed meanwhile. */
export async function storeUpload(
  executor: Executor,
  { id }: Upload,
  file: { readonly sealed: string; readonly bytes: number; readonly expires_at: number },
): Promise<boolean> {
  return hasRow(
    executor
      .updateTable('uploads')
      .set({ ...file, status: 'stored' })
      .where('id', '=', id)
      .where('status', '=', 'receiving')
      .returning('id'),
  );
}

/** Returns the bytes of all files that have arrived or are arriving. @param userId only of this user. */
export async function sumUploadBytes(executor: Executor, now: number, userId?: string): Promise<number> {
  let query = executor
    .selectFrom('uploads')
    .select(({ fn }) => fn.sum<number | string | null>('bytes').as('bytes'))
    .where('expires_at', '>', now);
  if (userId !== undefined) query = query.where('user_id', '=', userId);
  return Number((await query.executeTakeFirst())?.bytes ?? 0);
}

/** Deletes files of a user. */
export async function deleteUploads(executor: Executor, userId: string, ids: readonly string[]): Promise<void> {
  await executor.deleteFrom('uploads').where('user_id', '=', userId).where('id', 'in', ids).execute();
}
