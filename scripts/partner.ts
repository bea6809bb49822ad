/** `npm run partner`: adds and changes partners and gives them secrets, beside the running gateway. */

import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../server/config.ts';
import { addPartner, changePartner, endPartnerSecret, rotatePartnerSecret } from '../server/partners/manage.ts';
import {
  PartnerSettingsError,
  parseClientId,
  parsePartnerSettings,
  type TypedPartnerSettings,
  toClientId,
} from '../server/partners/settings.ts';
import { openStore, type Store } from '../server/store/index.ts';
import { listPartnerSecrets } from '../server/store/repositories/partner-secrets.ts';
import {
  findPartnerByClientId,
  listPartners,
  type Partner,
  type PartnerSettings,
} from '../server/store/repositories/partners.ts';
import { isUniqueViolation } from '../server/store/unique-violation.ts';
import { loadConnectors } from '../server/tools/catalogue/connectors.ts';

const HELP = `Usage: npm run partner -- <command> [options]

Manages the applications whose users connect to the gateway. The gateway may be running.
The database is that of the gateway: DATABASE_URL (see npm start -- --help).

  add --name <name> [--client-id <id>] [settings]   adds a partner and prints its credentials
  set --client-id <id> [settings]                   changes what is named, and nothing else
  list                                              prints every partner
  show --client-id <id>                             prints one partner, with its settings and secrets
  rotate-secret --client-id <id> [--now]            prints a further secret; the one before stays good until the next
                                                    rotation, or ends at once with --now
  revoke-secret --client-id <id> --secret <n>       ends a secret at once; "show" prints which there are

Settings:
  --name <name>            as pages show it
  --redirect-uri <uri>     where a connect flow may end; repeat it for several, which replace those before
  --connect-uri <uri>      where the application starts a connect flow, for users who have to connect again
  --logo <text>            one to three characters that stand for it on pages
  --services <names>       what it may offer, separated by commas; "all" for every service

A secret is printed once and kept nowhere. An empty text takes --connect-uri and --logo away.`;

const MAX_LISTED = 1000;

/** Something that the person at the keyboard can mend. */
class UsageError extends Error {}

interface Options {
  readonly clientId: string | undefined;
  readonly secretId: string | undefined;
  readonly now: boolean;
  readonly settings: TypedPartnerSettings;
}

type Command = (store: Store, options: Options) => Promise<void>;

const COMMANDS: Readonly<Record<string, Command>> = {
  add,
  set,
  list,
  show,
  'rotate-secret': rotateSecret,
  'revoke-secret': revokeSecret,
};

async function main(): Promise<void> {
  const { command, options } = readArguments(process.argv.slice(2));
  if (command === null) {
    console.log(HELP);
    return;
  }
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (run === undefined) throw new UsageError(`There is no command "${command}".`);
  const store = await openStore({ url: loadConfig({ connectors: [] }).databaseUrl });
  try {
    await run(store, options);
  } finally {
    await store.close();
  }
}

async function add(store: Store, options: Options): Promise<void> {
  const { name, ...settings } = await parseSettings(options);
  if (name === undefined) throw new UsageError('--name is missing, or too long.');
  const clientId = parseClientId(options.clientId ?? toClientId(name));
  const event = { now: Date.now() };
  const { secret } = await store.db
    .transaction()
    .execute((transaction) => addPartner(transaction, { clientId, name, ...settings }, event))
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new UsageError(`There is a partner "${clientId}" already. Choose another --client-id.`);
    });
  printCredentials(clientId, secret);
}

async function set(store: Store, options: Options): Promise<void> {
  const partner = await findOne(store, options);
  const changes = await parseSettings(options);
  if (Object.keys(changes).length === 0) throw new UsageError('Name at least one setting to change.');
  const event = { now: Date.now() };
  await store.db.transaction().execute((transaction) => changePartner(transaction, partner.id, changes, event));
  await show(store, options);
}

async function list(store: Store): Promise<void> {
  const partners = await listPartners(store.db, MAX_LISTED);
  if (partners.length === 0) console.log('There is no partner yet.');
  for (const partner of partners) {
    const secrets = await listPartnerSecrets(store.db, partner.id);
    const added = new Date(partner.createdAt).toISOString().slice(0, 10);
    console.log(`${partner.clientId}  ${partner.name}  added ${added}  secrets: ${secrets.length}`);
  }
}

