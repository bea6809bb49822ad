import { expect, test } from 'vitest';
import type { GatewayContext } from '../../../../server/base/http/state.ts';
import { FULL_PERMISSION, SCOPES } from '../../../../server/base/principal/permission.ts';
import type { OAuthClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import type { Partner } from '../../../../server/base/store/repositories/partners.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { buildConsentOptions } from '../../../../server/identity/grants/allowed/consent-options.ts';
import { showConsentPage } from '../../../../server/identity/oauth/consent/consent-page.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';

const partner = { clientId: 'acme', name: 'Acme', accentColor: null, logoHash: null, logoText: null } as Partner;
const connector = fakeConnector({
  tools: [fakeTool({ name: 'library_find', more: { scopes: [['repo<']] } })],
  parts: [oauth2Part('https://library.example', { scopes: ['read:user'] })],
});

function pageWhere(signedInAt: string[]): string {
  const ctx = { set: () => {}, body: '', state: {} };
  const limits = { services: null, readOnly: false, permission: FULL_PERMISSION, grantSeconds: null };
  const catalogue = createCatalogue([connector]);
  showConsentPage(ctx as unknown as GatewayContext, {
    client: { clientId: 'client', clientName: 'Claude', document: null } as unknown as OAuthClient,
    redirectUri: 'https://claude.example/callback',
    wasSentTo: true,
    sealed: 'sealed',
    code: { partner, externalUserId: 'ada', accounts: new Map(), limits },
    options: buildConsentOptions({ services: ['library'], signedInAt, limits }, SCOPES, catalogue),
    heldGrant: null,
    leftNothing: false,
  });
  return ctx.body;
}

test('the consent page names the scopes of a service that the user signed in to, and none for a key', () => {
  expect(pageWhere(['library'])).toContain('<p class="scopes">At Library: read:user, repo&lt;</p>');
  expect(pageWhere([])).not.toContain('class="scopes"');
});
