/** The token command: issues an access token for testing, while the gateway runs. */

import type { Command } from 'commander';
import { resourceOf } from '../../server/base/http/challenge.ts';
import { SCOPES } from '../../server/base/principal/permission.ts';
import type { Store } from '../../server/base/store/index.ts';
import { findPartner } from '../../server/base/store/repositories/partners.ts';
import { findOneUser } from '../../server/cli/find-user.ts';
import { withStore } from '../../server/cli/with-store.ts';
import type { Config } from '../../server/config/index.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { ACCESS_TOKEN_TTL_SECONDS, issueAccessToken } from '../../server/identity/grants/access-token.ts';
import { listUsableServices } from '../../server/identity/grants/allowed/list.ts';
import { addHelpTable, createCommand, namesIn, requireOption, wholeNumber } from '../../shared/cli/command.ts';
import { toClientConfiguration } from '../demo/text.ts';
import { loadSettings } from '../store/settings.ts';

const MAX_TTL_SECONDS = 86_400;

interface TokenOptions {
  readonly user: string;
  readonly partner?: string;
  /** Lifetime in seconds. */
  readonly ttl: number;
  readonly services?: readonly string[];
  readonly readOnly?: boolean;
  readonly raw?: boolean;
}

/** `utg token`. */
export function createTokenCommand(): Command {
  const command = createCommand('token')
    .summary('mint an access token for testing')
    .description(
      'Mints an access token for testing. The gateway may be running; the token works at once. The database and the ' +
        'address are those of the gateway: DATABASE_URL and PUBLIC_URL (see npm start -- --help).',
    );
  requireOption(command, '--user <id>', "the user_id: the partner's own name for the user")
    .option('--partner <id>', 'client_id of the partner, needed when several partners have such a user')
    .option(
      '--ttl <seconds>',
      `lifetime, 1 to ${MAX_TTL_SECONDS}`,
      wholeNumber(1, MAX_TTL_SECONDS),
      ACCESS_TOKEN_TTL_SECONDS,
    )
    .option('--services <names>', 'only these services, separated by commas; default: all that are connected', namesIn)
    .option('--read-only', 'leave out the scope tools:write')
    .option('--raw', 'print the token and nothing else')
    .action((options: TokenOptions) => {
      const config = loadSettings();
      return withStore(config, (store) => mint(store, config, options));
    });
  return addHelpTable(command, 'Examples', {
    'utg token --user ada': 'a token for every service that ada connected, and a client configuration',
    'utg token --user ada --services crm --read-only': 'only to read, and only in crm',
  });
}

async function mint(store: Store, config: Config, options: TokenOptions): Promise<void> {
  const user = await findOneUser(store, options);
  const resource = resourceOf({ issuer: config.publicUrl, path: MCP_PATH });
  const { token, expiresAt } = await issueAccessToken(store.db, {
    userId: user.id,
    scopes: options.readOnly ? ['tools:read'] : SCOPES,
    services: options.services ?? null,
    resource,
    now: Date.now(),
    ttlSeconds: options.ttl,
  });
  if (options.raw) {
    console.log(token);
    return;
  }
  const partner = await findPartner(store.db, user.partnerId);
  const offered = partner === undefined ? [] : await listUsableServices(store.db, user.id, partner);
  const usable = offered.filter((service) => options.services?.includes(service) ?? true);
  console.log(`Access token for ${user.externalUserId}, valid until ${new Date(expiresAt).toISOString()}:\n`);
  console.log(`${token}\n`);
  console.log(`Services: ${usable.length === 0 ? 'none, so the list of tools is empty' : usable.join(', ')}\n`);
  console.log('MCP client configuration:\n');
  console.log(JSON.stringify(toClientConfiguration({ url: resource, token }), null, 2));
}
