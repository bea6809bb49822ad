/** The partner command: adds and changes partners and gives them secrets, while the gateway runs. */

import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { liveClientId, testClientId } from '../../server/base/realm.ts';
import { isUniqueViolation } from '../../server/base/store/conflicts.ts';
import type { Store } from '../../server/base/store/index.ts';
import { listPartnerSecrets } from '../../server/base/store/repositories/partner-secrets.ts';
import { listPartners, type PartnerLogo, type PartnerSettings } from '../../server/base/store/repositories/partners.ts';
import { loadServices, withStore } from '../../server/cli/with-store.ts';
import type { Config } from '../../server/config/index.ts';
import { endPartnerSecret } from '../../server/identity/partners/lifecycle.ts';
import { addPartner, changePartner, rotatePartnerSecret } from '../../server/identity/partners/manage.ts';
import { settingProblem } from '../../server/identity/partners/setting-error.ts';
import {
  type PartnerSettingName,
  parseClientId,
  parsePartnerSettings,
  toClientId,
} from '../../server/identity/partners/settings.ts';
import { issueTestSecret, testSecretProblem } from '../../server/identity/partners/test-partner.ts';
import { changeLogo, LogoError, parseLogo } from '../../server/modules/branding/logo.ts';
import { addHelpNote, addHelpTable, createCommand, namesIn, requireOption } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { loadSettings } from '../store/settings.ts';
import { addIssuerCommands } from './issuers.ts';
import { addLifecycleCommands } from './lifecycle.ts';
import { findNamedPartner, type PartnerOption, requirePartner } from './partner-option.ts';

const MAX_LISTED = 1000;

interface Settings {
  readonly name?: string;
  readonly redirectUri?: readonly string[];
  readonly connectUri?: string;
  readonly logo?: string;
  readonly logoFile?: string;
  readonly accentColor?: string;
  readonly services?: readonly string[];
  readonly plainLinks?: 'on' | 'off';
  readonly footer?: 'on' | 'off';
  readonly ownerSharing?: 'on' | 'off';
  readonly approvals?: readonly string[];
  readonly callLimits?: readonly string[];
}

/** `utg partner`. */
export function createPartnerCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('partner', output)
    .usage('<command> [options]')
    .summary('manage the applications whose users connect')
    .description(
      'Manages the applications whose users connect to the gateway. The gateway may be running. The database is that ' +
        'of the gateway: DATABASE_URL (see npm start -- --help). A secret is printed once and not stored.',
    );
  const addCommand = command.command('add').description('Add a partner, and print its credentials');
  requireOption(addCommand, '--name <name>', 'as pages show it').option(
    '--client-id <id>',
    'default: derived from the name',
  );
  addSettings(addCommand).action(withOpenStore(add));
  const setCommand = command.command('set').description('Change only the settings that are given');
  requirePartner(setCommand).option('--name <name>', 'as pages show it');
  addSettings(setCommand).action(withOpenStore(set));
  command.command('list').description('Print every partner').action(withOpenStore(list));
  const showCommand = command.command('show').description('Print one partner, with its settings and secrets');
  requirePartner(showCommand).action(withOpenStore(show));
  const rotateCommand = command
    .command('rotate-secret')
    .description('Create and print another secret; the previous one stays valid until the next rotation');
  requirePartner(rotateCommand).option('--now', 'revoke the previous one at once').action(withOpenStore(rotateSecret));
  const testSecretCommand = command
    .command('test-secret')
    .description('Create and print a secret for test mode: its users are of another realm, and a sandbox answers them');
  requirePartner(testSecretCommand)
    .option('--now', 'revoke the previous ones at once')
    .action(withOpenStore(addTestSecret));
  const revokeCommand = command
    .command('revoke-secret')
    .description('Revoke a secret at once; with its last one, the partner is suspended');
  requireOption(revokeCommand, '--secret <n>', 'which secret; "show" lists them');
  requirePartner(revokeCommand).action(withOpenStore(revokeSecret));
  addLifecycleCommands(command);
  addIssuerCommands(command);
  return addHelpTable(command, 'Examples', {
    'utg partner add --name Acme --redirect-uri https://acme.example/done': 'a first partner',
    'utg partner rotate-secret --client-id acme': 'another secret for it',
    'utg partner test-secret --client-id acme': 'a secret for its developers',
    'utg partner show --client-id acme~test': 'its test partner',
    'utg partner add --help': 'every setting of a partner',
  });
}

