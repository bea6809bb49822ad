/** One visit to the connect page: which partner asks which user for which service, by a plain link or in a connect session. */

import type { ConnectSession } from '../../base/store/repositories/connect/connect-sessions.ts';
import type { Connection } from '../../base/store/repositories/connections.ts';
import type { ConnectRequest } from '../request/index.ts';

/** A service that a person is asked about. */
export interface ConnectVisit {
  readonly request: ConnectRequest;
  /** Identifies the page when refused credentials are counted. */
  readonly pageId: string;
  /** Null: the page was opened by a plain link. */
  readonly session: SessionVisit | null;
}

/** Progress of a connect session. */
export interface SessionVisit {
  readonly row: ConnectSession;
  /** Services that the user has completed in it. */
  readonly connected: readonly string[];
  /** The only origin that the page answers in a popup; null: it is no popup. */
  readonly popupOrigin: string | null;
  /** The user's connection to the service, which will be replaced; null: there is none. */
  readonly replaces: Pick<Connection, 'status' | 'updatedAt'> | null;
}

/** Whether the service refused the credential that is replaced. */
export function isReconnect({ session }: Pick<ConnectVisit, 'session'>): boolean {
  return session?.replaces?.status === 'attention';
}

/** Where an answer goes: the partner's redirect URI, or the window that opened the popup. */
export interface PartnerTarget {
  readonly redirectUri: string;
  readonly state: string | null;
  readonly popupOrigin: string | null;
}

export function targetOf({ request, session }: Pick<ConnectVisit, 'request' | 'session'>): PartnerTarget {
  const { redirectUri, state } = request;
  return { redirectUri, state, popupOrigin: session?.popupOrigin ?? null };
}

/** The first service of a session that is neither completed nor skipped; undefined: none is left. */
export function nextService(row: ConnectSession, connected: readonly string[]): string | undefined {
  return row.services.find((service) => !connected.includes(service) && !row.skipped.includes(service));
}
