/**
 * Revokes users' tokens at upstreams, as the gateway does, for a command that removes users, and counts the results.
 */

import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import { openVault } from '../../server/base/credentials/store-key.ts';
import { createUpstreamClients } from '../../server/base/credentials/upstream-clients.ts';
import { createOutgoing } from '../../server/base/guarded-fetch/outgoing.ts';
import type { Store } from '../../server/base/store/index.ts';
import { createCredentialOpener } from '../../server/call/upstream/lease.ts';
import { createUpstreamOAuth } from '../../server/call/upstream/oauth/index.ts';
import { withOAuthOrigin } from '../../server/call/upstream/oauth/origins.ts';
import { createRevocations } from '../../server/call/upstream/oauth/revocation.ts';
import { createRealmUpstreams } from '../../server/call/upstream/realms.ts';
import type { Config } from '../../server/config/index.ts';
import type { Connector } from '../../server/contract/index.ts';
import type { RemovalOptions } from '../../server/identity/partners/lifecycle.ts';
import { USER_AGENT } from '../../server/product.ts';

/** Connections whose tokens were revoked, those whose tokens could not be, and a reason per service. */
interface Revoked {
  readonly revoked: number;
  readonly failed: number;
  readonly reasons: ReadonlyMap<string, string>;
}

/** Access to the upstreams while users are removed. */
export interface UpstreamTokens {
  readonly revokeAfter: NonNullable<RemovalOptions['revokeAfter']>;
  /** The result so far, as text. */
  report(): string;
  /** Closes the connections to upstreams. */
  close(): Promise<void>;
}

/**
 * Opens access to the upstreams. Every removal waits for its revocations, 50 at a time, for at most ten seconds each.
 */
export async function openUpstreamTokens(
  { db }: { readonly db: Store['db'] },
  gateway: {
    readonly config: Pick<
      Config,
      'baseUrls' | 'oauthOrigins' | 'outgoingNetworks' | 'outgoingProxy' | 'testSandboxUrl'
    >;
    readonly keys: readonly EncryptionKey[];
    readonly connectors: readonly Connector[];
  },
): Promise<UpstreamTokens> {
  const { config, keys, connectors } = gateway;
  const outgoing = createOutgoing({ networks: config.outgoingNetworks, proxy: config.outgoingProxy });
  const vault = await openVault(db, keys);
  let revoked = 0;
  let failed = 0;
  const reasons = new Map<string, string>();
  const revocations = createRevocations({
    db,
    openCredential: createCredentialOpener({ vault }),
    realms: createRealmUpstreams(config, {
      connectors: connectors.map((each) => withOAuthOrigin(each, config.oauthOrigins.get(each.name))),
      outgoing,
      clients: createUpstreamClients({ db, vault }),
    }).map((place) => ({
      ...place,
      oauth: createUpstreamOAuth({ dispatcher: place.dispatcher, userAgent: USER_AGENT }),
    })),
    patient: true,
    onRevoked: () => {
      revoked += 1;
    },
    onProblem: ({ service, error }) => {
      failed += 1;
      reasons.set(service, error instanceof Error ? error.message : 'unknown');
    },
  });
  return {
    revokeAfter: (users, remove) =>
      revocations.after(
        users.map(({ id }) => ({ userId: id })),
        remove,
      ),
    report: () => toReport({ revoked, failed, reasons }),
    close: () => outgoing.close(),
  };
}

function toReport({ revoked, failed, reasons }: Revoked): string {
  if (revoked === 0 && failed === 0) return 'No connection had tokens that an upstream revokes.';
  const why = [...reasons].map(([service, reason]) => `${service}: ${reason}`).join('; ');
  const failures = failed === 0 ? '' : ` Could not be revoked: those of ${failed} (${why}).`;
  return `Tokens revoked at upstreams: those of ${revoked} connection${revoked === 1 ? '' : 's'}.${failures}`;
}
