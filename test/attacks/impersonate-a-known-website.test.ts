import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { consent } from '../support/scripted-browser.ts';
import { authorizeUrl, register } from './oauth-steps.ts';

const CAUTION = 'No one here has used this website';

describe('a website that calls itself Claude', () => {
  let gateway: OAuthGateway;
  beforeAll(async () => {
    gateway = await startOAuthGateway();
  });
  afterAll(() => gateway?.close());

  const shown = async (redirectUri: string): Promise<string> => {
    const { body } = await register(gateway, { client_name: 'Claude', redirect_uris: [redirectUri] });
    const url = authorizeUrl(gateway, body.client_id ?? '', { redirect_uri: redirectUri });
    const opened = await fetch(url);
    const cookie = opened.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    const page = await opened.text();
    const sealed = /name="page_state" value="([^"]*)"/.exec(page)?.[1] ?? '';
    const answer = await fetch(new URL('/api/mcp/oauth/authorize', gateway.issuer), {
      method: 'POST',
      headers: { Cookie: cookie },
      body: new URLSearchParams({
        page_state: sealed,
        connection_code: await gateway.connectionCode(),
        decision: 'continue',
      }),
      redirect: 'manual',
    });
    const step = await fetch(new URL(answer.headers.get('Location') ?? '', gateway.issuer), {
      headers: { Cookie: cookie },
    });
    return step.text();
  };

  test('is shown with a caution until someone allows it', async () => {
    expect(await shown('https://claude.example/callback')).toContain(CAUTION);
    const { body } = await register(gateway, { redirect_uris: ['https://claude.example/callback'] });
    const url = authorizeUrl(gateway, body.client_id ?? '', { redirect_uri: 'https://claude.example/callback' });
    await consent({ url, connectionCode: await gateway.connectionCode() });
    expect(await shown('https://claude.example/callback')).not.toContain(CAUTION);
    expect(await shown('https://claude.example/other')).toContain(CAUTION);
  });

  test.each([
    'https://claude.ai/api/mcp/auth_callback',
    'https://vscode.dev/redirect',
    'http://127.0.0.1:7000/callback',
  ])('is told apart from %s, which gets no caution', async (redirectUri) => {
    expect(await shown(redirectUri)).not.toContain(CAUTION);
  });
});
