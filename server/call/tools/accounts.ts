/** Reads whose credential it is: before it is stored, where the user has the service already, and once after a connection was made. */

import { publicPartsOf } from '../../base/credentials/kinds.ts';
import { hashSecret } from '../../base/principal/secrets.ts';
import { listConnections, setConnectionAccount } from '../../base/store/repositories/connections.ts';
import type { CredentialBinding } from '../../base/store/repositories/sealed-credentials.ts';
import type { Executor } from '../../base/store/schema.ts';
import type { Connector } from '../../contract/index.ts';
import type { OpenCredential } from '../upstream/oauth/stored-token.ts';
import type { UpstreamDependencies } from './call/dependencies.ts';
import { useAsGateway } from './call/kinds/request.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { readPointer } from './json.ts';
import { cleanText } from './results/errors.ts';

/** An account as it is stored with its connection. */
interface NamedAccount {
  readonly name: string;
  /** See `VerifiedAccount`. Null if the service does not say who is connected, and only public parts of the credential are known. */
  readonly identity: string | null;
}

/** The account of a credential, as the service names it. */
export interface VerifiedAccount {
  /** One line of plain text, with what is public in the credential, such as the tenant. */
  readonly name: string;
  /** Keyed hash of all that the service says about the account: equal for the same account of the same service. */
  readonly identity: string;
}

/** Reads accounts, and stores them with the connections. */
export interface Accounts {
  /**
   * Reads the account of a credential that is not stored yet.
   *
   * @returns null if the connector names no account, or the service does not say it.
   */
  read(
    connector: Connector,
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<VerifiedAccount | null>;
  /**
   * Starts reading the account, without waiting for it. If that fails, the account stays unknown: it is only displayed,
   * and nothing depends on it.
   */
  note(connection: CredentialBinding): void;
  /** Resolves when all reads have ended. */
  settle(): Promise<void>;
  /** Aborts all reads. */
  close(): Promise<void>;
}

interface AccountsDependencies extends UpstreamDependencies {
  readonly db: Executor;
  readonly findConnector: Catalogue['findConnector'];
  readonly openCredential: OpenCredential;
  /** Called with unexpected errors, such as an outage of the store. */
  readonly onError: (error: unknown) => void;
}

/** Characters of an account; longer ones are truncated. */
const MAX_ACCOUNT_LENGTH = 200;

/** Accounts that one gateway reads at a time. Beyond that, connections get no account. */
const MAX_PENDING_READS = 100;

const NO_ACCOUNT: NamedAccount = { name: '', identity: null };

/** Creates the reader. */
export function createAccounts(deps: AccountsDependencies): Accounts {
  const pendingReads = new Set<Promise<void>>();
  const stop = new AbortController();
  const settle = async (): Promise<void> => {
    await Promise.all(pendingReads);
  };
  return {
    async read(connector, ...rest) {
      const { name, identity } =
        (await readAccount(deps.findConnector(connector.name) ?? connector, ...rest, deps)) ?? NO_ACCOUNT;
      return identity === null ? null : { name, identity };
    },
    note(connection) {
      const connector = deps.findConnector(connection.service);
      if (connector === undefined) return;
      if (connector.account === undefined && publicPartsOf(connector.credential).length === 0) return;
      if (stop.signal.aborted || pendingReads.size >= MAX_PENDING_READS) return;
      const pendingRead = storeAccount(connector, connection, stop.signal, deps)
        .catch(deps.onError)
        .finally(() => pendingReads.delete(pendingRead));
      pendingReads.add(pendingRead);
    },
    settle,
    close() {
      stop.abort();
      return settle();
    },
  };
}

async function storeAccount(
  connector: Connector,
  { service, connectionId, ...user }: CredentialBinding,
  signal: AbortSignal,
  deps: AccountsDependencies,
): Promise<void> {
  const connection = (await listConnections(deps.db, user.userId)).find(({ id }) => id === connectionId);
  if (connection === undefined) return;
  const { sealedCredential } = connection;
  const fields = await deps.openCredential({ connectionId, ...user, service, sealedCredential });
  const account = await readAccount(connector, fields, signal, deps);
  if (account !== null) await setConnectionAccount(deps.db, connection, account);
}

async function readAccount(
  connector: Connector,
  credential: Readonly<Record<string, string>>,
  signal: AbortSignal,
  deps: AccountsDependencies,
): Promise<NamedAccount | null> {
  const accountTexts = await readAccountTexts(connector, credential, signal, deps);
  const values = publicPartsOf(connector.credential).flatMap(({ id }) => credential[id] ?? []);
  const names = [accountTexts.find((text) => text !== ''), ...values].filter((text) => text !== undefined);
  if (names.length === 0) return null;
  const identityParts = ['account', connector.name, ...accountTexts, ...values];
  const identity = accountTexts.length === 0 ? null : hashSecret(deps.db, JSON.stringify(identityParts));
  return { name: Array.from(names.join(', ')).slice(0, MAX_ACCOUNT_LENGTH).join(''), identity };
}

/** Returns the text that the service gives at each pointer. The list is empty if the service does not tell who is connected. */
async function readAccountTexts(
  connector: Connector,
  credential: Readonly<Record<string, string>>,
  signal: AbortSignal,
  deps: AccountsDependencies,
): Promise<readonly string[]> {
  const { account } = connector;
  const tool = connector.tools.find(({ name }) => name === account?.tool);
  if (account === undefined || tool === undefined) return [];
  const use = { entry: { connector, tool }, signal, arguments: account.arguments, credential };
  const { result } = await useAsGateway(use, deps);
  if (result.isError === true) return [];
  const accountTexts = account.name.map((pointer) => toText(readPointer(result.structuredContent, pointer)));
  return accountTexts.every((text) => text === '') ? [] : accountTexts;
}

/** Converts a value to one line of plain text; empty if that is not possible. */
function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? cleanText(String(value)).replaceAll(/\s+/g, ' ') : '';
}
