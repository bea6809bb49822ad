/**
 * The upstream-client command: manages the gateway's clients at upstreams and their secrets, while the gateway runs.
 */

import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import { takesUpstreamClient } from '../../server/base/credentials/kinds.ts';
import { openVault } from '../../server/base/credentials/store-key.ts';
import {
  createUpstreamClients,
  type UpstreamClients,
  type UpstreamClientView,
} from '../../server/base/credentials/upstream-clients.ts';
import { createOutgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import { isMcpServer } from '../../server/base/mcp-servers.ts';
import type { Store } from '../../server/base/store/index.ts';
import { findPartnerByClientId, listPartners } from '../../server/base/store/repositories/partners.ts';
import { withOAuthOrigin } from '../../server/call/upstream/oauth/origins.ts';
import { loadServices, requireKeyRing, withStore } from '../../server/cli/with-store.ts';
import { settingProblem } from '../../server/identity/partners/setting-error.ts';
import { parseUpstreamClient, type TypedUpstreamClient } from '../../server/identity/partners/upstream-client.ts';
import { addHelpTable, createCommand, requireOption } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { UsageError } from '../../shared/cli/run.ts';
import { loadSettings } from '../store/settings.ts';
import { obtainClient } from './register.ts';

const MAX_PARTNERS = 1000;

interface ClientOptions {
  readonly service: string;
  readonly partner?: string;
}

interface Settings extends ClientOptions {
  readonly clientId: string;
  readonly secretFile?: string;
  readonly public?: boolean;
}

/** `utg upstream-client`. */
export function createUpstreamClientCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('upstream-client', output)
    .usage('<command> [options]')
    .summary('manage the OAuth clients that are registered at upstreams')
    .description(
      'Manages the OAuth clients that are registered at upstreams: those of the operator, and those of partners, which ' +
        'come first for their own users. The gateway may be running. Database and keys are those of the gateway: ' +
        'DATABASE_URL and ENCRYPTION_KEYS (see npm start -- --help).',
    );
  const setCommand = command
    .command('set')
    .description('Register a client, or replace it; the secret is read from standard input');
  requireOption(requireService(setCommand), '--client-id <id>', 'as the upstream calls it')
    .option('--secret-file <path>', 'file with the secret, in place of standard input')
    .option('--public', 'the client has no secret')
    .action(withOpenStore(set));
  requireOption(
    command
      .command('register')
      .description('Register the gateway as a client automatically: by its metadata document, or by RFC 7591'),
    '--service <name>',
    'which connector',
  ).action(register);
  command.command('list').description('Print every client, without secrets').action(withOpenStore(list));
  requireService(
    command.command('remove').description('Remove a client: its connections can no longer be refreshed'),
  ).action(withOpenStore(remove));
  return addHelpTable(command, 'Examples', {
    'utg upstream-client set --service github --client-id Iv1.0f3a': 'asks for the secret',
    'utg upstream-client register --service notes': 'for an MCP server, or any service whose issuer is known',
    'utg upstream-client set --help': 'from a file, or for one partner',
  });
}

function requireService(command: Command): Command {
  return requireOption(command, '--service <name>', 'which connector').option(
    '--partner <client-id>',
    'which partner; default: the operator, for every partner that has none of its own',
  );
}

type Work<Options> = (store: Store, options: Options, clients: UpstreamClients) => Promise<void>;

function withOpenStore<Options>(work: Work<Options>): (options: Options) => Promise<void> {
  return async (options) => {
    const config = loadSettings();
    const keys = requireKeyRing(config);
    await withStore(config, async (store) => {
      const vault = await openVault(store.db, keys);
      await work(store, options, createUpstreamClients({ db: store.db, vault }));
    });
  };
}

async function set(store: Store, options: Settings, clients: UpstreamClients): Promise<void> {
  const { service } = options;
  const connectors = (await loadServices()).filter(({ credential }) => takesUpstreamClient(credential));
  const names = connectors.map(({ name }) => name).join(', ');
  if (!connectors.some(({ name }) => name === service)) {
    throw new UsageError(`--service must be one that uses OAuth: ${names === '' ? 'there is none' : names}.`);
  }
  const partnerId = await partnerIdOf(store, options);
  const typedClient = { clientId: options.clientId, clientSecret: options.public ? null : await readSecret(options) };
  const { hasSecret } = await clients.put({ partnerId, service, ...parse(typedClient) }, { now: Date.now() });
  const kind = hasSecret ? 'with its secret' : 'as a public client';
  console.log(`${service}  ${typedClient.clientId}  kept ${kind}.`);
}

