/** Checks that the local keys open the stored secrets. */

import { statSync } from 'node:fs';
import { type CheckResult, count, error, ok } from '../../../base/checks.ts';
import {
  CredentialUnreadableError,
  type CredentialVault,
  type EncryptionKey,
} from '../../../base/credentials/index.ts';
import { LOCAL_KEY_RING_FILE } from '../../../base/credentials/key-ring.ts';
import { findLostKey } from '../../../base/credentials/rotate-keys.ts';
import { openVault } from '../../../base/credentials/store-key.ts';
import { type Store, StoreUnavailableError } from '../../../base/store/index.ts';
import type { Config } from '../../../config/index.ts';
import { modulesOf, sealedRowsOf } from '../../../module.ts';

/** Rows per table. */
const SAMPLE = 25;

export async function checkKeys(
  store: Store,
  keys: readonly EncryptionKey[] | null,
  config: Config,
): Promise<CheckResult[]> {
  if (keys === null) {
    const fix = `set ENCRYPTION_KEYS, or put ${LOCAL_KEY_RING_FILE} back`;
    return [error('there is a database, but no encryption keys', fix)];
  }
  const vault = await openVault(store.db, keys).catch((problem: unknown) => {
    if (problem instanceof StoreUnavailableError) return problem;
    throw problem;
  });
  if (vault instanceof StoreUnavailableError) return [error(vault.message, 'no gateway starts before that')];
  const ids = keys.map(({ id }) => id);
  const lostKey = await findLostKey(store.db, vault, ids);
  const { opened, damaged } = await openSample(store, vault, config);
  const findings: CheckResult[] = config.encryptionKeys === null ? judgeLocalFile() : [];
  if (lostKey !== null) {
    findings.push(
      error(
        `stored credentials were sealed with the key "${lostKey}", which is not here`,
        'put it back into ENCRYPTION_KEYS, or their users must connect again',
      ),
    );
  }
  if (damaged.length > 0) {
    findings.push(
      error(
        `${count(damaged.length, 'stored secret')} of a sample cannot be opened by the key of that id (${[...new Set(damaged)].join(', ')})`,
        'a key was replaced under the same id, or rows were changed: put the right key back, or let users connect again',
      ),
    );
  }
  if (lostKey === null && damaged.length === 0)
    findings.push(ok(`a sample of ${count(opened, 'stored secret')} can be opened`));
  return findings;
}

/** Rows that no key of the ring encrypted are left to `findLostKey`. */
async function openSample(
  { db }: Store,
  vault: CredentialVault,
  config: Config,
): Promise<{ opened: number; damaged: string[] }> {
  const page = { after: '', limit: SAMPLE };
  const damaged: string[] = [];
  let opened = 0;
  for (const { table, list } of sealedRowsOf(modulesOf(config))) {
    for (const { sealed, ...binding } of await list(db, page)) {
      try {
        vault.open(sealed, binding);
        opened += 1;
      } catch (problem) {
        if (!(problem instanceof CredentialUnreadableError)) throw problem;
        if (problem.reason === 'damaged') damaged.push(table);
      }
    }
  }
  return { opened, damaged };
}

function judgeLocalFile(): CheckResult[] {
  if (process.platform === 'win32' || (statSync(LOCAL_KEY_RING_FILE).mode & 0o077) === 0) return [];
  return [error(`others on this machine can read ${LOCAL_KEY_RING_FILE}`, `chmod 600 ${LOCAL_KEY_RING_FILE}`)];
}
