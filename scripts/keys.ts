/** `npm run keys`: says which keys seal stored credentials, and seals all of them with the current one, beside the running gateway. */

import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { ConfigError, loadConfig } from '../server/config.ts';
import { createCredentialVault, type EncryptionKey } from '../server/credentials/index.ts';
import { loadLocalKeyRing } from '../server/credentials/key-ring.ts';
import { countByKey, rotateKeys } from '../server/credentials/rotate-keys.ts';
import { LOCAL_KEY_RING_FILE } from '../server/gateway.ts';
import { openStore, type Store } from '../server/store/index.ts';

const HELP = `Usage: npm run keys -- <command>

Looks after the keys that seal upstream credentials. The gateway may be running.
Database and keys are those of the gateway: DATABASE_URL and ENCRYPTION_KEYS (see npm start -- --help).

  list      prints every key, and how many credentials it has sealed
  rotate    seals every credential with the current key, the first of ENCRYPTION_KEYS

To change over to a new key without an outage:
  1. add it to ENCRYPTION_KEYS behind the others, and restart every gateway, so that all can read what it seals
  2. move it to the front, and restart every gateway
  3. npm run keys -- rotate
  4. when "list" shows no credential under the old key, take it out`;

/** Something that the person at the keyboard can mend. */
class UsageError extends Error {}

const COMMANDS: Readonly<Record<string, (store: Store, keys: readonly EncryptionKey[]) => Promise<void>>> = {
  list: printKeys,
  rotate,
};

async function main(): Promise<void> {
  const { help, command } = readArguments(process.argv.slice(2));
  if (help || command === undefined) {
    console.log(HELP);
    return;
  }
  const run = Object.hasOwn(COMMANDS, command) ? COMMANDS[command] : undefined;
  if (run === undefined) throw new UsageError(`There is no command "${command}".`);
  const config = loadConfig({ connectors: [] });
  const keys = config.encryptionKeys ?? readLocalKeys();
  const store = await openStore({ url: config.databaseUrl });
  try {
    await run(store, keys);
  } finally {
    await store.close();
  }
}

async function printKeys(store: Store, keys: readonly EncryptionKey[]): Promise<void> {
  const counts = await countByKey(store.db, createCredentialVault({ keys }));
  for (const [index, { id }] of keys.entries()) {
    console.log(`${id}  ${index === 0 ? 'current' : 'reads only'}  credentials: ${counts.get(id) ?? 0}`);
    counts.delete(id);
  }
  for (const [id, count] of counts) {
    console.log(`${id ?? '(damaged)'}  ${id === null ? 'unreadable' : 'LOST'}  credentials: ${count}`);
  }
}

async function rotate(store: Store, keys: readonly EncryptionKey[]): Promise<void> {
  const vault = createCredentialVault({ keys });
  const { resealed, current, unreadable } = await rotateKeys(store.db, vault);
  console.log(`Sealed with "${vault.currentKeyId}" now: ${resealed}. Before: ${current}.`);
  for (const [keyId, count] of unreadable) {
    const what =
      keyId === null
        ? `${count} damaged: their users must connect again.`
        : `${count} sealed with "${keyId}", which ENCRYPTION_KEYS does not hold: put it back and run this again.`;
    console.error(`Not readable: ${what}`);
    process.exitCode = 1;
  }
}

function readLocalKeys(): readonly EncryptionKey[] {
  if (!existsSync(LOCAL_KEY_RING_FILE)) {
    throw new UsageError(`ENCRYPTION_KEYS is not set, and there is no ${LOCAL_KEY_RING_FILE}.`);
  }
  return loadLocalKeyRing(LOCAL_KEY_RING_FILE).keys;
}

function readArguments(args: string[]): { help: boolean; command: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean', short: 'h' } },
    });
    if (positionals.length > 1) throw new Error('One command at a time.');
    return { help: values.help === true, command: positionals[0] };
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError || error instanceof ConfigError)) throw error;
  console.error(error instanceof UsageError ? `${error.message}\nTry: npm run keys -- --help` : error.message);
  process.exitCode = 1;
}
