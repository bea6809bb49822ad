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
/** The row that is there until every credential is sealed with the key. */
const UNKEYED_ID = 'carry-over';
const KEY_BYTES = 32;
const PURPOSE = 'store key';
const NEVER = Number.MAX_SAFE_INTEGER;
const BATCH_ROWS = 1_000;

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

/** The vault of a store, as it is now. @throws {StoreUnavailableError} if the ring does not open the store's key. */
export async function openVault(executor: Executor, ring: readonly EncryptionKey[]): Promise<CredentialVault> {
  const storeKey = await readStoreKey(executor, ring);
  const isCarryingOver = await hasUnkeyed(executor, ring);
  return createCredentialVault({ keys: ring, storeKey, opensUnkeyed: () => isCarryingOver });
}

/** For a command: hashes depend on the store's key. With a ring that does not open it, hashing fails and says so. */
export async function joinStoreKey(db: Executor, ring: readonly EncryptionKey[]): Promise<void> {
  const key = await readStoreKey(db, ring).catch((error: unknown) => {
    if (error instanceof StoreUnavailableError) return error;
    throw error;
  });
  if (key !== null) keySecrets(db, key);
}

/** The key of a store, for a gateway. */
interface StartedStoreKey {
  readonly vault: CredentialVault;
  /** False if the store stays without a key for now. */
  readonly isKeyed: boolean;
  /** Seals what was sealed without the key; see `CarryOver`. Null if there is nothing left. */
  readonly carryOver: CarryOver | null;
}

/**
 * Seals credentials again that were sealed without the store's key, while gateways run. Until it is done, the vault opens both forms, so that
 * nothing waits for it. Several gateways may do it at once, and the next start continues one that was interrupted.
 *
 * @param onBatch called after each hundred credentials with the number so far, and awaited.
 * @returns the number of credentials that were sealed again.
 */
export type CarryOver = (onBatch: (resealed: number) => Promise<void>) => Promise<number>;

/**
 * Opens the store's key for a gateway, sealed with the ring's first key from now on, and creates the vault.
 *
 * A store without a key gets one, and its hashes are keyed in the same transaction; `carryOver` seals its credentials again later. Gateways
 * that are connected to the same PostgreSQL database could not read those rows: if there are any, the store stays as it is, and `isKeyed` is false.
 *
 * @param tables every table with values that the gateway seals.
 * @throws {StoreUnavailableError} if the ring does not open the key, or the key was removed.
 */
export async function startStoreKey(
  db: Kysely<Database>,
  ring: readonly EncryptionKey[],
  tables: readonly SealedRows[],
): Promise<StartedStoreKey> {
  let isCarryingOver = false;
  const storeKey = await db.transaction().execute(async (transaction) => {
    if (locksRows(transaction)) await sql`lock table store_keys in exclusive mode`.execute(transaction);
    const existingKey = await readStoreKey(transaction, ring);
    if (existingKey === null) await refuseIfGone(transaction);
    if (existingKey === null && !(await mayCarryOver(transaction))) return null;
    const key = existingKey ?? randomBytes(KEY_BYTES);
    if (existingKey === null) {
      await keyDigests(transaction, key);
      if (await isUsed(transaction)) await save(transaction, ring, { id: UNKEYED_ID, text: '' });
    }
    await save(transaction, ring, { id: ID, text: Buffer.from(key).toString('base64url') });
    isCarryingOver = await hasUnkeyed(transaction, ring);
    return key;
  });
  if (storeKey !== null) keySecrets(db, storeKey);
  const vault = createCredentialVault({ keys: ring, storeKey, opensUnkeyed: () => isCarryingOver });
  const carryOver: CarryOver = async (onBatch) => {
    const { resealed, unreadable } = await rotateKeys(db, vault, tables, onBatch);
    const isKeyMissing = [...unreadable.keys()].some((keyId) => keyId !== null);
    if (isKeyMissing) return resealed;
    await db.deleteFrom('store_keys').where('id', '=', UNKEYED_ID).execute();
    isCarryingOver = false;
    return resealed;
  };
  return { vault, isKeyed: storeKey !== null, carryOver: isCarryingOver ? carryOver : null };
}

/** Returns true if the store may hold credentials that were sealed without its key. The mark is sealed, so no one else can set it. */
async function hasUnkeyed(executor: Executor, ring: readonly EncryptionKey[]): Promise<boolean> {
  const row = await executor.selectFrom('store_keys').select('sealed').where('id', '=', UNKEYED_ID).executeTakeFirst();
  if (row === undefined || ring.length === 0) return false;
  return createValueSealer({ keys: ring, purpose: PURPOSE }).open(row.sealed, { holder: UNKEYED_ID, now: 0 }) === '';
}

async function save(
  transaction: Executor,
  ring: readonly EncryptionKey[],
  { id, text }: { readonly id: string; readonly text: string },
): Promise<void> {
  const sealer = createValueSealer({ keys: ring, purpose: PURPOSE });
  const sealed = sealer.seal(text, { holder: id, expiresAt: NEVER });
  await transaction
    .insertInto('store_keys')
    .values({ id, sealed })
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

/** Returns true if the store may hold secrets: without a partner it has none. */
async function isUsed(transaction: Executor): Promise<boolean> {
  return (await transaction.selectFrom('partners').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** Returns true if the store is new, or this is the only gateway. */
async function mayCarryOver(transaction: Executor): Promise<boolean> {
  if (!locksRows(transaction)) return true;
  if (!(await isUsed(transaction))) return true;
  const { rows } = await sql`
    select 1 from pg_stat_activity where datname = current_database() and application_name = 'unified-tool-gateway'
       and pid <> pg_backend_pid() limit 1`.execute(transaction);
  return rows.length === 0;
}

/** Keys every digest, which needs no secret. */
async function keyDigests(transaction: Executor, key: Uint8Array): Promise<void> {
  const dialect = locksRows(transaction) ? 'postgres' : 'sqlite';
  const each = sql.raw(dialect === 'postgres' ? 'json_each_text' : 'json_each');
  for (const { name, key: id, columns } of await describeTables<Database>(transaction, dialect)) {
    for (const { name: column } of columns.filter(({ name: columnName }) => HASHES.test(columnName))) {
      const [table, row, hash] = [sql.table(name), sql.ref(`${name}.${id}`), sql.ref(column)];
      const { rows } = await sql<{ row: string; digest: string | null }>`
        select ${row} as row, ${hash} as digest from ${table}`.execute(transaction);
      for (let at = 0; at < rows.length; at += BATCH_ROWS) {
        const keyed: Record<string, string> = {};
        for (const { row: rowId, digest } of rows.slice(at, at + BATCH_ROWS)) {
          if (digest !== null && DIGEST.test(digest)) keyed[rowId] = keyDigest(key, digest);
        }
        await sql`
          update ${table} set ${hash} = keyed.value from ${each}(${JSON.stringify(keyed)}) as keyed
           where ${row} = keyed.key`.execute(transaction);
      }
    }
  }
}
