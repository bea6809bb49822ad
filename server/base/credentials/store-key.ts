/**
 * The key of a store: 32 random bytes that hashes of secrets and sealed credentials depend on, so that a row that someone else writes opens
 * nothing. The store holds it sealed, so only the key ring opens it, and it stays the same when the ring changes.
 */

import { randomBytes } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { keyDigest, keySecrets } from '../principal/secrets.ts';
import { locksRows } from '../store/conflicts.ts';
import type { SealedRows } from '../store/repositories/sealed-credentials.ts';
import type { Database, Executor } from '../store/schema.ts';
import { describeTables } from '../store/tables/describe.ts';
import { StoreUnavailableError } from '../store/unavailable.ts';
import { type CredentialVault, createCredentialVault, type EncryptionKey } from './index.ts';
import { rotateKeys } from './rotate-keys.ts';
import { createValueSealer } from './sealed-value.ts';

const ID = 'store';
const KEY_BYTES = 32;
const PURPOSE = 'store key';
const NEVER = Number.MAX_SAFE_INTEGER;

/** Columns with hashes of secrets that give access. */
const HASHES = /^(token|secret|code)_hash$/;
const DIGEST = /^[A-Za-z0-9_-]{43}$/;

const KEY_IS_GONE =
  'The database that DATABASE_URL names holds credentials, but its own key is gone from the table store_keys, without which ' +
  'nothing in it opens: someone removed it. Restore a backup (docs/guides/store.md).';

/**
 * @returns null if the store has no key yet.
 * @throws {StoreUnavailableError} if the ring does not open it.
 */
export async function readStoreKey(executor: Executor, ring: readonly EncryptionKey[]): Promise<Uint8Array | null> {
  const row = await executor.selectFrom('store_keys').select('sealed').where('id', '=', ID).executeTakeFirst();
  if (row === undefined) return null;
  const sealer = ring.length === 0 ? null : createValueSealer({ keys: ring, purpose: PURPOSE });
  const text = sealer?.open(row.sealed, { holder: ID, now: 0 });
  if (typeof text === 'string') return Buffer.from(text, 'base64url');
  const [, keyId = ''] = row.sealed.split('.');
  throw new StoreUnavailableError(
    `The store was sealed with the encryption key "${keyId}", which ENCRYPTION_KEYS does not hold, or holds with another value: ` +
      'set ENCRYPTION_KEYS as the gateway of this store, or of this backup, has it.',
  );
}

/** The vault of a store. @throws {StoreUnavailableError} if the ring does not open the store's key. */
export async function openVault(executor: Executor, ring: readonly EncryptionKey[]): Promise<CredentialVault> {
  return createCredentialVault({ keys: ring, storeKey: await readStoreKey(executor, ring) });
}

/** For a command: hashes depend on the store's key. With a ring that does not open it, hashing fails and says so. */
export async function joinStoreKey(db: Executor, ring: readonly EncryptionKey[]): Promise<void> {
  const key = await readStoreKey(db, ring).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError) return error;
    throw error;
  });
  if (key !== null) keySecrets(db, key);
}

/**
 * Opens the store's key for a gateway, sealed with the ring's first key from now on, and creates the vault.
 *
 * A store without a key gets one, and its rows are sealed again in the same transaction. Gateways that are connected to the same PostgreSQL database
 * could not read those rows: if there are any, the store stays as it is, and `isKeyed` is false.
 *
 * @param tables every table with values that the gateway seals.
 * @throws {StoreUnavailableError} if the ring does not open the key, or the key was removed.
 */
export async function startStoreKey(
  db: Kysely<Database>,
  ring: readonly EncryptionKey[],
  tables: readonly SealedRows[],
): Promise<{ readonly vault: CredentialVault; readonly isKeyed: boolean }> {
  const storeKey = await db.transaction().execute(async (transaction) => {
    if (locksRows(transaction)) await sql`lock table store_keys in exclusive mode`.execute(transaction);
    const existingKey = await readStoreKey(transaction, ring);
    if (existingKey === null) await refuseIfGone(transaction);
    if (existingKey === null && !(await mayCarryOver(transaction))) return null;
    const key = existingKey ?? randomBytes(KEY_BYTES);
    if (existingKey === null) await carryOver(transaction, { key, ring, tables });
    await saveKey(transaction, key, ring);
    return key;
  });
  if (storeKey !== null) keySecrets(db, storeKey);
  return { vault: createCredentialVault({ keys: ring, storeKey }), isKeyed: storeKey !== null };
}

async function saveKey(transaction: Executor, key: Uint8Array, ring: readonly EncryptionKey[]): Promise<void> {
  const sealer = createValueSealer({ keys: ring, purpose: PURPOSE });
  const sealed = sealer.seal(Buffer.from(key).toString('base64url'), { holder: ID, expiresAt: NEVER });
  await transaction
    .insertInto('store_keys')
    .values({ id: ID, sealed })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ sealed }))
    .execute();
}

/** A store that has credentials of this version had a key. Without it, someone else's rows would be carried over as the gateway's own. */
async function refuseIfGone(transaction: Executor): Promise<void> {
  const credential = await transaction
    .selectFrom('connections')
    .select('id')
    .where('sealed_credential', 'like', 'v3.%')
    .limit(1)
    .executeTakeFirst();
  if (credential !== undefined) throw new StoreUnavailableError(KEY_IS_GONE);
}

/** Returns true if the store is new, or this is the only gateway. */
async function mayCarryOver(transaction: Executor): Promise<boolean> {
  if (!locksRows(transaction)) return true;
  const partner = await transaction.selectFrom('partners').select('id').limit(1).executeTakeFirst();
  if (partner === undefined) return true;
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and application_name = 'unified-tool-gateway'
       and pid <> pg_backend_pid() limit 1`.execute(transaction);
  return rows.length === 0;
}

interface CarryOver {
  readonly key: Uint8Array;
  readonly ring: readonly EncryptionKey[];
  readonly tables: readonly SealedRows[];
}

/** Keys every digest, which needs no secret, and seals every credential again. */
async function carryOver(transaction: Executor, { key, ring, tables }: CarryOver): Promise<void> {
  const dialect = locksRows(transaction) ? 'postgres' : 'sqlite';
  for (const { name, key: id, columns } of await describeTables<Database>(transaction, dialect)) {
    for (const { name: column } of columns.filter((each) => HASHES.test(each.name))) {
      const table = name as 'access_tokens';
      const row = id as 'id';
      const hash = column as 'token_hash';
      const rows = await transaction
        .selectFrom(table)
        .select([`${row} as row`, `${hash} as hash`])
        .execute();
      for (const { row: rowId, hash: digest } of rows) {
        if (digest === null || !DIGEST.test(digest)) continue;
        await transaction
          .updateTable(table)
          .set({ [hash]: keyDigest(key, digest) })
          .where(row, '=', rowId)
          .execute();
      }
    }
  }
  const vault = createCredentialVault({ keys: ring, storeKey: key });
  await rotateKeys(transaction, vault, tables, createCredentialVault({ keys: ring }));
}
