/** The grants command: lists who has access, and revokes many grants at once, while the gateway runs. */

import type { Command } from 'commander';
import { withoutUndefined } from '../../codegen/json.ts';
import { clientNameText } from '../../server/base/pages/client-name.ts';
import type { Store } from '../../server/base/store/index.ts';
import { searchConnections } from '../../server/base/store/reports/connection-list.ts';
import {
  type AccessCounts,
  type AccessSelection,
  countAccess,
  type ListedAccess,
  listAccess,
} from '../../server/base/store/repositories/live-access.ts';
import { findClient } from '../../server/base/store/repositories/oauth-clients.ts';
import { findOnePartner, findOneUser } from '../../server/cli/find-user.ts';
import { revokeAccess } from '../../server/identity/grants/allowed/revoke.ts';
import { addHelpNote, addHelpTable, createCommand, wholeNumber } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { withOpenStore } from '../store/settings.ts';

const MAX_LISTED = 10_000;
const LISTED = 100;

interface Selected {
  readonly user?: string;
  readonly partner?: string;
  readonly client?: string;
  readonly service?: string;
}

interface Revocation extends Selected {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `utg grants`. */
export function createGrantsCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('grants', output)
    .usage('<command> [options]')
    .summary('list and revoke what users and partners allowed')
    .description(
      'Lists and revokes grants, tokens minted for testing, and connection codes that no one has used. The ' +
        'gateway may be running; what is revoked is refused at the next request. The database is that of the gateway: ' +
        'DATABASE_URL (see npm start -- --help).',
    );
  addSelection(command.command('list').description('Print how many there are, and the newest of them'))
    .option('--limit <n>', `how many to print, 0 to ${MAX_LISTED}`, wholeNumber(0, MAX_LISTED), LISTED)
    .action(withOpenStore(list));
  addSelection(command.command('revoke').description('Revoke everything that is selected, at once'))
    .option('--all', 'select everything, of every partner')
    .option('--dry-run', 'print how many would be revoked, and revoke nothing')
    .option('--yes', 'confirm: without it, nothing is revoked')
    .action(withOpenStore(revoke));
  return addHelpTable(command, 'Examples', {
    'utg grants list --client <id>': 'what users allowed one client',
    'utg grants revoke --service crm --dry-run': 'how many could use crm now',
    'utg grants revoke --partner acme --yes': 'sign out every client of every user of acme',
  });
}

function addSelection(command: Command): Command {
  const selecting = command
    .option('--user <id>', "of this user: the partner's own name for it")
    .option('--partner <id>', 'of the users of this partner, by client_id')
    .option('--client <id>', 'of this OAuth client, by client_id')
    .option('--service <name>', 'what may use this service now: its user is connected to it');
  return addHelpNote(selecting, 'Several options select what matches all of them.');
}

async function list(store: Store, options: Selected & { readonly limit: number }): Promise<void> {
  const selection = await toSelection(store, options);
  const now = Date.now();
  console.log(inWords(await countAccess(store.db, selection, now)));
  for (const kind of ['grants', 'tokens'] as const) {
    const rows = await listAccess(store.db, kind, { selection, now, limit: options.limit });
    for (const row of rows) console.log(toLine(row));
  }
}

async function revoke(store: Store, options: Revocation): Promise<void> {
  const selection = await toSelection(store, options);
  const isWhole = Object.keys(selection).length === 0;
  if (isWhole !== (options.all === true)) {
    throw new UsageError('Select with --user, --partner, --client and --service, or everything with --all.');
  }
  if (options.yes === true && options.dryRun !== true) {
    const revoked = await revokeAccess(store.db, selection, { by: 'operator', now: Date.now() });
    console.log(`Revoked: ${inWords(revoked)}`);
    return;
  }
  console.log(`Would revoke: ${inWords(await countAccess(store.db, selection, Date.now()))}`);
  if (options.dryRun !== true) throw new UsageError('Nothing was revoked. Add --yes to revoke them.');
}

async function toSelection(store: Store, { user, partner, client, service }: Selected): Promise<AccessSelection> {
  const ofPartner = partner === undefined ? undefined : await findOnePartner(store, partner);
  const ofUser = user === undefined ? undefined : await findOneUser(store, withoutUndefined({ user, partner }));
  if (client !== undefined && (await findClient(store.db, client)) === undefined) {
    throw new UsageError(`There is no client "${client}".`);
  }
  if (service !== undefined && (await searchConnections(store.db, { service }, 1)).length === 0) {
    throw new UsageError(`No one has connected a service "${service}". Nothing may use it now.`);
  }
  return withoutUndefined({ partnerId: ofPartner?.id, userId: ofUser?.id, clientId: client, service });
}

function inWords({ grants, tokens, codes }: AccessCounts): string {
  const [g, t, c] = [grants, tokens, codes].map((count) => count.toLocaleString('en'));
  return `grants: ${g}, minted tokens: ${t}, connection codes: ${c}`;
}

function toLine(row: ListedAccess): string {
  const { kind, id, externalUserId, partnerName, clientName, clientId, services, createdAt, expiresAt } = row;
  let holder = `${partnerName} itself`;
  if (kind === 'tokens') holder = 'minted token';
  else if (clientId !== null) holder = `${clientNameText(clientName, 'no name')}, ${clientId}`;
  const day = (time: number) => new Date(time).toISOString();
  return [
    id,
    `user: ${externalUserId} of ${partnerName}`,
    `held by: ${holder}`,
    `services: ${services === null ? 'all' : services.join(', ') || 'none'}`,
    `since ${day(createdAt)}`,
    `expires ${day(expiresAt)}`,
  ].join('  ');
}
