/** Seals stored credentials again with the current key, while gateways run, and says which keys sealed them. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  findOtherwiseSealed,
  replaceSealedCredential,
  type SealedCredential,
  type SealedRows,
} from '../store/repositories/sealed-credentials.ts';
import type { Executor } from '../store/schema.ts';
import { CredentialUnreadableError, type CredentialVault } from './index.ts';

/** The numbers of rows that were sealed again. */
interface ResealReport {
  /** Credentials that were sealed again, with the current key. */
  readonly resealed: number;
  /** Credentials that needed no change. */
  readonly current: number;
  /** Credentials that no key of the ring opens, by key id; those that are damaged under `null`. */
  readonly unreadable: ReadonlyMap<string | null, number>;
}

const BATCH_ROWS = 100;

/**
 * Seals everything with the current key. One statement per credential, so gateways never wait for long.
 *
 * A credential that a user replaces meanwhile stays as it is: the gateway sealed it with the current key, or the next run does.
 *
 * @param onBatch called after each hundred credentials, and awaited; what it throws ends the run.
 */
export async function rotateKeys(
  executor: Executor,
  vault: CredentialVault,
  tables: readonly SealedRows[],
  onBatch: (resealed: number) => Promise<void> = () => nextTurn(),
): Promise<ResealReport> {
  let resealed = 0;
  let current = 0;
  const unreadable = new Map<string | null, number>();
  for await (const { table, ...row } of storedCredentials(executor, tables, () => onBatch(resealed))) {
    const { sealed, ...binding } = row;
    if (vault.isCurrent(sealed)) {
      current += 1;
      continue;
    }
    const fields = openOrCount(vault, row, unreadable);
    const change = { id: row.connectionId, from: sealed };
    if (fields === null) continue;
    if (await replaceSealedCredential(executor, table, { ...change, to: vault.seal(fields, binding) })) resealed += 1;
  }
  return { resealed, current, unreadable };
}

/** Returns the number of stored credentials that each key sealed, by key id. Texts that are no sealed credential are counted under `null`. */
export async function countByKey(
  executor: Executor,
  vault: CredentialVault,
  tables: readonly SealedRows[],
): Promise<Map<string | null, number>> {
  const counts = new Map<string | null, number>();
  for await (const { sealed } of storedCredentials(executor, tables)) {
    const keyId = vault.keyIdOf(sealed);
    counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
  }
  return counts;
}

/** The numbers of stored credentials that the ring opens. */
export interface OpenableCounts {
  readonly opened: number;
  /** By the id of the key that sealed them; those that are damaged under `null`. */
  readonly unreadable: ReadonlyMap<string | null, number>;
}

/** Opens every stored credential, and keeps none. */
export async function openEach(
  executor: Executor,
  vault: CredentialVault,
  tables: readonly SealedRows[],
): Promise<OpenableCounts> {
  let opened = 0;
  const unreadable = new Map<string | null, number>();
  for await (const row of storedCredentials(executor, tables)) {
    if (openOrCount(vault, row, unreadable) !== null) opened += 1;
  }
  return { opened, unreadable };
}

/** Returns the id of a key that sealed stored credentials and is not in the ring, or null if the ring has every key. */
export async function findLostKey(
  executor: Executor,
  vault: CredentialVault,
  keyIds: readonly string[],
): Promise<string | null> {
  const sealed = await findOtherwiseSealed(
    executor,
    vault.versions.flatMap((version) => keyIds.map((id) => `v${version}.${id}.`)),
  );
  return sealed === undefined ? null : (vault.keyIdOf(sealed) ?? 'unknown');
}

/** Every stored credential, batch by batch; other work runs in between. */
async function* storedCredentials(
  executor: Executor,
  tables: readonly SealedRows[],
  onBatch: () => Promise<void> = nextTurn,
) {
  for (const table of tables) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const batch: readonly SealedCredential[] = await table.list(executor, { after, limit: BATCH_ROWS });
      for (const row of batch) yield { table, ...row };
      after = batch.at(-1)?.connectionId;
      await onBatch();
    }
  }
}

/** Opens a credential. If it is unreadable it returns null, and counts it by the key that is missing, or under `null` if it is damaged. */
function openOrCount(
  vault: CredentialVault,
  { sealed, ...binding }: SealedCredential,
  unreadable: Map<string | null, number>,
) {
  try {
    return vault.open(sealed, binding);
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    const keyId = error.reason === 'unknown-key' ? error.keyId : null;
    unreadable.set(keyId, (unreadable.get(keyId) ?? 0) + 1);
    return null;
  }
}
