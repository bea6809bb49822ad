import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { answerOf, createPartnerClient } from '../../packages/partner/index.ts';
import { findPartnerByClientId, updatePartner } from '../../server/base/store/repositories/partners.ts';
import { loadConnectors } from '../../server/call/tools/catalogue/connectors.ts';
import { addPartnerSecret } from '../../server/identity/partners/secrets.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const EXAMPLE = resolve(import.meta.dirname, '../golden/hand-written-tools');
const connectors = await loadConnectors(EXAMPLE);
const image = await readFile(resolve(EXAMPLE, 'specs/office/logo.png'));
const BACK = 'https://app.example/back';

let gateway: RunningGateway;
let origin: string;
beforeAll(async () => {
  gateway = await startGateway({
    connectors: [...connectors, fakeConnector({ tools: [fakeTool({ name: 'library_list' })] })],
    secretOf: () => 'office-key',
  });
  origin = new URL(gateway.url).origin;
});
afterAll(() => gateway?.close());

async function services() {
  const { db } = gateway.store;
  const { id } = (await findPartnerByClientId(db, 'test'))!;
  await updatePartner(db, id, { redirectUris: [BACK] });
  const clientSecret = await db
    .transaction()
    .execute((transaction) => addPartnerSecret(transaction, { partnerId: id, now: Date.now() }));
  const partner = createPartnerClient(origin, { clientId: 'test', clientSecret });
  return (await answerOf(partner.GET('/api/partner/services'))).services;
}

describe('the logo of a service', () => {
  test('has an address for partners; a service without a logo has only letters', async () => {
    expect((await services()).map(({ logo_text, logo_url }) => [logo_text, logo_url])).toEqual([
      ['Li', null],
      ['Of', expect.stringMatching(`^${origin}/services/office/logo/[0-9a-f]{32}$`)],
    ]);
  });

  test('is served with its image type and cached permanently', async () => {
    const [, office] = await services();
    const answer = await fetch(office?.logo_url ?? '');
    expect(Buffer.from(await answer.arrayBuffer()).equals(image)).toBe(true);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; sandbox; frame-ancestors 'none'",
      'cross-origin-resource-policy': 'cross-origin',
    });
  });

  test.each(['office/logo/00000000000000000000000000000000', 'library/logo/undefined', '__proto__/logo/x'])(
    'is not served at %s',
    async (path) => {
      expect((await fetch(`${origin}/services/${path}`)).status).toBe(404);
    },
  );

  test('is next to the title on the connect page', async () => {
    await services();
    const query = new URLSearchParams({ client_id: 'test', user_id: 'ada', redirect_uri: BACK, state: 's' });
    const answer = await fetch(`${origin}/connect/office?${query}`);
    expect(answer.headers.get('content-security-policy')).toContain("img-src data: 'self';");
    const page = await answer.text();
    expect(page).toMatch(
      /<img class="logo" src="\/services\/office\/logo\/[0-9a-f]{32}" alt="" [^>]+><\/div>\s*<h1>Connect Office/,
    );
  });
});
