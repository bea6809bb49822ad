/** Subcommands that suspend, resume and remove a partner. */

import type { Command } from 'commander';
import type { Store } from '../../server/base/store/index.ts';
import { listPartnerSecrets } from '../../server/base/store/repositories/partner-secrets.ts';
import { countUsers } from '../../server/base/store/repositories/users.ts';
import { loadServices, requireKeyRing } from '../../server/cli/with-store.ts';
import { removePartner, resumePartner, suspendPartner } from '../../server/identity/partners/lifecycle.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { loadSettings, withOpenStore } from '../store/settings.ts';
import { findNamedPartner, type PartnerOption, requirePartner } from './partner-option.ts';
import type { UpstreamTokens } from './upstream-tokens.ts';

/** Adds `suspend`, `resume` and `remove`. */
export function addLifecycleCommands(command: Command): void {
  const suspending = command
    .command('suspend')
    .description('Refuse all requests of a partner and its users; nothing is lost');
  requirePartner(suspending).action(withOpenStore(suspend));
  const resuming = command.command('resume').description('Resume a suspended partner and its users');
  requirePartner(resuming).action(withOpenStore(resume));
  const removing = command
    .command('remove')
    .description('Remove a partner with its users, connections, credentials and grants; the audit trail stays');
  requirePartner(removing)
    .option('--dry-run', 'print how many users it has, and remove nothing')
    .option('--yes', 'confirm: without it, nothing is removed')
    .action(withOpenStore(remove));
}

async function suspend(store: Store, options: PartnerOption): Promise<void> {
  const { id, clientId } = await findNamedPartner(store, options);
  const event = { now: Date.now() };
  const done = await store.db.transaction().execute((transaction) => suspendPartner(transaction, id, event));
  console.log(done ? `"${clientId}" is suspended.` : `"${clientId}" was already suspended.`);
}

async function resume(store: Store, options: PartnerOption): Promise<void> {
  const { id, clientId, suspendedAt } = await findNamedPartner(store, options);
  const event = { now: Date.now() };
  const done = await store.db.transaction().execute((transaction) => resumePartner(transaction, id, event));
  if (!done && suspendedAt !== null && (await listPartnerSecrets(store.db, id)).length === 0)
    throw new UsageError(
      `"${clientId}" has no valid secret, so it stays suspended. First issue one: partner rotate-secret --client-id ${clientId}`,
    );
  console.log(done ? `"${clientId}" is resumed.` : `"${clientId}" was not suspended.`);
}

async function remove(store: Store, options: PartnerOption & { dryRun?: boolean; yes?: boolean }): Promise<void> {
  const { id, clientId } = await findNamedPartner(store, options);
  if (options.yes === true && options.dryRun !== true) {
    await removeNow(store, { id, clientId });
    return;
  }
  console.log(`Would remove "${clientId}" with its users: ${(await countUsers(store.db, id)).toLocaleString('en')}.`);
  const tokens = await reachUpstreams(store);
  console.log(
    'reason' in tokens
      ? `Tokens of OAuth connections would not be revoked at their upstreams: ${tokens.reason}`
      : 'Tokens of OAuth connections would be revoked at their upstreams.',
  );
  if (!('reason' in tokens)) await tokens.close();
  if (options.dryRun !== true) throw new UsageError('Nothing was removed. Add --yes to remove it.');
}

async function removeNow(store: Store, { id, clientId }: { id: string; clientId: string }): Promise<void> {
  const tokens = await reachUpstreams(store);
  const isReached = !('reason' in tokens);
  try {
    const options = isReached ? { revokeAfter: tokens.revokeAfter } : {};
    const removal = await removePartner(store.db, id, { now: Date.now() }, options);
    const { removed: users, left } = removal ?? { removed: 0, left: 0 };
    if (left > 0)
      throw new FailureError(`"${clientId}" was resumed meanwhile and has users again. Remove it once more.`);
    console.log(
      `"${clientId}" is removed. Users removed with it: ${users.toLocaleString('en')}. The audit trail and call records stay.`,
    );
  } finally {
    console.log(
      isReached ? tokens.report() : `Tokens of OAuth connections were not revoked at their upstreams: ${tokens.reason}`,
    );
    if (isReached) await tokens.close();
  }
}

/** Access to the upstreams, or why it is not available. */
async function reachUpstreams(store: Store): Promise<UpstreamTokens | { readonly reason: string }> {
  try {
    const connectors = await loadServices();
    const config = loadSettings(connectors);
    const { openUpstreamTokens } = await import('./upstream-tokens.ts');
    return openUpstreamTokens(store, { config, keys: requireKeyRing(config), connectors });
  } catch (error) {
    if (error instanceof FailureError) return { reason: error.message };
    throw error;
  }
}
