/** Seeds a store with the code of the version in its first argument: `node seed-process.ts <root> <database> <resource> <secret>`. */

import { join } from 'node:path';
import { RING } from '../support/called-gateway.ts';

const [root = '', url = '', resource = '', secret = ''] = process.argv.slice(2);
const load = <Module>(path: string) => import(join(root, path)) as Promise<Module>;

const { openStore } = await load<typeof import('../../server/base/store/index.ts')>('server/base/store/index.ts');
const { createCredentialVault } = await load<typeof import('../../server/base/credentials/index.ts')>(
  'server/base/credentials/index.ts',
);
const { seedUser } = await load<typeof import('../../scripts/demo/seed.ts')>('scripts/demo/seed.ts');
const { addPartnerSecret } = await load<typeof import('../../server/identity/partners/secrets.ts')>(
  'server/identity/partners/secrets.ts',
);
const { loadConnectors } = await load<typeof import('../../server/call/tools/catalogue/connectors.ts')>(
  'server/call/tools/catalogue/connectors.ts',
);

const store = await openStore({ url });
const { token } = await seedUser({
  store,
  vault: createCredentialVault({ keys: RING }),
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
