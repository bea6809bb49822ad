/** The store command: backs up the store, restores it, and copies it to another database. */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import { LOCAL_KEY_RING_FILE } from '../../server/base/credentials/key-ring.ts';
import type { OpenableCounts } from '../../server/base/credentials/rotate-keys.ts';
import { requireKeyRing, withStore } from '../../server/cli/with-store.ts';
import type { Config } from '../../server/config/index.ts';
import { parseDatabaseUrl } from '../../server/config/values.ts';
import { modulesOf } from '../../server/module.ts';
import type { AuditVerdict } from '../../server/modules/audit/verify.ts';
import { addHelpTable, createCommand, requireOption } from '../../shared/cli/command.ts';
import { type Output, PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { openAlone, requireFile, toPath } from './alone.ts';
import { backUpFile } from './backup.ts';
import { copyStore } from './copy/index.ts';
import type { CopyProgress } from './copy/rows.ts';
import { countEndable, endAccess, inWords } from './end-access.ts';
import { restoreFile } from './restore.ts';
import { loadSettings } from './settings.ts';

interface CopyOptions {
  readonly from?: string | undefined;
  readonly to: string;
}

const PROGRESS_ROWS = 100_000;
const OWN_TOOLS = 'PostgreSQL has tools of its own for that, pg_dump and pg_restore: see docs/guides/store.md.';

/** `utg store`. */
export function createStoreCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('store', output)
    .usage('<command> [options]')
    .summary('back up, restore and copy the store')
    .description(
      'Backs up, restores and copies the store (docs/guides/store.md). Database and keys are those of the gateway: DATABASE_URL ' +
        'and ENCRYPTION_KEYS (see npm start -- --help). A password of PostgreSQL may also come from PGPASSWORD.',
    );
  const copying = command
    .command('copy')
    .description('Copy every row to an empty database of either kind, and verify the copy. Stop the gateway first')
    .option('--from <url>', 'sqlite:<path> or postgres://...; default: DATABASE_URL');
  requireOption(copying, '--to <url>', 'sqlite:<path> or postgres://...').action(({ from, to }: CopyOptions) =>
    copy({ from: from && parseUrl(from, '--from'), to: parseUrl(to, '--to') }, output),
  );
  const backingUp = command
    .command('backup')
    .description('Write a SQLite store as it is now to a new file. The gateway may be running');
  requireOption(backingUp, '--to <file>', 'the file to create').action(({ to }: { readonly to: string }) =>
    backUp(to, output),
  );
  const restoring = command
    .command('restore')
    .description(
      'Replace a SQLite store with a backup, and revoke the access that comes back with it. Stop the gateway first',
    )
    .option('--keep-access', 'keep tokens, codes and sessions valid as they were when the backup was made');
  requireOption(restoring, '--from <file>', 'what "backup" wrote').action(
    (options: { readonly from: string; readonly keepAccess?: boolean }) => restore(options, output),
  );
  command
    .command('end-access')
    .description('Revoke the access that another kind of restore brought back, such as pg_restore or a disk snapshot')
    .option('--yes', 'confirm: without it, nothing is changed')
    .action((options: { readonly yes?: boolean }) => endRestoredAccess(options, output));
  return addHelpTable(command, 'Examples', {
    'utg store backup --to ../backups/monday.sqlite': 'while the gateway runs',
    'utg store restore --from ../backups/monday.sqlite': 'everyone signs in again',
    'utg store copy --to postgres://gateway@db/gateway': 'from SQLite to PostgreSQL',
  });
}

function parseUrl(text: string, option: string): string {
  try {
    return parseDatabaseUrl(text);
  } catch (error) {
    throw new UsageError(`${option} ${error instanceof Error ? error.message : 'is wrong'}.`);
  }
}

