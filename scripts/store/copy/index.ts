/** Copies a store to a database of either kind, and verifies the copy before committing it. */

import type { EncryptionKey } from '../../../server/base/credentials/index.ts';
import { type OpenableCounts, openEach } from '../../../server/base/credentials/rotate-keys.ts';
import { openVault, readStoreKey } from '../../../server/base/credentials/store-key.ts';
import { putTimesIntoCallIds } from '../../../server/base/store/call-file.ts';
import { compareMigrations, listMigrations } from '../../../server/base/store/migrate.ts';
import type { Executor } from '../../../server/base/store/schema.ts';
import { describeTables, type TableDescription } from '../../../server/base/store/tables/describe.ts';
import { StoreUnavailableError } from '../../../server/base/store/unavailable.ts';
import { sealedRowsOf, tableSetsOf } from '../../../server/module.ts';
import { loadAuditKeys } from '../../../server/modules/audit/keys.ts';
import { audit } from '../../../server/modules/audit/module.ts';
import { type AuditVerdict, verifyAuditTrail } from '../../../server/modules/audit/verify.ts';
import { loadModules, TABLES_OF_REMOVED_MODULES } from '../../../server/modules/index.ts';
import { FailureError } from '../../../shared/cli/run.ts';
import type { OpenDatabase } from '../alone.ts';
import { type AnyDatabase, type CopyProgress, copyRows, countRows } from './rows.ts';

/** A report on the copied rows, read from the target. */
interface CopyReport {
  readonly tables: number;
  readonly rows: number;
  readonly credentials: OpenableCounts;
  /** Of the audit trail. The source has the same problems, because its rows are the same. */
  readonly audit: AuditVerdict;
}

interface CopyOptions {
  readonly source: OpenDatabase;
  readonly target: OpenDatabase;
  readonly keys: readonly EncryptionKey[];
  readonly onProgress?: (progress: CopyProgress) => void;
}

/**
 * Copies every row of every table but those of removed modules, in one transaction on each side: the source is read as of one moment, and the target gets all or
 * nothing. The copy is read back and compared before it is committed.
 *
 * @throws {FailureError} before anything is written: for databases of different versions, a target with rows, and keys of another gateway.
 */
export async function copyStore({ source, target, keys, onProgress = () => {} }: CopyOptions): Promise<CopyReport> {
  await requireSameVersion(source, target);
  await requireKeys(source, keys);
  const removed = new Set(TABLES_OF_REMOVED_MODULES.flatMap((set) => set.tables));
  const tables = (await describeTables(source.db, source.dialect)).filter(({ name }) => !removed.has(name));
  const reading = source.db.transaction();
  const snapshot = source.dialect === 'sqlite' ? reading : reading.setIsolationLevel('repeatable read');
  return snapshot.execute((from) =>
    target.db.transaction().execute(async (to) => {
      await requireEmpty(to as unknown as AnyDatabase, tables);
      const rows = await copyRows(from as unknown as AnyDatabase, to as unknown as AnyDatabase, tables, onProgress);
      if (target.dialect === 'sqlite') await putTimesIntoCallIds(to as unknown as AnyDatabase);
      return { tables: tables.length, rows, ...(await examine(to, keys)) };
    }),
  );
}

/** Checks what the keys can decrypt and verify in a store. */
export async function examine(
  executor: Executor,
  keys: readonly EncryptionKey[],
): Promise<{ readonly credentials: CopyReport['credentials']; readonly audit: CopyReport['audit'] }> {
  const credentials = await openEach(executor, await openVault(executor, keys), sealedRowsOf(loadModules()));
  if (!keepsTrail()) return { credentials, audit: { verified: 0, problems: [] } };
  return { credentials, audit: await verifyAuditTrail(executor, (await loadAuditKeys(executor, keys)).keys) };
}

/** Returns true if the gateway has the module that knows which keys signed the audit trail. */
const keepsTrail = (): boolean => loadModules().some(({ name }) => name === audit.name);

/**
 * Checks that the keys are those of the store.
 *
 * @throws {FailureError} if the ring does not open the store's key, or does not contain any key that the store knows.
 */
export async function requireKeys(
  { db }: { readonly db: OpenDatabase['db'] },
  keys: readonly EncryptionKey[],
): Promise<void> {
  await readStoreKey(db, keys).catch((error: unknown) => {
    throw error instanceof StoreUnavailableError ? new FailureError(error.message) : error;
  });
  if (!keepsTrail() || !(await loadAuditKeys(db, keys)).isForeign) return;
  throw new FailureError('What the store holds was sealed with other keys. Set ENCRYPTION_KEYS as its gateway has it.');
}

async function requireSameVersion(source: OpenDatabase, target: OpenDatabase): Promise<void> {
  const later = async ({ db }: OpenDatabase) =>
    compareMigrations(await listMigrations(db), tableSetsOf(loadModules())).unknown;
  const [one, other] = await Promise.all([later(source), later(target)]);
  if (one.join() === other.join()) return;
  throw new FailureError('A newer gateway migrated one of the two databases: copy with that version.');
}

async function requireEmpty(target: AnyDatabase, tables: readonly TableDescription[]): Promise<void> {
  const used: string[] = [];
  for (const table of tables) {
    const rows = await countRows(target, table.name);
    if (rows > 0) used.push(`${table.name}: ${rows}`);
  }
  if (used.length === 0) return;
  throw new FailureError(
    `The target holds rows (${used.join(', ')}), but a copy needs an empty database: name a new one. A gateway ` +
      'that was started on it once has written some, so copy first and start then.',
  );
}
