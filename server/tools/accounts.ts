/** Who is connected at an upstream, as people know it: read once for each connection, after it was made or replaced. */

import type { Connector } from '../contract/index.ts';
import type { OpenCredential } from '../credentials/opened.ts';
import { findConnection, setConnectionAccount } from '../store/repositories/connections.ts';
import type { Executor } from '../store/schema.ts';
import { NOTHING_TO_REDACT } from '../upstream/index.ts';
import type { UpstreamDependencies } from './call/call.ts';
import { useUpstream } from './call/index.ts';
import type { Catalogue } from './catalogue/catalogue.ts';
import { readPointer } from './json/pointer.ts';
import { cleanText } from './results/errors.ts';

/** A connection that was just made or replaced. */
interface NewConnection {
  /** Row id. */
  readonly partnerId: string;
  /** Row id. */
  readonly userId: string;
  /** Connector name. */
  readonly service: string;
}

/** Reads accounts, and writes them next to the connections. */
export interface Accounts {
  /**
   * Begins to read who is connected, and never waits for it. What cannot be read stays unknown: it is for people to look at, and
   * nothing depends on it.
   */
  note(connection: NewConnection): void;
  /** Resolves when nothing is being read any more. */
  settle(): Promise<void>;
  /** Stops what is being read. */
  close(): Promise<void>;
}

interface AccountsDependencies extends UpstreamDependencies {
  readonly db: Executor;
  readonly catalogue: Pick<Catalogue, 'findConnector'>;
  readonly openCredential: OpenCredential;
  /** Called with what no one expects, such as a store that is away. */
  readonly onError: (error: unknown) => void;
}

/** Characters of an account; more is cut. */
export const MAX_ACCOUNT_LENGTH = 200;

/** Accounts that one gateway reads at a time. Connections beyond that keep none. */
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
  { partnerId, userId, service }: NewConnection,
  signal: AbortSignal,
  deps: AccountsDependencies,
): Promise<void> {
  const connection = await findConnection(deps.db, userId, service);
  if (connection === undefined) return;
  const { id: connectionId, sealedCredential } = connection;
  const fields = await deps.openCredential({ connectionId, partnerId, userId, service, sealedCredential });
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
  const deadline = deps.now() + deps.timeoutMs;
  const use = {
    entry: { connector, tool },
    signal,
    deadline,
    arguments: account.arguments,
    credential,
    credentialSince: 0,
  };
  const { result } = await useUpstream(
    { ...use, pins: {}, answer: null, seed: null, mayHaveActed: false, renew: null, redactor: NOTHING_TO_REDACT },
    deps,
  );
  if (result.isError === true) return null;
  const names = account.name.map((pointer) => toAccount(readPointer(result.structuredContent, pointer)));
  return names.find((name) => name !== '') ?? null;
}

/** One line of plain text; empty where the value is none. */
function toAccount(value: unknown): string {
  if (typeof value !== 'string' && typeof value !== 'number') return '';
  return Array.from(cleanText(String(value)).replaceAll(/\s+/g, ' '))
    .slice(0, MAX_ACCOUNT_LENGTH)
    .join('');
}
