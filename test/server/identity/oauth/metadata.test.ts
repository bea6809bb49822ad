import { expect, test } from 'vitest';
import { toServerMetadata } from '../../../../server/identity/oauth/metadata.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { describeOAuth, PUBLIC_URL } from './support.ts';

const WELL_KNOWN = '/.well-known/oauth-authorization-server';

describeOAuth('authorization server metadata (RFC 8414)', (given) => {
  test('is at the root, as JSON', async () => {
    verifies('rfc8414-3-location', 'rfc8414-3.2-json');
    const answer = await given.send(WELL_KNOWN);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('Content-Type')).toBe('application/json; charset=utf-8');
    expect(answer.body).toEqual(
      toServerMetadata(PUBLIC_URL, { clientDocuments: false, registration: 'open', grantTypes: [] }),
    );
  });

  test('names the public origin as issuer, byte for byte as the protected resource does', async () => {
    verifies('rfc9728-2-authorization-servers', 'rfc8414-3.3-identical');
    const { body } = await given.send('/.well-known/oauth-protected-resource');
    expect((await given.send(WELL_KNOWN)).body.issuer).toBe(PUBLIC_URL);
    expect(body.authorization_servers).toEqual([PUBLIC_URL]);
  });

  test('has no member that is null', async () => {
    verifies('rfc8414-3.2-no-empty-members');
    expect(JSON.stringify((await given.send(WELL_KNOWN)).body)).not.toContain('null');
  });

  test('names endpoints that exist', async () => {
    verifies('rfc8414-2-endpoints');
    const { body } = await given.send(WELL_KNOWN);
    for (const [name, method] of [
      ['authorization_endpoint', 'GET'],
      ['token_endpoint', 'POST'],
      ['registration_endpoint', 'POST'],
      ['revocation_endpoint', 'POST'],
    ] as const) {
      expect(body[name].startsWith(PUBLIC_URL)).toBe(true);
      const answer = await given.send(body[name].slice(PUBLIC_URL.length), { method });
      expect([name, answer.status === 404 || answer.status === 405]).toEqual([name, false]);
    }
  });

  test.each([WELL_KNOWN, '/.well-known/openid-configuration'])('a page of any origin can read %s', async (path) => {
    verifies('mcp-discovery-browser');
    const answer = await given.send(path, { headers: { Origin: 'https://app.example' } });
    expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
  });

  test.each([WELL_KNOWN, '/.well-known/openid-configuration'])(
    'a page may ask for %s with any protocol version',
    async (path) => {
      verifies('mcp-discovery-browser');
      const answer = await given.send(path, {
        method: 'OPTIONS',
        headers: {
          Origin: 'https://app.example',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'mcp-protocol-version',
        },
      });
      expect(answer.status).toBe(204);
      expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*');
      expect(answer.headers.get('Access-Control-Allow-Headers')).toContain('MCP-Protocol-Version');
    },
  );

  test.each([
    '/.well-known/openid-configuration',
    `${WELL_KNOWN}/api/mcp/unified`,
    '/.well-known/openid-configuration/api/mcp/unified',
    '/.well-known/oauth-protected-resource/other',
    '/.well-known/',
    '/.well-known',
    '/.well-known/%zz',
    '/.well-known/%00',
  ])('%s is 404 as JSON', async (path) => {
    verifies('mcp-discovery-next');
    const answer = await given.send(path);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ error: 'not_found' });
  });

  test.each(['GET', 'HEAD'])('%s says how long it may be cached', async (method) => {
    const answer = await fetch(given.origin + WELL_KNOWN, { method });
    expect(answer.headers.get('Cache-Control')).toBe('public, max-age=3600');
  });
});
