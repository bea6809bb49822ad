import { afterEach, describe, expect, test } from 'vitest';
import { verifies } from '../requirements/verifies.ts';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { register } from './oauth-steps.ts';

const DISCOVERY = '/.well-known/oauth-authorization-server';

describe('a client that the operator did not let in', () => {
  let gateway: OAuthGateway;
  afterEach(() => gateway?.close());
  const discover = async () => (await (await fetch(gateway.issuer + DISCOVERY)).json()) as Record<string, unknown>;

  test('cannot register when registration is off, and no metadata offers it', async () => {
    verifies('rfc8414-2-registration-off');
    gateway = await startOAuthGateway({ CLIENT_REGISTRATION: 'off', CLIENT_ID_METADATA_DOCUMENTS: 'on' });
    const { status, body } = await register(gateway);
    expect([status, body.error]).toEqual([403, 'access_denied']);
    const metadata = await discover();
    expect(metadata).not.toHaveProperty('registration_endpoint');
    expect(metadata).toMatchObject({ client_id_metadata_document_supported: true });
  });

  test('registers only with redirect URIs of listed hosts', async () => {
    verifies('rfc7591-3.2.2-hosts');
    gateway = await startOAuthGateway({ CLIENT_REGISTRATION: 'app.example.com, localhost, cursor:' });
    const own = 'https://app.example.com:8443/cb';
    const others = ['https://evil.example/cb', 'https://app.example.com.evil.example/cb'];
    const refused = await register(gateway, { redirect_uris: others });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_redirect_uri']);
    const mixed = await register(gateway, { redirect_uris: [...others, own, 'http://127.0.0.1:1/cb'] });
    expect([mixed.status, mixed.body.redirect_uris]).toEqual([201, [own, 'http://127.0.0.1:1/cb']]);
    expect((await register(gateway, { redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'] })).status).toBe(
      201,
    );
    expect((await register(gateway, { redirect_uris: ['warp://mcp/oauth2callback'] })).status).toBe(400);
    expect(await discover()).toHaveProperty('registration_endpoint');
  });
});
