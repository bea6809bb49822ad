/** Rotates the key ring: seals every stored credential with the current key, while gateways run. */

import {
  findOtherwiseSealed,
  listSealedCredentials,
  replaceSealedCredential,
  SEALED_TABLES,
} from '../store/repositories/sealed-credentials.ts';
import type { Executor } from '../store/schema.ts';
import { CredentialUnreadableError, type CredentialVault } from './index.ts';

/** What a rotation did. */
interface RotationReport {
  /** Credentials that the current key sealed again. */
  readonly resealed: number;
  /** Credentials that it had sealed before. */
  readonly current: number;
  /** Credentials that no key of the ring opens, by key id; those that are damaged under `null`. */
  readonly unreadable: ReadonlyMap<string | null, number>;
}

const BATCH_ROWS = 200;

/**
 * Seals everything with the current key. One statement a credential, so gateways are never kept waiting.
 *
 * A credential that a user replaces meanwhile stays as it is: the gateway sealed it with the current key, or the next run does.
 */
export async function rotateKeys(executor: Executor, vault: CredentialVault): Promise<RotationReport> {
  let resealed = 0;
  let current = 0;
  const unreadable = new Map<string | null, number>();
  for (const table of SEALED_TABLES) {
    for (let after = ''; ; ) {
      const batch = await listSealedCredentials(executor, table, { after, limit: BATCH_ROWS });
      for (const { id, sealed } of batch) {
        const outcome = reseal(vault, id, sealed);
        if (outcome.kind === 'current') current += 1;
        else if (outcome.kind === 'unreadable') unreadable.set(outcome.keyId, (unreadable.get(outcome.keyId) ?? 0) + 1);
        else if (await replaceSealedCredential(executor, table, { id, from: sealed, to: outcome.sealed }))
          resealed += 1;
      }
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH_ROWS) break;
      after = last.id;
    }
  }
  return { resealed, current, unreadable };
}

/** How many stored credentials each key sealed, by key id; what is no sealed credential under `null`. */
export async function countByKey(executor: Executor, vault: CredentialVault): Promise<Map<string | null, number>> {
  const counts = new Map<string | null, number>();
  for (const table of SEALED_TABLES) {
    for (let after = ''; ; ) {
      const batch = await listSealedCredentials(executor, table, { after, limit: BATCH_ROWS });
      for (const { sealed } of batch) {
        const keyId = vault.keyIdOf(sealed);
        counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
      }
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH_ROWS) break;
      after = last.id;
    }
  }
  return counts;
}

/** The id of a key that sealed stored credentials and is not in the ring, or null: then every one has its key. */
export async function findLostKey(
  executor: Executor,
  vault: CredentialVault,
  keyIds: readonly string[],
): Promise<string | null> {
  const sealed = await findOtherwiseSealed(
    executor,
    keyIds.map((id) => `v1.${id}.`),
  );
  return sealed === undefined ? null : (vault.keyIdOf(sealed) ?? 'unknown');
}

type Resealed =
  | { readonly kind: 'current' }
  | { readonly kind: 'unreadable'; readonly keyId: string | null }
  | { readonly kind: 'resealed'; readonly sealed: string };

function reseal(vault: CredentialVault, id: string, sealed: string): Resealed {
  if (vault.keyIdOf(sealed) === vault.currentKeyId) return { kind: 'current' };
  const context = { connectionId: id };
  try {
    return { kind: 'resealed', sealed: vault.seal(vault.open(sealed, context), context) };
  } catch (error) {
    if (!(error instanceof CredentialUnreadableError)) throw error;
    return { kind: 'unreadable', keyId: error.reason === 'unknown-key' ? error.keyId : null };
  }
}
