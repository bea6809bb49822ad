/** Selects the checks that are possible with what is known: settings, an address, a user. */

import { createClient } from '@redis/client';
import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import type { Store } from '../../server/base/store/index.ts';
import type { User } from '../../server/base/store/repositories/users.ts';
import type { Config } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import { createReplays, judgeClientSettings } from './clients/replay.ts';
import { checkCors, checkDocuments, checkRegistration } from './discovery.ts';
import { type Check, ok, type Seen, skipped, warning } from './finding.ts';
import { checkForwarded } from './forwarded.ts';
import {
  checkAnswers,
  checkClock,
  checkHost,
  checkReady,
  checkTls,
  type Target,
  whereItAnswers,
  whereItIsOwn,
} from './gateway-checks.ts';
import type { Reach } from './network.ts';
import { checkMetrics, checkOpenId, checkSignIn } from './operators.ts';
import { checkPartnerAddresses } from './partner-addresses.ts';
import { checkAuditTrail } from './store/audit-trail.ts';
import type { InspectedStore } from './store/inspect.ts';
import { checkKeys } from './store/keys.ts';
import { checkUpstream, checkUpstreamClients } from './upstreams.ts';
import { verifyAs } from './verify-as.ts';

/** The parts of the local gateway. */
export interface Inside {
  readonly config: Config;
  readonly connectors: readonly Connector[];
  readonly keys: readonly EncryptionKey[] | null;
  readonly inspected: InspectedStore;
  /** The user whose credentials are tried; null: none. */
  readonly user: User | null;
}

interface Outside {
  readonly origin: string;
  /** See `Target`. */
  readonly isAsked: boolean;
  readonly registers: boolean;
}

type FromOutside = (target: Target, signal: AbortSignal) => Promise<readonly Seen[]>;

const NO_STORE = [skipped('the store cannot be read, or is not migrated')];

/** Plans checks from outside and, if settings are available, from inside. */
export function planChecks(outside: Outside, inside: Inside | null, reach: Reach): Check[] {
  const answers = checkAnswers({ ...outside, reach });
  const isThere = answers.then(
    ({ state }) => state === 'ok',
    () => false,
  );
  const own = isThere.then((there) => (there ? checkHost({ ...outside, reach }) : skipped('no gateway answers')));
  const isOwn = own.then(
    ({ state }) => state === 'ok',
    () => false,
  );
  const target: Target = { ...outside, reach, isThere, isOwn };
  const there = (name: string, run: FromOutside): Check => ({
    name,
    run: whereItAnswers(target, (signal) => run(target, signal)),
  });
  const deeper = (name: string, run: FromOutside): Check => ({
    name,
    run: whereItIsOwn(target, (signal) => run(target, signal)),
  });
  return [
    { name: 'address', run: async () => [await answers] },
    { name: 'DNS and TLS', run: (signal) => checkTls(target, signal) },
    { name: 'host', run: async () => [await own] },
    there('ready', checkReady),
    there('clock', checkClock),
    deeper('discovery', checkDocuments),
    deeper('browsers', checkCors),
    deeper('registration', checkRegistration),
    ...createReplays(target, outside.registers).map((run) =>
      deeper('client', async (_, signal) => [await run(signal)]),
    ),
    ...(inside === null ? [] : planInside(inside, target, there)),
  ];
}

function planInside(
  { config, connectors, keys, inspected, user }: Inside,
  target: Target,
  there: (name: string, run: FromOutside) => Check,
): Check[] {
  const { store } = inspected;
  const { reach } = target;
  const stored = (name: string, run: (store: Store, signal: AbortSignal) => Promise<readonly Seen[]>): Check => ({
    name,
    run: async (signal) => (store === null ? NO_STORE : run(store, signal)),
  });
  return [
    there('proxy', (_, signal) => checkForwarded(target, config, keys, signal)),
    { name: 'store', run: async () => inspected.seen },
    stored('keys', (opened) => checkKeys(opened, keys, config.encryptionKeys === null)),
    stored('audit trail', (opened) => checkAuditTrail(opened, keys)),
    { name: 'limits', run: () => checkLimits(config) },
    { name: 'clients', run: async () => [judgeClientSettings(config)] },
    stored('partners', (opened) => checkPartnerAddresses(opened, config, reach.resolve)),
    stored('upstream clients', (opened) => checkUpstreamClients(opened, connectors)),
    ...connectors.map((connector) => ({
      name: `service ${connector.name}`,
      run: (signal: AbortSignal) => checkUpstream(connector, config, reach, signal),
    })),
    ...(user === null || store === null || keys === null
      ? []
      : [
          {
            name: 'credentials',
            run: (signal: AbortSignal) => verifyAs({ store, config, keys, connectors, reach, user }, signal),
          },
        ]),
    { name: 'dashboard', run: () => checkSignIn(config, store) },
    { name: 'OpenID provider', run: (signal) => checkOpenId(config, reach, signal) },
    { name: 'metrics', run: (signal) => checkMetrics(config, reach, signal) },
  ];
}

const CONNECT_TIMEOUT_MS = 5_000;

/** Asks the server that `LIMITS_REDIS_URL` names; empty if there is none. */
async function checkLimits({ limitsRedisUrl: url }: Config): Promise<Seen[]> {
  if (url === null) return [];
  const socket = {
    connectTimeout: CONNECT_TIMEOUT_MS,
    socketTimeout: CONNECT_TIMEOUT_MS,
    reconnectStrategy: false,
  } as const;
  const client = createClient({ url, socket });
  client.on('error', () => {});
  try {
    await client.connect();
    await client.ping();
    return [ok('the server of LIMITS_REDIS_URL answers')];
  } catch {
    return [
      warning(
        'the server of LIMITS_REDIS_URL does not answer, so each gateway counts limits alone',
        'correct LIMITS_REDIS_URL with its password and number of a database, or start the server',
      ),
    ];
  } finally {
    client.destroy();
  }
}
