/** Selects the checks that are possible with what is known: settings, an address, a user. */

import { type Check, NO_STORE, ok, type Seen, skipped, warning } from '../../base/checks.ts';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { Reach } from '../../base/guarded-fetch/reach.ts';
import { loadRedis } from '../../base/limits/index.ts';
import type { Store } from '../../base/store/index.ts';
import type { User } from '../../base/store/repositories/users.ts';
import type { Config } from '../../config/index.ts';
import type { Connector } from '../../contract/index.ts';
import { checksOfModules } from '../../module.ts';
import { checkCors, checkDocuments, checkRegistration } from './discovery.ts';
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
import { checkPartnerAddresses } from './partner-addresses.ts';
import { judgeClientIdentities } from './settings.ts';
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
}

type FromOutside = (target: Target, signal: AbortSignal) => Promise<readonly Seen[]>;

/** Plans checks from outside and, if settings are available, from inside. */
export async function planChecks(outside: Outside, inside: Inside | null, reach: Reach): Promise<Check[]> {
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
    ...(inside === null ? [] : await planInside(inside, target, there)),
  ];
}

async function planInside(
  { config, connectors, keys, inspected, user }: Inside,
  target: Target,
  there: (name: string, run: FromOutside) => Check,
): Promise<Check[]> {
  const { store } = inspected;
  const { reach } = target;
  const ofModules = await checksOfModules({ config, store, keys, reach });
  const stored = (name: string, run: (store: Store, signal: AbortSignal) => Promise<readonly Seen[]>): Check => ({
    name,
    run: async (signal) => (store === null ? NO_STORE : run(store, signal)),
  });
  return [
    there('proxy', (_, signal) => checkForwarded(target, config, keys, signal)),
    { name: 'store', run: async () => inspected.seen },
    stored('keys', (opened) => checkKeys(opened, keys, config)),
    { name: 'limits', run: () => checkLimits(config) },
    { name: 'clients', run: async () => [judgeClientIdentities(config)] },
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
    ...ofModules.flat(),
  ];
}

/** Asks the server that `LIMITS_REDIS_URL` names; empty if there is none. */
async function checkLimits({ limitsRedisUrl: url }: Config): Promise<Seen[]> {
  if (url === null) return [];
  const { answersPing } = await loadRedis();
  if (await answersPing(url)) return [ok('the server of LIMITS_REDIS_URL answers')];
  return [
    warning(
      'the server of LIMITS_REDIS_URL does not answer, so each gateway counts limits alone',
      'correct LIMITS_REDIS_URL with its password and number of a database, or start the server',
    ),
  ];
}
