/** The gateway's registrations at the authorization servers of upstreams, with their secrets opened. */

import type { Kysely } from 'kysely';
import type { Connector } from '../../contract/index.ts';
import { isMcpServer } from '../mcp-servers.ts';
import { emit } from '../store/events.ts';
import {
  claimRegistration,
  deleteUpstreamClient,
  findUpstreamClient,
  findUpstreamClientById,
  listUpstreamClients,
  putUpstreamClient,
  type StoredUpstreamClient,
  type UpstreamClientKey,
  upstreamClientBinding,
} from '../store/repositories/upstream/upstream-clients.ts';
import type { Database } from '../store/schema.ts';
import type { CredentialVault } from './index.ts';
import { takesUpstreamClient } from './kinds.ts';

/** The gateway's registration at an upstream's authorization server. */
export interface UpstreamClient {
  /** Row id, which is stored with each token. */
  readonly id: string;
  /** Name of the connector. */
  readonly service: string;
  readonly clientId: string;
  /** Null for a public client. */
  readonly clientSecret: string | null;
  /** Registration endpoint that issued the client. Undefined for a client that someone entered. */
  readonly registrationUrl?: string;
}

/** A registration without its secret. */
export interface UpstreamClientView extends Omit<StoredUpstreamClient, 'sealedSecret'> {
  readonly hasSecret: boolean;
}

interface NewUpstreamClient extends UpstreamClientKey {
  readonly clientId: string;
  readonly clientSecret: string | null;
  /** Default: none, someone entered the client. */
  readonly registrationUrl?: string;
  /** Milliseconds since 1970. Default: the secret does not expire. */
  readonly secretExpiresAt?: number | null;
}

/** Shortest time between two registrations of one client. */
const MIN_REGISTRATION_AGE_MS = 3_600_000;

/** The time and origin of a change. From the command line there is no request. */
interface ChangeEvent {
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly address?: string | null;
  readonly requestId?: string | null;
}

/** Registrations of the operator and of partners. Opening throws `CredentialUnreadableError` as the vault says. */
export interface UpstreamClients {
  /** Returns the partner's own registration at the service, else the operator's, or null if neither has one. */
  find(partnerId: string, service: string): Promise<UpstreamClient | null>;
  /** Returns whether `find` finds a registration. Opens no secret. */
  isRegistered(partnerId: string, service: string): Promise<boolean>;
  /** Returns the registration that tokens were issued to, or null if it was removed. */
  findById(id: string): Promise<UpstreamClient | null>;
  /** Returns the registration of one owner, or null. */
  show(key: UpstreamClientKey): Promise<UpstreamClientView | null>;
  /** Every registration, the operator's first. */
  list(): Promise<UpstreamClientView[]>;
  /** Registers, or replaces. Tokens of a previous, different client id cannot be refreshed afterwards. */
  put(client: NewUpstreamClient, event: ChangeEvent): Promise<UpstreamClientView>;
  /** Lets one caller on all nodes register a client again, once an hour. @returns false for everyone else. */
  claimRegistration(client: UpstreamClient, now: number): Promise<boolean>;
  /** @returns false where there is none. */
  remove(key: UpstreamClientKey, event: ChangeEvent): Promise<boolean>;
}

/** Returns those services that take a client, and for which neither the operator nor a partner has registered one. */
export async function listServicesWithoutClient(
  db: Kysely<Database>,
  connectors: readonly Connector[],
): Promise<readonly Connector[]> {
  const taking = connectors.filter(({ credential }) => takesUpstreamClient(credential));
  if (taking.length === 0) return [];
  const rows = await db.selectFrom('upstream_clients').select('service').distinct().execute();
  return taking.filter(({ name }) => rows.every(({ service }) => service !== name));
}

/** Returns the command that registers a client for a service. */
export function registerClientCommand(connector: Connector): string {
  const { name } = connector;
  return isMcpServer(connector)
    ? `utg upstream-client register --service ${name}`
    : `utg upstream-client set --service ${name} --client-id <id>`;
}

const FIELD = 'client_secret';

export function createUpstreamClients(deps: {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
}): UpstreamClients {
  const { db, vault } = deps;
  const open = (stored: StoredUpstreamClient | undefined): UpstreamClient | null => {
    if (stored === undefined) return null;
    const { id, service, clientId, sealedSecret, registrationUrl } = stored;
    const fields = sealedSecret === null ? {} : vault.open(sealedSecret, upstreamClientBinding(stored));
    const client = { id, service, clientId, clientSecret: fields[FIELD] ?? null };
    return registrationUrl === null ? client : { ...client, registrationUrl };
  };
  const findStored = async (partnerId: string, service: string) =>
    (await findUpstreamClient(db, { partnerId, service })) ??
    (await findUpstreamClient(db, { partnerId: null, service }));
  return {
    find: async (partnerId, service) => open(await findStored(partnerId, service)),
    isRegistered: async (partnerId, service) => (await findStored(partnerId, service)) !== undefined,
    findById: async (id) => open(await findUpstreamClientById(db, id)),
    show: async (key) => {
      const stored = await findUpstreamClient(db, key);
      return stored === undefined ? null : toView(stored);
    },
    list: async () => (await listUpstreamClients(db)).map(toView),
    put: (client, event) =>
      db.transaction().execute(async (transaction) => {
        const { partnerId, service, clientId, clientSecret } = client;
        const { registrationUrl = null, secretExpiresAt = null } = client;
        const seal = (id: string) =>
          clientSecret === null
            ? null
            : vault.seal({ [FIELD]: clientSecret }, upstreamClientBinding({ id, partnerId, service }));
        const row = { partnerId, service, clientId, registrationUrl, secretExpiresAt, now: event.now, seal };
        const stored = await putUpstreamClient(transaction, row);
        const details = { service, upstreamClientId: clientId };
        await emit(transaction, { type: 'upstream_client_set', partnerId, details, ...event });
        return toView(stored);
      }),
    claimRegistration: ({ id }, now) =>
      claimRegistration(db, { id, changedBefore: now - MIN_REGISTRATION_AGE_MS, now }),
    remove: (key, event) =>
      db.transaction().execute(async (transaction) => {
        const { partnerId, service } = key;
        if (!(await deleteUpstreamClient(transaction, key))) return false;
        await emit(transaction, {
          type: 'upstream_client_removed',
          partnerId,
          details: { service },
          ...event,
        });
        return true;
      }),
  };
}

function toView({ sealedSecret, ...client }: StoredUpstreamClient): UpstreamClientView {
  return { ...client, hasSecret: sealedSecret !== null };
}
