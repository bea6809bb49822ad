/** Selects the checks that are possible with what is known: settings, an address, a user. */

import { type Check, type CheckResult, NO_STORE, ok, skipped, warning } from '../../base/checks.ts';
import type { EncryptionKey } from '../../base/credentials/index.ts';
import type { Reach } from '../../base/guarded-fetch/reach.ts';
import { loadRedis } from '../../base/limits/index.ts';
import type { Store } from '../../base/store/index.ts';
import type { User } from '../../base/store/repositories/users.ts';
import type { Config } from '../../config/index.ts';
import type { Connector } from '../../contract/index.ts';
import { checksOfModules } from '../../module.ts';
import { checkCors, checkDocuments, checkRegistration } from './discovery.ts';
import { checkAnswers, checkClock, checkHost, checkReady, checkTls, type Target } from './gateway-checks.ts';
import { checkPartnerAddresses } from './partner-addresses.ts';
import { checkForwarded } from './proxy-checks.ts';
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
  /** The user whose credentials are tried; null if none is named. */
  readonly user: User | null;
}

interface Outside {
  readonly origin: string;
  /** See `Target`. */
  readonly isAsked: boolean;
}

/** A check from outside. */
interface OutsideCheck {
  readonly name: string;
  /**
   * Condition without which the check is skipped. `gateway` means that a gateway answers. `host` means that it also accepts the host as its own. By
   * default there is no condition.
   */
  readonly needs?: 'gateway' | 'host';
  readonly run: (target: Target, signal: AbortSignal) => Promise<readonly CheckResult[]>;
}

const OUTSIDE_CHECKS: readonly OutsideCheck[] = [
  { name: 'address', run: async ({ address }) => [await address] },
  { name: 'DNS and TLS', run: checkTls },
  { name: 'host', run: async ({ host }) => [await host] },
  { name: 'ready', needs: 'gateway', run: checkReady },
  { name: 'clock', needs: 'gateway', run: checkClock },
  { name: 'discovery', needs: 'host', run: checkDocuments },
  { name: 'browsers', needs: 'host', run: checkCors },
  { name: 'registration', needs: 'host', run: checkRegistration },
];

/** Plans checks from outside and, if settings are available, from inside. */
export async function planChecks(outside: Outside, inside: Inside | null, reach: Reach): Promise<Check[]> {
  const address = checkAnswers({ ...outside, reach });
  const isThere = isOk(address);
  const host = isThere.then((isAnswering) =>
    isAnswering ? checkHost({ ...outside, reach }) : skipped('no gateway answers'),
  );
  const target: Target = { ...outside, reach, address, host, isThere, isOwn: isOk(host) };
  const checks = OUTSIDE_CHECKS.map((check) => toCheck(target, check));
  return inside === null ? checks : [...checks, ...(await planInside(inside, target))];
}

async function isOk(finding: Promise<CheckResult>): Promise<boolean> {
  try {
    return (await finding).state === 'ok';
  } catch {
    return false;
  }
}

function toCheck(target: Target, { name, needs, run }: OutsideCheck): Check {
  return {
    name,
    async run(signal) {
      if (needs !== undefined && !(await target.isThere)) return [skipped('no gateway answers at its address')];
      if (needs === 'host' && !(await target.isOwn)) return [skipped('the gateway refuses the host')];
      return run(target, signal);
    },
  };
}

async function planInside({ config, connectors, keys, inspected, user }: Inside, target: Target): Promise<Check[]> {
  const { store } = inspected;
  const { reach } = target;
  const moduleChecks = await checksOfModules({ config, store, keys, reach });
  const storeCheck = (name: string, run: (store: Store) => Promise<readonly CheckResult[]>): Check => ({
    name,
    run: async () => (store === null ? NO_STORE : run(store)),
  });
  const serviceChecks: Check[] = connectors.map((connector) => ({
    name: `service ${connector.name}`,
    run: (signal) => checkUpstream(connector, config, reach, signal),
  }));
  const credentialChecks: Check[] = [];
  if (user !== null && store !== null && keys !== null) {
    credentialChecks.push({
      name: 'credentials',
      run: (signal) => verifyAs({ store, config, keys, connectors, reach, user }, signal),
    });
  }
  return [
    toCheck(target, {
      name: 'proxy',
      needs: 'gateway',
      run: (_, signal) => checkForwarded(target, config, keys, signal),
    }),
    { name: 'store', run: async () => inspected.findings },
    storeCheck('keys', (opened) => checkKeys(opened, keys, config)),
    { name: 'limits', run: () => checkLimits(config) },
    { name: 'clients', run: async () => [judgeClientIdentities(config)] },
    storeCheck('partners', (opened) => checkPartnerAddresses(opened, config, reach.resolve)),
    storeCheck('upstream clients', (opened) => checkUpstreamClients(opened, connectors)),
    ...serviceChecks,
    ...credentialChecks,
    ...moduleChecks.flat(),
  ];
}

/** Pings the server that `LIMITS_REDIS_URL` names, if there is one. */
async function checkLimits({ limitsRedisUrl: url }: Config): Promise<CheckResult[]> {
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