async function show(store: Store, options: Options): Promise<void> {
  const { id, clientId, name, redirectUris, connectUri, logoText, services } = await findOne(store, options);
  console.log(`client_id:     ${clientId}`);
  console.log(`name:          ${name}`);
  console.log(
    `redirect URIs: ${redirectUris.length === 0 ? 'none, so no connect flow can end' : redirectUris.join(' ')}`,
  );
  console.log(`connect URI:   ${connectUri ?? 'none'}`);
  console.log(`logo:          ${logoText ?? 'none'}`);
  console.log(`services:      ${services === null ? 'all' : services.join(', ') || 'none'}`);
  const secrets = await listPartnerSecrets(store.db, id);
  for (const secret of secrets) {
    console.log(`secret:        ${secret.id}  added ${new Date(secret.createdAt).toISOString()}`);
  }
}

async function rotateSecret(store: Store, options: Options): Promise<void> {
  const partner = await findOne(store, options);
  const rotation = { partnerId: partner.id, endOthers: options.now };
  const event = { now: Date.now() };
  const secret = await store.db
    .transaction()
    .execute((transaction) => rotatePartnerSecret(transaction, rotation, event));
  printCredentials(partner.clientId, secret);
}

async function revokeSecret(store: Store, options: Options): Promise<void> {
  const partner = await findOne(store, options);
  const { secretId } = options;
  if (secretId === undefined) throw new UsageError('--secret is missing. "show" prints which there are.');
  const event = { now: Date.now() };
  const secret = { id: secretId, partnerId: partner.id };
  const ended = await store.db.transaction().execute((transaction) => endPartnerSecret(transaction, secret, event));
  if (!ended) throw new UsageError(`"${partner.clientId}" has no secret "${secretId}". "show" prints which there are.`);
  console.log('The secret has ended.');
}

async function findOne(store: Store, { clientId = '' }: Options): Promise<Partner> {
  const partner = await findPartnerByClientId(store.db, clientId);
  if (partner === undefined) throw new UsageError(`There is no partner "${clientId}". "list" prints every one.`);
  return partner;
}

async function parseSettings({ settings }: Options): Promise<Partial<PartnerSettings>> {
  const known = settings.services == null ? [] : (await loadConnectors()).map((connector) => connector.name);
  return parsePartnerSettings(settings, known);
}

function printCredentials(clientId: string, secret: string): void {
  console.log(`client_id:     ${clientId}`);
  console.log(`client_secret: ${secret}`);
}

function readArguments(args: string[]): { command: string | null; options: Options } {
  const { values, positionals } = parse(args);
  const [command = null, ...more] = positionals;
  if (more.length > 0) throw new UsageError(`One command at a time: there is "${more.join(' ')}" too many.`);
  const options = {
    clientId: values['client-id'],
    secretId: values.secret,
    now: values.now === true,
    settings: {
      name: values.name,
      redirectUris: values['redirect-uri'],
      connectUri: values['connect-uri'],
      logoText: values.logo,
      services: values.services === 'all' ? null : values.services?.split(','),
    },
  };
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
        'redirect-uri': { type: 'string', multiple: true },
        'connect-uri': { type: 'string' },
        logo: { type: 'string' },
        services: { type: 'string' },
        secret: { type: 'string' },
        now: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** As the options are called here. */
const OPTION_OF: Readonly<Record<PartnerSettingsError['setting'], string>> = {
  name: '--name',
  clientId: '--client-id',
  redirectUris: '--redirect-uri',
  connectUri: '--connect-uri',
  logoText: '--logo',
  services: '--services',
};

function messageOf(error: unknown): string | null {
  if (error instanceof ConfigError) return error.message;
  const told =
    error instanceof PartnerSettingsError
      ? `${OPTION_OF[error.setting]} ${error.problem}.`
      : error instanceof UsageError
        ? error.message
        : null;
  return told === null ? null : `${told}\nTry: npm run partner -- --help`;
}

try {
  await main();
} catch (error) {
  const message = messageOf(error);
  if (message === null) throw error;
  console.error(message);
  process.exitCode = 1;
}