async function copy({ from, to }: CopyOptions, { out, err }: Output): Promise<void> {
  const config = loadSettings();
  const keys = requireKeyRing(config);
  const [url, setting] = from === undefined ? [config.databaseUrl, 'DATABASE_URL'] : [from, '--from'];
  if (url === to) throw new UsageError('--to names the current database of the store.');
  if (url.startsWith('sqlite:')) requireFile(toPath(url), setting);
  const source = await openAlone(url, setting);
  try {
    if (source.gateways > 0)
      err(
        `${source.gateways} connections of gateways to this database are open: what they write from now on is not copied.\n`,
      );
    const target = await openAlone(to, '--to');
    try {
      const { tables, rows, credentials, audit } = await copyStore({
        source,
        target,
        keys,
        onProgress: (progress) => printProgress(progress, out),
      });
      out(
        `Copied ${rows.toLocaleString('en')} rows of ${tables} tables, read them back and found every one the same.\n`,
      );
      printState({ credentials, audit }, { out, err });
      out(`\n${nextSteps(config, to)}`);
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

function printProgress({ table, copied, rows }: CopyProgress, out: Output['out']): void {
  const isStep = Math.floor(copied / PROGRESS_ROWS) > Math.floor((copied - 1) / PROGRESS_ROWS);
  if (copied < rows && !isStep) return;
  const [done, all] = [copied.toLocaleString('en'), rows.toLocaleString('en')];
  out(copied === rows ? `${table}  ${all}\n` : `${table}  ${done} of ${all}\n`);
}

function nextSteps({ encryptionKeys }: Config, to: string): string {
  const url = new URL(to);
  if (url.password !== '') url.password = '...';
  const keys = encryptionKeys === null ? `what ${LOCAL_KEY_RING_FILE} holds` : 'as it is';
  return (
    `Next, on every node: set DATABASE_URL=${url.protocol === 'sqlite:' ? to : url.href}, and ENCRYPTION_KEYS ${keys}; then start. ` +
    'Do not start a gateway on the old database again: the two would drift apart.\n'
  );
}

async function backUp(to: string, { out }: Output): Promise<void> {
  const config = loadSettings();
  const from = requireSqlite(config);
  requireFile(from, 'DATABASE_URL');
  const bytes = backUpFile(from, resolve(to));
  const keys = config.encryptionKeys === null ? LOCAL_KEY_RING_FILE : 'ENCRYPTION_KEYS';
  out(
    `${resolve(to)}  ${bytes.toLocaleString('en')} bytes\nIt opens only with ${keys}: keep those too, in another place.\n`,
  );
}

async function restore({ from, keepAccess = false }: { from: string; keepAccess?: boolean }, { out, err }: Output) {
  const config = loadSettings();
  const to = requireSqlite(config);
  requireFile(resolve(from), '--from');
  const { ended, setAside, ...state } = await restoreFile({
    from: resolve(from),
    to,
    config,
    keys: requireKeyRing(config),
    keepAccess,
    now: Date.now(),
  });
  out(`Restored ${to} from ${resolve(from)}.${setAside === null ? '' : ` The previous store is now ${setAside}.`}\n`);
  if (ended !== null) out(`Ended: ${inWords(ended, modulesOf(config))}\n`);
  printState(state, { out, err });
}

async function endRestoredAccess({ yes = false }: { readonly yes?: boolean }, { out }: Output): Promise<void> {
  const config = loadSettings();
  const modules = modulesOf(config);
  await withStore(config, async ({ db }) => {
    if (yes) return out(`Ended: ${inWords(await endAccess(db, modules, Date.now()), modules)}\n`);
    out(`Would revoke: ${inWords(await countEndable(db, modules, Date.now()), modules)}\n`);
    throw new UsageError('Nothing was changed. Add --yes to revoke them.');
  });
}

function requireSqlite({ databaseUrl }: Config): string {
  if (!databaseUrl.startsWith('sqlite:')) throw new FailureError(OWN_TOOLS);
  return toPath(databaseUrl);
}

function printState(
  { credentials, audit }: { credentials: OpenableCounts; audit: AuditVerdict },
  { out, err }: Output,
): void {
  out(`Credentials that open: ${credentials.opened}\n`);
  for (const [keyId, count] of credentials.unreadable) {
    const why = keyId === null ? 'they are damaged' : `the key "${keyId}" is not in ENCRYPTION_KEYS`;
    err(`Credentials that do not open, as before: ${count}, because ${why}.\n`);
  }
  out(`Audit events as a gateway recorded them: ${audit.verified.toLocaleString('en')}\n`);
  for (const problem of audit.problems) err(`BROKEN, as before: ${problem}.\n`);
}