function addSettings(command: Command): Command {
  const settings = command
    .option('--redirect-uri <uri...>', 'where a connect flow may end; one or several, which replace the previous ones')
    .option('--connect-uri <uri>', 'where the application starts a connect flow, for users who connect again')
    .option('--logo <text>', 'one to three characters that stand for it on pages')
    .option('--logo-file <path>', 'a PNG, JPEG or WebP image in place of --logo: at most 64 KiB and 1024 x 1024')
    .option('--accent-color <color>', 'of buttons and borders on pages, such as "#0a66c2"')
    .option('--services <names>', 'what it may offer, separated by commas; "all" for every service', namesIn)
    .option(
      '--approvals <kinds>',
      'which calls its users approve one by one, besides those of APPROVALS: destroy, send, pay, write; each: none is remembered for a day; "" for nothing',
      namesIn,
    )
    .option(
      '--call-limits <rules>',
      'how many calls of its users may be sent, besides CALL_LIMITS: rules such as "pay 5/day/user", separated by commas; "" for none',
      namesIn,
    )
    .addOption(
      new Option('--plain-links <on|off>', 'whether links without a connect session lead to the connect page').choices([
        'on',
        'off',
      ]),
    )
    .addOption(new Option('--footer <on|off>', 'whether its pages name the gateway below').choices(['on', 'off']))
    .addOption(
      new Option(
        '--owner-sharing <on|off>',
        'whether users may share their own connections with their teams; otherwise only its server may',
      ).choices(['on', 'off']),
    );
  return addHelpNote(settings, 'An empty value removes --connect-uri, --logo, --logo-file and --accent-color.');
}

/** Runs the work while the gateway runs, and names an invalid option. */
function withOpenStore<T>(
  work: (store: Store, options: T, config: Config) => Promise<void>,
): (options: T) => Promise<void> {
  return (options) => {
    const config = loadSettings();
    return withStore(config, (store) => work(store, options, config)).catch((error: unknown) => {
      throw new UsageError(settingProblem(error, OPTION_OF));
    });
  };
}

/** The option for each setting. */
const OPTION_OF: Readonly<Record<PartnerSettingName, string>> = {
  name: '--name',
  clientId: '--client-id',
  redirectUris: '--redirect-uri',
  connectUri: '--connect-uri',
  logoText: '--logo',
  accentColor: '--accent-color',
  services: '--services',
  plainLinks: '--plain-links',
  footer: '--footer',
  ownerSharing: '--owner-sharing',
  requiresAllowance: 'the partner API',
  approvals: '--approvals',
  callLimits: '--call-limits',
};

async function add(store: Store, options: Settings & Partial<PartnerOption>): Promise<void> {
  const { name = '', ...settings } = await parseSettings(options);
  const clientId = parseClientId(options.clientId ?? toClientId(name));
  const event = { now: Date.now() };
  const logo = await readLogo(options);
  const { secret } = await store.db
    .transaction()
    .execute(async (transaction) => {
      const result = await addPartner(transaction, { clientId, name, ...settings }, event);
      if (logo !== undefined) await changeLogo(transaction, result.partner.id, logo, event);
      return result;
    })
    .catch((error: unknown) => {
      if (!isUniqueViolation(error)) throw error;
      throw new UsageError(`There is already a partner "${clientId}". Choose another --client-id.`);
    });
  printCredentials(clientId, secret);
}

async function set(store: Store, options: Settings & PartnerOption): Promise<void> {
  const partner = await findNamedPartner(store, options);
  if (partner.realm === 'test')
    throw new UsageError(
      `"${partner.clientId}" has the settings of "${liveClientId(partner.clientId)}". Change those.`,
    );
  const changes = await parseSettings(options);
  const logo = await readLogo(options);
  const isChanged = Object.keys(changes).length > 0;
  if (!isChanged && logo === undefined) throw new UsageError('Name at least one setting to change.');
  const event = { now: Date.now() };
  await store.db.transaction().execute(async (transaction) => {
    if (isChanged) await changePartner(transaction, partner.id, changes, event);
    if (logo !== undefined) await changeLogo(transaction, partner.id, logo, event);
  });
  await show(store, options);
}

async function list(store: Store): Promise<void> {
  const partners = await listPartners(store.db, MAX_LISTED);
  if (partners.length === 0) console.log('There is no partner yet.');
  for (const partner of partners) {
    const secrets = await listPartnerSecrets(store.db, partner.id);
    const added = new Date(partner.createdAt).toISOString();
    const suspended = partner.suspendedAt === null ? '' : '  suspended';
    const test = partner.realm === 'test' ? '  test mode' : '';
    console.log(`${partner.clientId}  ${partner.name}  added ${added}  secrets: ${secrets.length}${test}${suspended}`);
  }
}

