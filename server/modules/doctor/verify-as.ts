/** Tries the stored credentials of one user, with the calls that verify them when the user connects. */

import { type CheckResult, error, ok, skipped, warning } from '../../base/checks.ts';
import { CredentialUnreadableError, type EncryptionKey } from '../../base/credentials/index.ts';
import { createValueSealer } from '../../base/credentials/sealed-value.ts';
import { openVault } from '../../base/credentials/store-key.ts';
import type { Reach } from '../../base/guarded-fetch/reach.ts';
import { createUpstreamSlots } from '../../base/limits/upstream-slots.ts';
import type { Store } from '../../base/store/index.ts';
import { listConnections } from '../../base/store/repositories/connections.ts';
import { findRealm } from '../../base/store/repositories/partners.ts';
import type { User } from '../../base/store/repositories/users.ts';
import { createValidators } from '../../call/tools/validate.ts';
import { type CredentialVerdict, createCredentialVerifier } from '../../call/tools/verify-credential.ts';
import { createUpstream } from '../../call/upstream/index.ts';
import { createRealmUpstreams, type RealmUpstreams } from '../../call/upstream/realms.ts';
import type { Config } from '../../config/index.ts';
import type { Connector } from '../../contract/index.ts';
import { USER_AGENT } from '../../product.ts';

interface VerifyAsOptions {
  readonly store: Store;
  readonly config: Config;
  readonly keys: readonly EncryptionKey[];
  readonly connectors: readonly Connector[];
  readonly reach: Reach;
  readonly user: User;
}

/** One finding per connection. No finding names the user or quotes the upstream. */
export async function verifyAs(options: VerifyAsOptions, signal: AbortSignal): Promise<CheckResult[]> {
  const { store, keys, connectors, user } = options;
  const vault = await openVault(store.db, keys);
  const upstreams = createRealmUpstreams(options.config, {
    connectors,
    outgoing: options.reach.guarded,
    clients: { find: async () => null, findById: async () => null, isRegistered: async () => false },
  }).find({ realm: await findRealm(store.db, user.partnerId) });
  if (upstreams === null) return [skipped('this is a user of test mode, and TEST_SANDBOX_URL is not set')];
  const verify = createVerifier(options, upstreams);
  const connections = await listConnections(store.db, user.id);
  if (connections.length === 0) return [skipped('this user has not connected any service')];
  return Promise.all(
    connections.map(async ({ id, service, sealedCredential }): Promise<CheckResult> => {
      const connector = connectors.find(({ name }) => name === service);
      if (connector === undefined) return skipped(`${service} is no longer served`);
      try {
        const { partnerId, externalUserId } = user;
        const binding = { connectionId: id, partnerId, userId: user.id, externalUserId, service };
        const fields = sealedCredential === null ? {} : vault.open(sealedCredential, binding);
        if (isExpired(fields)) return skipped(`${service}: the access token has expired, and the next call renews it`);
        return judge(service, await verify(connector, fields, signal));
      } catch (problem) {
        if (!(problem instanceof CredentialUnreadableError)) throw problem;
        return error(
          `${service}: the stored credential cannot be opened (${problem.reason})`,
          'see the check of the keys',
        );
      }
    }),
  );
}

function createVerifier({ store, config, keys }: VerifyAsOptions, { baseUrls, dispatcher }: RealmUpstreams) {
  const now = Date.now;
  return createCredentialVerifier({
    upstream: createUpstream({
      baseUrls,
      dispatcher,
      timeoutMs: config.upstreamTimeoutMs,
      maxResultBytes: config.maxResultBytes,
      userAgent: USER_AGENT,
      around: undefined,
    }),
    upstreamSlots: createUpstreamSlots(store, { now, onError: () => {} }),
    validators: createValidators(),
    maxResultBytes: config.maxResultBytes,
    resumes: createValueSealer({ keys, purpose: 'tool result' }),
    timeoutMs: config.upstreamTimeoutMs,
    now,
    onDrift: () => {},
    onFault: () => {},
  });
}

function isExpired(fields: Readonly<Record<string, string>>): boolean {
  return Object.entries(fields).some(([name, value]) => name.endsWith('.expires_at') && Number(value) <= Date.now());
}

function judge(service: string, { kind }: CredentialVerdict): CheckResult {
  switch (kind) {
    case 'accepted':
      return ok(`${service} accepts the credential`);
    case 'unverified':
      return skipped(`${service} has no call that verifies credentials`);
    case 'refused':
      return error(`${service} refuses the credential`, 'the user connects the service again');
    case 'unsendable':
      return error(`${service}: no request can carry the credential`, 'the user connects the service again');
    default:
      return warning(`${service} gave no conclusive answer`, 'see the check of the service, and try again');
  }
}
