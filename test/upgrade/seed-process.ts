/**
 * Seeds a store with the code of this version, for a test of another one: `node seed-process.ts <root> <database> <resource> <secret>`, where
 * `root` is the folder of this version.
 */

import { seedUser } from '../../scripts/demo/seed.ts';
import { openStore } from '../../server/base/store/index.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { addPartnerSecret } from '../../server/identity/partners/secrets.ts';
import { RING } from '../support/called-gateway.ts';
import { vaultBeside } from '../support/vault-beside.ts';

const [root = '', url = '', resource = '', secret = ''] = process.argv.slice(2);
const store = await openStore({ url });
const { token } = await seedUser({
  store,
  vault: await vaultBeside(store, RING),
  partner: 'acme',
  user: 'ada',
  connectors: (await loadConnectors(root)).filter(({ name }) => name === 'retrieval'),
  secretOf: () => secret,
  resource,
  now: Date.now(),
});
const { id: partnerId } = await store.db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
const partnerSecret = await store.db
  .transaction()
  .execute((transaction) => addPartnerSecret(transaction, { partnerId, now: Date.now() }));
await store.close();
process.stdout.write(JSON.stringify({ token, partnerSecret }));
