/** `npm run token -- --user <id>`: mints an access token for testing, beside the running gateway. */

import { parseArgs } from 'node:util';
import { MCP_PATH } from '../server/app.ts';
import { resourceOf } from '../server/auth/protected-resource-metadata.ts';
import { ConfigError, loadConfig } from '../server/config.ts';
import { ACCESS_TOKEN_TTL_SECONDS, issueAccessToken } from '../server/grants/access-token.ts';
import { SCOPES } from '../server/principal/scopes.ts';
import { openStore, type Store } from '../server/store/index.ts';
import { listConnections } from '../server/store/repositories/connections.ts';
import { findPartnerByClientId, listPartners } from '../server/store/repositories/partners.ts';
import { findUser, findUsersByExternalId, listUsers, type User } from '../server/store/repositories/users.ts';
import { toClientConfiguration } from './demo/text.ts';

const HELP = `Usage: npm run token -- --user <id> [options]

Mints an access token for testing. The gateway may be running; the token works at once.
The database and the address are those of the gateway: DATABASE_URL and PUBLIC_URL (see npm start -- --help).

  --user <id>         the partner's own name for the user (user_id)
  --partner <id>      client_id of the partner, needed when several partners have such a user
  --ttl <seconds>     lifetime, 1 to 86400 (default: ${ACCESS_TOKEN_TTL_SECONDS}, one hour)
  --services <names>  narrow the token to these services, separated by commas (default: all that are connected)
  --read-only         leave out the scope tools:write
  --raw               print the token and nothing else
  --help              print this`;

const MAX_TTL_SECONDS = 86_400;
const MAX_LISTED = 20;

/** Something that the person at the keyboard can mend. */
class UsageError extends Error {}

async function main(): Promise<void> {
  const options = readOptions(process.argv.slice(2));
  if (options === null) {
    console.log(HELP);
    return;
  }
  const config = loadConfig({ connectors: [] });
  const store = await openStore({ url: config.databaseUrl });
  try {
    const user = await findOneUser(store, options);
    const resource = resourceOf({ issuer: config.publicUrl, path: MCP_PATH });
    const { token, expiresAt } = await issueAccessToken(store.db, {
      userId: user.id,
      scopes: options.readOnly ? ['tools:read'] : SCOPES,
      services: options.services,
      resource,
      now: Date.now(),
      ttlSeconds: options.ttlSeconds,
    });
    if (options.raw) {
      console.log(token);
      return;
    }
    const connections = await listConnections(store.db, user.id);
    const connected = connections.map(({ service }) => service);
    const usable = connected.filter((service) => options.services?.includes(service) ?? true);
    console.log(`Access token for ${user.externalUserId}, good until ${new Date(expiresAt).toISOString()}:\n`);
    console.log(`${token}\n`);
    console.log(`Services: ${usable.length === 0 ? 'none, so the list of tools is empty' : usable.join(', ')}\n`);
    console.log('MCP client configuration:\n');
    console.log(JSON.stringify(toClientConfiguration({ url: resource, token }), null, 2));
  } finally {
    await store.close();
  }
}

interface Options {
  readonly user: string;
  readonly partner: string | undefined;
  readonly ttlSeconds: number;
  readonly services: readonly string[] | null;
  readonly readOnly: boolean;
  readonly raw: boolean;
}

function readOptions(args: string[]): Options | null {
  const { values } = parse(args);
  if (values.help === true) return null;
  if (values.user === undefined || values.user === '') throw new UsageError('--user is missing.');
  const ttl = values.ttl ?? String(ACCESS_TOKEN_TTL_SECONDS);
  const ttlSeconds = Number(ttl);
  if (!/^\d+$/.test(ttl) || ttlSeconds < 1 || ttlSeconds > MAX_TTL_SECONDS) {
    throw new UsageError(`--ttl must be a whole number of seconds from 1 to ${MAX_TTL_SECONDS}.`);
  }
  return {
    user: values.user,
    partner: values.partner,
    ttlSeconds,
    services: values.services === undefined ? null : values.services.split(',').map((name) => name.trim()),
    readOnly: values['read-only'] === true,
    raw: values.raw === true,
  };
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        user: { type: 'string' },
        partner: { type: 'string' },
        ttl: { type: 'string' },
        services: { type: 'string' },
        'read-only': { type: 'boolean' },
        raw: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

async function findOneUser(store: Store, options: Pick<Options, 'user' | 'partner'>): Promise<User> {
  if (options.partner !== undefined) {
    const partner = await findPartnerByClientId(store.db, options.partner);
    if (partner === undefined) {
      throw new UsageError(`There is no partner "${options.partner}". ${await describePartners(store)}`);
    }
    const user = await findUser(store.db, { partnerId: partner.id, externalUserId: options.user });
    if (user !== undefined) return user;
    const known = await describeUsers(store, partner.id);
    throw new UsageError(`The partner "${partner.clientId}" has no user "${options.user}". ${known}`);
  }
  const users = await findUsersByExternalId(store.db, options.user);
  const [user] = users;
  if (user === undefined) throw new UsageError(`There is no user "${options.user}". ${await describeUsers(store)}`);
  if (users.length > 1) {
    throw new UsageError(`${users.length} partners have a user "${options.user}". Say which with --partner.`);
  }
  return user;
}

async function describePartners(store: Store): Promise<string> {
  const partners = await listPartners(store.db, MAX_LISTED + 1);
  return describeKnown(
    'partner',
    partners.map((partner) => partner.clientId),
  );
}

async function describeUsers(store: Store, partnerId?: string): Promise<string> {
  const users = await listUsers(store.db, { limit: MAX_LISTED + 1, ...(partnerId === undefined ? {} : { partnerId }) });
  return describeKnown(
    'user',
    users.map((user) => user.externalUserId),
  );
}

function describeKnown(kind: string, names: readonly string[]): string {
  if (names.length === 0) return `There is no ${kind} yet. "npm run demo" makes one to try things with.`;
  const listed = [...new Set(names.slice(0, MAX_LISTED))].join(', ');
  return `Known: ${listed}${names.length > MAX_LISTED ? ', and more' : ''}.`;
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
  console.error(error instanceof UsageError ? `${error.message}\nTry: npm run token -- --help` : error.message);
  process.exitCode = 1;
}
