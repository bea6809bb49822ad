/** The gateway's registrations at the authorization servers of upstreams, with their secrets opened. */

import type { Kysely } from 'kysely';
import type { Connector } from '../../contract/index.ts';
import { emit } from '../store/events.ts';
import {
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
}

/** A registration without its secret. */
export interface UpstreamClientView extends Omit<StoredUpstreamClient, 'sealedSecret'> {
  readonly hasSecret: boolean;
}

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
  put(
    client: UpstreamClientKey & { clientId: string; clientSecret: string | null },
    event: ChangeEvent,
  ): Promise<UpstreamClientView>;
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
export function registerClientCommand(service: string): string {
  return `utg upstream-client set --service ${service} --client-id <id>`;
}

const FIELD = 'client_secret';

export function createUpstreamClients(deps: {
  readonly db: Kysely<Database>;
  readonly vault: CredentialVault;
}): UpstreamClients {
  const { db, vault } = deps;
  const open = (stored: StoredUpstreamClient | undefined): UpstreamClient | null => {
    if (stored === undefined) return null;
    const { id, service, clientId, sealedSecret } = stored;
    const fields = sealedSecret === null ? {} : vault.open(sealedSecret, upstreamClientBinding(stored));
    return { id, service, clientId, clientSecret: fields[FIELD] ?? null };
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
        const seal = (id: string) =>
          clientSecret === null
            ? null
            : vault.seal({ [FIELD]: clientSecret }, upstreamClientBinding({ id, partnerId, service }));
        const stored = await putUpstreamClient(transaction, { partnerId, service, clientId, now: event.now, seal });
        const details = { service, upstreamClientId: clientId };
        await emit(transaction, { type: 'upstream_client_set', partnerId, details, ...event });
        return toView(stored);
      }),
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
