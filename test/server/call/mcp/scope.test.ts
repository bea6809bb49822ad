import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findUsersByExternalId } from '../../../../server/base/store/repositories/users.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { postRpc } from '../../../support/post-rpc.ts';

let gateway: RunningGateway;
let readOnly: string;
let onlyOthers: string;

beforeAll(async () => {
  const connector = fakeConnector({
    tools: [fakeTool({ name: 'library_get_things' }), fakeTool({ name: 'library_add_thing', method: 'POST' })],
  });
  gateway = await startGateway({
    connectors: [connector],
    secretOf: () => 'secret',
    env: { LIBRARY_BASE_URL: 'http://127.0.0.1:9' },
  });
  const [user] = await findUsersByExternalId(gateway.store.db, 'ada');
  const grant = { userId: user!.id, resource: gateway.url, now: Date.now(), scopes: ['tools:read'] } as const;
  readOnly = (await issueAccessToken(gateway.store.db, { ...grant, services: null })).token;
  onlyOthers = (await issueAccessToken(gateway.store.db, { ...grant, services: ['other'] })).token;
});
afterAll(() => gateway.close());

const call = (token: string, name: unknown) =>
  postRpc({ url: gateway.url, token }, 'tools/call', { name, arguments: {} });

describe('a call that needs more scopes than its token has (MCP authorization, RFC 6750 §3.1)', () => {
  test('is refused with every scope that it needs', async () => {
    verifies('rfc6750-3.1-insufficient-scope', 'mcp-scope-whole-operation');
    const answer = await call(readOnly, 'library_add_thing');
    expect(answer.status).toBe(403);
    const { origin } = new URL(gateway.url);
    expect(answer.headers.get('WWW-Authenticate')).toBe(
      `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/api/mcp/unified", ` +
        'scope="tools:read tools:write", error="insufficient_scope", ' +
        'error_description="The access token needs the scope tools:read tools:write."',
    );
    expect(await answer.json()).toMatchObject({ error: 'insufficient_scope' });
  });

  test.each([
    ['of a tool that only reads', () => [readOnly, 'library_get_things']],
    ['of a tool that does not exist', () => [readOnly, 'library_drop_thing']],
    ['of a tool whose name is not a string', () => [readOnly, 7]],
    ['of a service that the token is not for', () => [onlyOthers, 'library_add_thing']],
    ['with a token that may write', () => [gateway.token, 'library_add_thing']],
  ] as const)('is not a call %s', async (_title, given) => {
    const [token, name] = given();
    expect((await call(token as string, name)).status).not.toBe(403);
  });
});
