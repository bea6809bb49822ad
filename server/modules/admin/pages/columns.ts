/** Columns that several tables of grants, tokens and connections share. */

import { listed, moment, untrustedClient } from '../../../base/dashboard/parts.ts';
import { connectionBadge } from '../../../base/pages/components.ts';
import type { Html } from '../../../base/pages/html.ts';
import type { Connection } from '../../../base/store/repositories/connections.ts';

interface Access {
  readonly scopes: readonly string[];
  /** Null stands for all services. */
  readonly services: readonly string[] | null;
}

/** Columns of a grant or token. */
export const ACCESS_COLUMNS = {
  Scopes: ({ scopes }: Access) => scopes.join(' '),
  Services: ({ services }: Access) => listed(services),
} as const;

/** Names the client of a grant, or the partner. */
export function clientOrPartner({ clientId, clientName }: ClientIdentity): Html | string {
  return clientId === null ? 'Partner' : untrustedClient(clientName, clientId);
}

interface ClientIdentity {
  /** Null for a grant of the partner itself. */
  readonly clientId: string | null;
  readonly clientName: string | null;
}

/** Columns of a connection. */
export const CONNECTION_COLUMNS = {
  Status: ['state', connectionBadge],
  Created: ({ createdAt }: Pick<Connection, 'createdAt'>) => moment(createdAt),
} as const;
