/** Reads the human-readable account of a connection, once after it was created or replaced. */

import { findConnection, setConnectionAccount } from '../../base/store/repositories/connections.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Connector } from '../../contract/index.ts';
import type { OpenCredential } from '../upstream/oauth/stored-token.ts';
import { createGatewayUse, type UpstreamDependencies } from './call/call.ts';
import { useUpstream } from './call/index.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { readPointer } from './json.ts';
import { cleanText } from './results/errors.ts';

/** A connection that was just created or replaced. */
interface NewConnection {
  /** Row id. */
  readonly partnerId: string;
  /** Row id. */
  readonly userId: string;
  /** The partner's own name for the user. */
  readonly externalUserId: string;
  /** Connector name. */
  readonly service: string;
}

/** Reads accounts, and stores them with the connections. */
export interface Accounts {
  /**
   * Starts reading the account, without waiting for it. If that fails, the account stays unknown: it is only displayed,
   * and nothing depends on it.
   */
  note(connection: NewConnection): void;
  /** Resolves when all reads have ended. */
  settle(): Promise<void>;
  /** Aborts all reads. */
  close(): Promise<void>;
}

interface AccountsDependencies extends UpstreamDependencies {
  readonly db: Executor;
  readonly catalogue: Pick<Catalogue, 'findConnector'>;
  readonly openCredential: OpenCredential;
  /** Called with unexpected errors, such as an outage of the store. */
  readonly onError: (error: unknown) => void;
}

/** Characters of an account; longer ones are truncated. */
export const MAX_ACCOUNT_LENGTH = 200;

/** Accounts that one gateway reads at a time. Beyond that, connections get no account. */
const MAX_READING = 100;

/** Creates the reader. */
export function createAccounts(deps: AccountsDependencies): Accounts {
  const reading = new Set<Promise<void>>();
  const stop = new AbortController();
  const settle = async (): Promise<void> => {
    await Promise.all(reading);
  };
  return {
    note(connection) {
      const connector = deps.catalogue.findConnector(connection.service);
      if (connector?.account === undefined || stop.signal.aborted || reading.size >= MAX_READING) return;
      const done = keepAccount(connector, connection, stop.signal, deps)
        .catch(deps.onError)
        .finally(() => reading.delete(done));
      reading.add(done);
    },
    settle,
    close() {
      stop.abort();
      return settle();
    },
  };
}

async function keepAccount(
  connector: Connector,
  { service, ...user }: NewConnection,
  signal: AbortSignal,
  deps: AccountsDependencies,
): Promise<void> {
  const connection = await findConnection(deps.db, user.userId, service);
  if (connection === undefined) return;
  const { id: connectionId, sealedCredential } = connection;
  const fields = await deps.openCredential({ connectionId, ...user, service, sealedCredential });
  const account = await readAccount(connector, fields, signal, deps);
  if (account !== null) await setConnectionAccount(deps.db, connection, account);
}

async function readAccount(
  connector: Connector,
  credential: Readonly<Record<string, string>>,
  signal: AbortSignal,
  deps: UpstreamDependencies,
): Promise<string | null> {
  const { account } = connector;
  const tool = connector.tools.find(({ name }) => name === account?.tool);
  if (account === undefined || tool === undefined) return null;
  const asked = { entry: { connector, tool }, signal, arguments: account.arguments, credential };
  const { result } = await useUpstream(createGatewayUse(asked, deps), deps);
  if (result.isError === true) return null;
  const names = account.name.map((pointer) => toAccount(readPointer(result.structuredContent, pointer)));
  return names.find((name) => name !== '') ?? null;
}

/** Converts a value to one line of plain text; empty if that is not possible. */
function toAccount(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return Array.from(cleanText(String(value)).replaceAll(/\s+/g, ' '))
    .slice(0, MAX_ACCOUNT_LENGTH)
    .join('');
}
