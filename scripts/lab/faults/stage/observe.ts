/** Reads from the store what the judge compares with the ledger. */

import { parseKeyRing } from '../../../../server/base/credentials/key-ring.ts';
import { readStoreKey } from '../../../../server/base/credentials/store-key.ts';
import { keyDigest } from '../../../../server/base/principal/secrets.ts';
import { openStore } from '../../../../server/base/store/index.ts';
import type { StoredState } from '../ledger/judge.ts';
import type { Stage } from './index.ts';
import { ROOT, run } from './programs.ts';

/** Reads everything. */
export async function observe(address: Stage): Promise<StoredState> {
  const store = await openStore({ url: address.databaseUrl });
  try {
    const { db } = store;
    const key = await readStoreKey(db, parseKeyRing(address.encryptionKeys));
    const clients = await db.selectFrom('oauth_clients').select('client_id').execute();
    const connections = await db
      .selectFrom('connections')
      .innerJoin('users', 'users.id', 'connections.user_id')
      .select(['users.external_user_id as user', 'connections.service'])
      .where('connections.status', '=', 'active')
      .execute();
    const access = await db
      .selectFrom('access_tokens')
      .leftJoin('oauth_grants', 'oauth_grants.id', 'access_tokens.grant_id')
      .select(['token_hash', 'access_tokens.revoked_at', 'oauth_grants.revoked_at as grant_revoked_at'])
      .execute();
    const refresh = await db
      .selectFrom('refresh_tokens')
      .innerJoin('oauth_grants', 'oauth_grants.id', 'refresh_tokens.grant_id')
      .select(['token_hash', 'grant_id', 'used_at', 'oauth_grants.revoked_at'])
      .execute();
    const records = await db.selectFrom('call_records').select('request_id').execute();
    return {
      clients: new Set(clients.map(({ client_id }) => client_id)),
      connections: new Set(connections.map(({ user, service }) => `${user} ${service}`)),
      hashOf: (digest) => (key === null ? digest : keyDigest(key, digest)),
      access: new Map(
        access.map((row) => [row.token_hash, { isRevoked: row.revoked_at !== null || row.grant_revoked_at !== null }]),
      ),
      refresh: new Map(
        refresh.map((row) => [
          row.token_hash,
          { grant: row.grant_id, isRevoked: row.revoked_at !== null, isUsed: row.used_at !== null },
        ]),
      ),
      recorded: new Set(records.map(({ request_id }) => request_id)),
      audit: await verifyAudit(address),
    };
  } finally {
    await store.close();
  }
}

/** Runs the operator's command. */
async function verifyAudit({ databaseUrl, encryptionKeys }: Stage): Promise<string[]> {
  const args = ['scripts/node.mjs', 'scripts/utg.ts', 'audit', 'verify'];
  const env = { ...process.env, DATABASE_URL: databaseUrl, ENCRYPTION_KEYS: encryptionKeys };
  try {
    await run(process.execPath, args, { cwd: ROOT, env });
    return [];
  } catch (error) {
    const { stderr = '' } = error as { readonly stderr?: string };
    return stderr.trim() === '' ? [String(error)] : stderr.trim().split('\n');
  }
}
