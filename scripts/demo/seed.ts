/**
 * Adds a partner, a user and the user's connections to a store, and issues a token: what the connect flow leaves behind.
 */

import type { CredentialVault } from '../../server/base/credentials/index.ts';
import { saveConnection } from '../../server/base/credentials/save-connection.ts';
import { SCOPES } from '../../server/base/principal/permission.ts';
import type { Store } from '../../server/base/store/index.ts';
import { findPartnerByClientId, insertPartner } from '../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../server/base/store/repositories/users.ts';
import type { Connector, CredentialPart } from '../../server/contract/index.ts';
import { type IssuedAccessToken, issueAccessToken } from '../../server/identity/grants/access-token.ts';

interface SeedOptions {
  readonly store: Store;
  readonly vault: CredentialVault;
  /** `client_id` of the partner, who is created if missing. */
  readonly partner: string;
  /** The partner's own name for the user. */
  readonly user: string;
  /** Services to connect the user to. */
  readonly connectors: readonly Connector[];
  /** The secret of each connection. */
  readonly secretOf: (connector: Connector) => string;
  /** Resource indicator of the token. */
  readonly resource: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Connects the user to every service and issues an access token with all scopes. */
export async function seedUser(options: SeedOptions): Promise<IssuedAccessToken> {
  const { db } = options.store;
  const { now } = options;
  const partner =
    (await findPartnerByClientId(db, options.partner)) ??
    (await insertPartner(db, { clientId: options.partner, name: options.partner, now }));
  const user = await ensureUser(db, { partnerId: partner.id, externalUserId: options.user, now });
  for (const connector of options.connectors) {
    const fields = toFields(connector.credential.parts, options.secretOf(connector));
    await saveConnection(db, options.vault, {
      userId: user.id,
      service: connector.name,
      fields,
      now,
    });
  }
  const { resource } = options;
  return issueAccessToken(db, { userId: user.id, scopes: SCOPES, services: null, resource, now });
}

function toFields(parts: readonly CredentialPart[], secret: string): Record<string, string> | null {
  if (parts.length === 0) return null;
  return Object.fromEntries(
    parts.flatMap(({ id, type }) =>
      type === 'basic'
        ? [
            [`${id}.username`, 'demo'],
            [`${id}.password`, secret],
          ]
        : [[id, secret]],
    ),
  );
}
