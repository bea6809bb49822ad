/** The sealed secrets of webhook endpoints. */

import type { CredentialBinding, CredentialVault } from '../../base/credentials/index.ts';
import type { SealedRows } from '../../base/store/repositories/sealed-credentials.ts';

/** The secrets of an endpoint. `previous` also signs during a rotation. */
interface EndpointSecrets {
  readonly current: string;
  readonly previous?: string;
}

/** What the sealed secrets of an endpoint are bound to. */
export function endpointBinding(endpoint: { id: string; partnerId: string }): CredentialBinding {
  return {
    connectionId: endpoint.id,
    partnerId: endpoint.partnerId,
    userId: '',
    externalUserId: '',
    service: 'webhook',
  };
}

/** The sealed secrets of endpoints. */
export const SEALED_SECRETS: SealedRows = {
  table: 'webhook_endpoints',
  async list(executor, { after, limit }) {
    const rows = await executor
      .selectFrom('webhook_endpoints')
      .select(['id', 'partner_id as partnerId', 'sealed_credential as sealed'])
      .where('sealed_credential', 'is not', null)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute();
    return rows.map(({ sealed, ...endpoint }) => ({ ...endpointBinding(endpoint), sealed }));
  },
};

/** @throws {CredentialUnreadableError} when the key is missing. */
export function openSecrets(
  vault: CredentialVault,
  endpoint: { id: string; partnerId: string; sealedSecrets: string },
): EndpointSecrets {
  const { current = '', previous } = vault.open(endpoint.sealedSecrets, endpointBinding(endpoint));
  return previous === undefined ? { current } : { current, previous };
}
