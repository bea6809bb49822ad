import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuardedFetch, GuardedFetchError } from '../../../../server/base/guarded-fetch/index.ts';
import { LOOPBACK_NETWORKS } from '../../../../server/base/guarded-fetch/networks.ts';
import { createFindKeys } from '../../../../server/identity/oauth/remote-keys.ts';
import { type DocumentServer, sendJson, startDocumentServer } from '../../../support/document-server.ts';
import { createSigningKey } from '../../../support/identity-provider.ts';

let server: DocumentServer;
beforeAll(async () => {
  server = await startDocumentServer(['idp.example', 'localhost']);
});
afterAll(() => server?.close());

test('the keys of an issuer are fetched over https', async () => {
  const { jwk } = await createSigningKey('one');
  server.answer = sendJson({ keys: [jwk] }, { 'Content-Type': 'application/jwk-set+json' });
  const documents = createGuardedFetch({ networks: LOOPBACK_NETWORKS, resolve: server.resolve, ca: server.ca });
  const keysOf = createFindKeys({ documents, now: Date.now });
  expect(await keysOf({ jwks: null, jwksUri: `${server.origin}/keys` })('known')).toEqual({ keys: [jwk] });
  await documents.close();
});

test('an issuer whose keys are at an internal address has none', async () => {
  const documents = createGuardedFetch({ resolve: server.resolve, ca: server.ca });
  const keysOf = createFindKeys({ documents, now: Date.now });
  const before = server.requests.length;
  for (const jwksUri of ['https://idp.example/keys', 'https://127.0.0.1/keys', 'http://localhost/keys']) {
    await expect(keysOf({ jwks: null, jwksUri })('known')).rejects.toThrow(GuardedFetchError);
  }
  expect(server.requests).toHaveLength(before);
  await documents.close();
});