/** Asks the authorization server with the settings of the gateway, so that it reaches no more than the gateway does. */
async function register({ service }: ClientOptions): Promise<void> {
  const connectors = await loadServices();
  const config = loadSettings(connectors);
  const keys = requireKeyRing(config);
  const found = connectors.find(({ name }) => name === service);
  if (found === undefined) throw new UsageError(`There is no service "${service}".`);
  const connector = withOAuthOrigin(found, config.oauthOrigins.get(service));
  const mcpAddress = isMcpServer(connector)
    ? config.baseUrls.get(service)?.get(connector.servers[0]?.url ?? '')
    : undefined;
  const { publicUrl } = config;
  const outgoing = createOutgoing({ networks: config.outgoingNetworks, proxy: config.outgoingProxy });
  try {
    await withStore(config, async (store) => {
      const clients = createUpstreamClients({ db: store.db, vault: await openVault(store.db, keys) });
      const existing = await clients.show({ partnerId: null, service });
      if (existing !== null && !isExpired(existing)) {
        console.log(`${service}  ${existing.clientId}  is there already. To register another, remove it first.`);
        return;
      }
      const client = await obtainClient({ connector, mcpAddress, publicUrl }, outgoing);
      await clients.put({ partnerId: null, service, ...client }, { now: Date.now() });
      console.log(
        `${service}  ${client.clientId}  kept ${client.clientSecret === null ? 'as a public client' : 'with its secret'}.`,
      );
    });
  } finally {
    await outgoing.close();
  }
}

function isExpired({ secretExpiresAt }: UpstreamClientView): boolean {
  return secretExpiresAt !== null && secretExpiresAt <= Date.now();
}

function parse(typed: TypedUpstreamClient): TypedUpstreamClient {
  try {
    return parseUpstreamClient(typed);
  } catch (error) {
    throw new UsageError(settingProblem(error, { clientId: '--client-id', clientSecret: 'The secret' }));
  }
}

async function list(store: Store, _: unknown, clients: UpstreamClients): Promise<void> {
  const all = await clients.list();
  if (all.length === 0) console.log('There is no upstream client yet.');
  const partners = await listPartners(store.db, MAX_PARTNERS);
  for (const { partnerId, service, clientId, hasSecret, updatedAt, secretExpiresAt } of all) {
    const owner = partnerId === null ? 'operator' : partners.find(({ id }) => id === partnerId)?.clientId;
    const changed = new Date(updatedAt).toISOString();
    const until = secretExpiresAt === null ? '' : ` until ${new Date(secretExpiresAt).toISOString()}`;
    const secret = hasSecret ? `yes${until}` : 'no';
    console.log(`${service}  ${owner ?? partnerId}  ${clientId}  secret: ${secret}  set ${changed}`);
  }
}

async function remove(store: Store, options: ClientOptions, clients: UpstreamClients): Promise<void> {
  const key = { partnerId: await partnerIdOf(store, options), service: options.service };
  if (!(await clients.remove(key, { now: Date.now() }))) {
    throw new UsageError(`There is no such client for "${options.service}". "list" prints every one.`);
  }
  console.log('The client is removed.');
}

async function partnerIdOf(store: Store, { partner }: ClientOptions): Promise<string | null> {
  if (partner === undefined) return null;
  const partnerRecord = await findPartnerByClientId(store.db, partner);
  if (partnerRecord === undefined) throw new UsageError(`There is no partner "${partner}".`);
  return partnerRecord.id;
}

/** Removes the line ending. @throws {UsageError} for a file that cannot be read. */
async function readSecret({ secretFile }: { readonly secretFile?: string }): Promise<string> {
  if (secretFile !== undefined) {
    return trimmed(
      await readFile(secretFile, 'utf8').catch(() => {
        throw new UsageError(`--secret-file cannot be read: ${secretFile}`);
      }),
    );
  }
  return trimmed(process.stdin.isTTY ? await ask() : await text(process.stdin));
}

function trimmed(secret: string): string {
  return secret.replace(/\r?\n$/, '');
}

async function ask(): Promise<string> {
  process.stderr.write('Client secret (not shown): ');
  const silentOutput = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input: process.stdin, output: silentOutput, terminal: true });
  try {
    return await terminal.question('');
  } finally {
    terminal.close();
    process.stderr.write('\n');
  }
}