async function show(store: Store, options: PartnerOption): Promise<void> {
  const partner = await findNamedPartner(store, options);
  const { id, clientId, name, redirectUris, connectUri, logoText, services, plainLinks, suspendedAt } = partner;
  const { accentColor, logoHash } = partner;
  console.log(`client_id:     ${clientId}`);
  console.log(`name:          ${name}`);
  if (partner.realm === 'test') console.log(`test mode:     the settings are those of ${liveClientId(clientId)}`);
  console.log(
    `redirect URIs: ${redirectUris.length === 0 ? 'none, so no connect flow can end' : redirectUris.join(' ')}`,
  );
  console.log(`connect URI:   ${connectUri ?? 'none'}`);
  console.log(`logo:          ${logoText ?? 'none'}${logoHash === null ? '' : ', and an image'}`);
  console.log(`accent colour: ${accentColor ?? 'none'}`);
  console.log(`services:      ${services === null ? 'all' : services.join(', ') || 'none'}`);
  console.log(`plain links:   ${plainLinks ? 'on' : 'off'}`);
  console.log(`footer:        ${partner.footer ? 'on' : 'off'}`);
  console.log(`owner sharing: ${partner.ownerSharing ? 'on' : 'off'}`);
  if (partner.approvals !== null) console.log(`approvals:     ${partner.approvals.join(', ')}`);
  if (partner.callLimits !== null) console.log(`call limits:   ${partner.callLimits.join(', ')}`);
  if (suspendedAt !== null) console.log(`suspended:     since ${new Date(suspendedAt).toISOString()}`);
  const secrets = await listPartnerSecrets(store.db, id);
  for (const secret of secrets) {
    console.log(`secret:        ${secret.id}  added ${new Date(secret.createdAt).toISOString()}`);
  }
}

type Rotation = PartnerOption & { readonly now?: boolean };

async function addTestSecret(store: Store, options: Rotation, config: Config): Promise<void> {
  const partner = await findNamedPartner(store, options);
  const event = { now: Date.now() };
  const problem = testSecretProblem(partner, config);
  if (problem !== null) throw new UsageError(problem);
  const secret = await store.db
    .transaction()
    .execute((transaction) => issueTestSecret(transaction, partner, options.now === true, event));
  if (secret === null) throw new UsageError(`"${liveClientId(partner.clientId)}" is suspended. Resume it first.`);
  printCredentials(testClientId(partner.clientId), secret);
}

async function rotateSecret(store: Store, options: Rotation, config: Config): Promise<void> {
  const partner = await findNamedPartner(store, options);
  if (partner.realm === 'test') return addTestSecret(store, options, config);
  const rotation = { partnerId: partner.id, endOthers: options.now === true };
  const event = { now: Date.now() };
  const secret = await store.db
    .transaction()
    .execute((transaction) => rotatePartnerSecret(transaction, rotation, event));
  printCredentials(partner.clientId, secret);
}

async function revokeSecret(store: Store, options: PartnerOption & { readonly secret: string }): Promise<void> {
  const partner = await findNamedPartner(store, options);
  const event = { now: Date.now() };
  const secret = { id: options.secret, partnerId: partner.id };
  const ended = await store.db.transaction().execute((transaction) => endPartnerSecret(transaction, secret, event));
  if (!ended)
    throw new UsageError(`"${partner.clientId}" has no secret "${options.secret}". "show" prints which there are.`);
  console.log('The secret is revoked.');
}

async function parseSettings(options: Settings): Promise<Partial<PartnerSettings>> {
  const { name, redirectUri: redirectUris, connectUri, logo: logoText, accentColor } = options;
  const { approvals, callLimits } = options;
  const services = options.services?.join() === 'all' ? null : options.services;
  const serviceNames = services == null ? [] : (await loadServices()).map((connector) => connector.name);
  const isOn = (choice?: 'on' | 'off') => (choice === undefined ? undefined : choice === 'on');
  const [plainLinks, footer, ownerSharing] = [options.plainLinks, options.footer, options.ownerSharing].map(isOn);
  const typedSettings = {
    name,
    redirectUris,
    connectUri,
    logoText,
    accentColor,
    services,
    plainLinks,
    footer,
    ownerSharing,
    approvals,
    callLimits,
  };
  return parsePartnerSettings(typedSettings, serviceNames);
}

/** Returns null to remove the logo, and undefined to leave it unchanged. */
async function readLogo({ logoFile }: Settings): Promise<PartnerLogo | null | undefined> {
  if (logoFile === undefined || logoFile === '') return logoFile === '' ? null : undefined;
  try {
    return parseLogo(await readFile(logoFile));
  } catch (error) {
    if (error instanceof LogoError) throw new UsageError(`--logo-file: ${error.message}`);
    throw new UsageError(`--logo-file cannot be read: ${logoFile}`);
  }
}

function printCredentials(clientId: string, secret: string): void {
  console.log(`client_id:     ${clientId}`);
  console.log(`client_secret: ${secret}`);
}
