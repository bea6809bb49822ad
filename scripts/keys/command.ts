/** The keys command: reports which keys encrypt stored credentials, and encrypts all of them with the current one. */

import type { Command } from 'commander';
import type { EncryptionKey } from '../../server/base/credentials/index.ts';
import { countByKey, rotateKeys } from '../../server/base/credentials/rotate-keys.ts';
import { openVault } from '../../server/base/credentials/store-key.ts';
import type { Store } from '../../server/base/store/index.ts';
import type { SealedRows } from '../../server/base/store/repositories/sealed-credentials.ts';
import { requireKeyRing, withStore } from '../../server/cli/with-store.ts';
import { modulesOf, sealedRowsOf } from '../../server/module.ts';
import { addHelpTable, createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError } from '../../shared/cli/run.ts';
import { loadSettings } from '../store/settings.ts';

/** `utg keys`. */
export function createKeysCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('keys', output)
    .usage('<command>')
    .summary('manage the keys that seal credentials')
    .description(
      'Manages the keys that seal upstream credentials. The gateway may be running. Database and keys are those ' +
        'of the gateway: DATABASE_URL and ENCRYPTION_KEYS (see npm start -- --help).',
    );
  command
    .command('list')
    .description('Print every key, and how many credentials it has sealed')
    .action(() => withKeys(printKeys));
  command
    .command('rotate')
    .description('Seal every credential with the current key, the first of ENCRYPTION_KEYS')
    .action(() => withKeys(rotate));
  return addHelpTable(command, 'To switch to a new key without an outage', {
    '1.': 'add it to ENCRYPTION_KEYS behind the others, and restart every gateway, so that all can read what it seals',
    '2.': 'move it to the front, and restart every gateway',
    '3.': 'utg keys rotate',
    '4.': 'when "list" shows no credential under the old key, remove it',
  });
}

interface Stored {
  readonly store: Store;
  readonly keys: readonly EncryptionKey[];
  readonly tables: readonly SealedRows[];
}

async function withKeys(work: (stored: Stored) => Promise<void>): Promise<void> {
  const config = loadSettings();
  const keys = requireKeyRing(config);
  const tables = sealedRowsOf(modulesOf(config));
  await withStore(config, (store) => work({ store, keys, tables }));
}

async function printKeys({ store, keys, tables }: Stored): Promise<void> {
  const counts = await countByKey(store.db, await openVault(store.db, keys), tables);
  for (const [index, { id }] of keys.entries()) {
    console.log(
      `${id}  ${index === 0 ? 'current' : 'reads only'}  credentials: ${(counts.get(id) ?? 0).toLocaleString('en')}`,
    );
    counts.delete(id);
  }
  for (const [id, count] of counts) {
    console.log(
      `${id ?? '(damaged)'}  ${id === null ? 'unreadable' : 'LOST'}  credentials: ${count.toLocaleString('en')}`,
    );
  }
}

async function rotate({ store, keys, tables }: Stored): Promise<void> {
  const vault = await openVault(store.db, keys);
  const { resealed, current, unreadable } = await rotateKeys(store.db, vault, tables);
  console.log(
    `Sealed with "${vault.currentKeyId}" now: ${resealed.toLocaleString('en')}. Before: ${current.toLocaleString('en')}.`,
  );
  for (const [keyId, count] of unreadable) {
    const what =
      keyId === null
        ? `${count} damaged: their users must connect again.`
        : `${count} sealed with "${keyId}", which ENCRYPTION_KEYS does not hold: put it back and run this again.`;
    console.error(`Not readable: ${what}`);
  }
  if (unreadable.size > 0) throw new FailureError();
}
