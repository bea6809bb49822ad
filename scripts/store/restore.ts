/** Replaces a SQLite store with a backup. */

import { copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import SqliteDatabase from 'better-sqlite3';
import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import { toCallsPath } from '../../server/base/store/call-file.ts';
import { SQLITE_CHANGES_TABLE } from '../../server/base/store/tables/count-changes.ts';
import type { Config } from '../../server/config/index.ts';
import { modulesOf, subscribeModules } from '../../server/module.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { openAlone, requireStopped } from './alone.ts';
import { checkFile, sync } from './backup.ts';
import { examine, requireKeys } from './copy/index.ts';
import { type EndedAccess, endAccess } from './end-access.ts';

/** The restored store. */
interface Restored extends Awaited<ReturnType<typeof examine>> {
  /** Null if access was kept. */
  readonly ended: EndedAccess | null;
  /** Path of the previous store now. Null if there was no store. */
  readonly setAside: string | null;
}

/**
 * Returns the paths of all files of a store: its file, that of its call records, and the files that SQLite keeps next to each. Files of another store
 * would destroy it.
 */
const storeFiles = (path: string) =>
  [path, toCallsPath(path)].flatMap((file) => ['', '-wal', '-shm'].map((ending) => file + ending));

/**
 * Restores into a copy, which replaces the store when it is ready. The previous store is kept under another name.
 *
 * @param options.from path of the backup. @param options.to path of the store.
 * @param options.keepAccess leaves tokens, codes and sessions as they were when the backup was made.
 * @throws {FailureError} in one sentence; the store is then unchanged.
 */
export async function restoreFile(options: {
  readonly from: string;
  readonly to: string;
  readonly config: { readonly modules: Config['modules'] };
  readonly keys: readonly EncryptionKey[];
  readonly keepAccess: boolean;
  readonly now: number;
}): Promise<Restored> {
  const { from, to, config, keys, keepAccess, now } = options;
  if (existsSync(to)) requireStopped(to);
  checkFile(from);
  const draft = `${to}.restoring`;
  removeFile(draft);
  try {
    copyFile(from, draft);
    for (const file of [draft, toCallsPath(draft)]) if (existsSync(file)) requireOwnObjects(file);
    const { db, close } = await openAlone(`sqlite:${draft}`, '--from');
    let summary: Omit<Restored, 'setAside'>;
    try {
      await requireKeys({ db }, keys);
      await subscribeModules(config, { db, findKeys: () => keys, log: null });
      const ended = keepAccess ? null : await endAccess(db, modulesOf(config), now);
      summary = { ended, ...(await examine(db, keys)) };
    } finally {
      await close();
    }
    for (const file of [draft, toCallsPath(draft)]) sync(file);
    const setAside = setFileAside(to, now);
    renameSync(toCallsPath(draft), toCallsPath(to));
    renameSync(draft, to);
    return { ...summary, setAside };
  } finally {
    removeFile(draft);
  }
}

/** Copies a store together with what a killed process left in write-ahead logs. */
function copyFile(from: string, to: string): void {
  for (const file of storeFiles(from))
    if (existsSync(file) && !file.endsWith('-shm')) copyFileSync(file, to + file.slice(from.length));
}

/**
 * Refuses a file with objects that no gateway creates, and with objects that act by themselves: a trigger could restore revoked access, and a
 * computed column could hide it.
 *
 * @throws {FailureError}
 */
function requireOwnObjects(path: string): void {
  const file = new SqliteDatabase(path);
  try {
    // The gateway creates its triggers again when it opens the store, whatever was under their names.
    for (const name of file.prepare<[], string>(OWN_TRIGGERS).pluck().all()) file.exec(`drop trigger "${name}"`);
    const foreignObject = file.prepare<[], { kind: string; name: string }>(FOREIGN_OBJECTS).get();
    if (foreignObject === undefined) return;
    throw new FailureError(
      `--from has the ${foreignObject.kind} ${foreignObject.name}, which no gateway creates: it could give back what is revoked. Remove it, or take another backup.`,
    );
  } finally {
    file.close();
  }
}

const OWN_TRIGGERS = `
  select name from sqlite_master where type = 'trigger' and name glob '${SQLITE_CHANGES_TABLE}_*' and name not like '%"%'`;

const FOREIGN_OBJECTS = `
  select type as kind, name from sqlite_master where type in ('trigger', 'view')
  union all
  select 'virtual table', name from sqlite_master where sql like 'create virtual table%'
  union all
  select 'computed column', t.name || '.' || c.name
    from sqlite_master as t, pragma_table_xinfo(t.name) as c where t.type = 'table' and c.hidden in (2, 3)`;

function setFileAside(path: string, now: number): string | null {
  const aside = `${path}.before-restore-${new Date(now).toISOString().replaceAll(/[:.]/g, '')}`;
  if (existsSync(aside)) throw new FailureError(`${aside} already exists: move it away.`);
  const hadStore = existsSync(path);
  for (const file of storeFiles(path)) if (existsSync(file)) renameSync(file, aside + file.slice(path.length));
  return hadStore ? aside : null;
}

function removeFile(path: string): void {
  for (const file of storeFiles(path)) rmSync(file, { force: true });
}
