/** `npm run partner`: adds partners and gives them secrets, beside the running gateway. */

import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../server/config.ts';
import { addPartnerSecret } from '../server/partners/secrets.ts';
import { openStore, type Store } from '../server/store/index.ts';
import { recordAuditEvent } from '../server/store/repositories/audit-events.ts';
import { listLivePartnerSecrets } from '../server/store/repositories/partner-secrets.ts';
import { findPartnerByClientId, insertPartner, listPartners } from '../server/store/repositories/partners.ts';
import { isUniqueViolation } from '../server/store/unique-violation.ts';

const HELP = `Usage: npm run partner -- <command> [options]

Manages the applications whose users connect to the gateway. The gateway may be running.
The database is that of the gateway: DATABASE_URL (see npm start -- --help).

  add --name <name> [--client-id <id>]       adds a partner and prints its credentials
  list                                       prints every partner
  rotate-secret --client-id <id> [--now]     prints a further secret; the one before stays good until the next
                                             rotation, or ends at once with --now

A secret is printed once and kept nowhere.`;

const MAX_LISTED = 1000;
const CLIENT_ID = /^[A-Za-z0-9._-]{3,100}$/;
const MAX_NAME_LENGTH = 200;

/** Something that the person at the keyboard can mend. */
class UsageError extends Error {}

interface Options {
  readonly name: string | undefined;
  readonly clientId: string | undefined;
  readonly now: boolean;
}

const COMMANDS: ReadonlyMap<string, (store: Store, options: Options) => Promise<void>> = new Map([
  ['add', addPartner],
  ['list', printPartners],
  ['rotate-secret', rotateSecret],
]);

async function main(): Promise<void> {
  const { command, options } = readArguments(process.argv.slice(2));
  if (command === null) {
    console.log(HELP);
    return;
  }
  const run = COMMANDS.get(command);
  if (run === undefined) throw new UsageError(`There is no command "${command}".`);
  const store = await openStore({ url: loadConfig({ connectors: [] }).databaseUrl });
  try {
    await run(store, options);
  } finally {
    await store.close();
  }
}

async function addPartner(store: Store, options: Options): Promise<void> {
  const name = options.name?.trim() ?? '';
  if (name === '' || name.length > MAX_NAME_LENGTH) throw new UsageError('--name is missing, or too long.');
  const clientId = options.clientId ?? toClientId(name);
  if (!CLIENT_ID.test(clientId)) {
    throw new UsageError('--client-id must be 3 to 100 letters, digits, dots, hyphens and underscores.');
  }
  const now = Date.now();
  const secret = await store.db
    .transaction()
    .execute(async (transaction) => {
      const partner = await insertPartner(transaction, { clientId, name, now });
      await recordAuditEvent(transaction, { type: 'partner_added', now, partnerId: partner.id, details: { name } });
      return addPartnerSecret(transaction, { partnerId: partner.id, now });
    })
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new UsageError(`There is a partner "${clientId}" already. Choose another --client-id.`);
    });
  printCredentials(clientId, secret);
}

async function printPartners(store: Store): Promise<void> {
  const partners = await listPartners(store.db, MAX_LISTED);
  if (partners.length === 0) console.log('There is no partner yet.');
  for (const partner of partners) {
    const secrets = await listLivePartnerSecrets(store.db, partner.id);
    const added = new Date(partner.createdAt).toISOString().slice(0, 10);
    console.log(`${partner.clientId}  ${partner.name}  added ${added}  secrets: ${secrets.length}`);
  }
}

async function rotateSecret(store: Store, options: Options): Promise<void> {
  const { clientId = '', now: endOthers } = options;
  const partner = await findPartnerByClientId(store.db, clientId);
  if (partner === undefined) throw new UsageError(`There is no partner "${clientId}". "list" prints every one.`);
  const now = Date.now();
  const secret = await store.db.transaction().execute(async (transaction) => {
    const details = { endOthers };
    await recordAuditEvent(transaction, { type: 'partner_secret_added', now, partnerId: partner.id, details });
    return addPartnerSecret(transaction, { partnerId: partner.id, now, endOthers });
  });
  printCredentials(partner.clientId, secret);
}

function printCredentials(clientId: string, secret: string): void {
  console.log(`client_id:     ${clientId}`);
  console.log(`client_secret: ${secret}`);
}

function toClientId(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
}

function readArguments(args: string[]): { command: string | null; options: Options } {
  const { values, positionals } = parse(args);
  const [command = null, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`One command at a time: there is "${more.join(' ')}" too many.`);
  const options = { name: values.name, clientId: values['client-id'], now: values.now === true };
  return { command: values.help === true ? null : command, options };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        'client-id': { type: 'string' },
        now: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
  console.error(error instanceof UsageError ? `${error.message}\nTry: npm run partner -- --help` : error.message);
  process.exitCode = 1;
}
