import { describe, expect, test } from 'vitest';
import { deleteConnection } from '../../../../server/base/store/repositories/connections.ts';
import { insertClient } from '../../../../server/base/store/repositories/oauth-clients.ts';
import { insertGrant } from '../../../../server/base/store/repositories/oauth-grants.ts';
import { setPartnerSuspended, updatePartner } from '../../../../server/base/store/repositories/partners.ts';
import { ensureUser } from '../../../../server/base/store/repositories/users.ts';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { issueAccessToken } from '../../../../server/identity/grants/access-token.ts';
import { connect, findConnection, insertAttempt } from '../../base/store/fixtures.ts';
import { givenDashboard, insertTeam, rowsOf } from './support.ts';

const given = givenDashboard();
const db = () => given.store.db;
const setTokens = (values: object) => db().updateTable('access_tokens').set(values).execute();
const disconnect = async () =>
  deleteConnection(db(), given.userId, (await findConnection(db(), given.userId, 'library'))!.id);

async function allowClient(services: readonly string[] | null = null, userId = given.userId): Promise<void> {
  const clientId = 'client-1';
  await insertClient(db(), {
    clientId,
    clientName: 'Helper',
    redirectUris: ['https://helper.example/back'],
    applicationType: 'web',
    secretHash: null,
    authenticationMethod: 'none',
    now: given.now,
  });
  const resource = given.origin + MCP_PATH;
  const access = { userId, services, resource, now: given.now };
  const expiresAt = given.now + 1000;
  const grantId = await insertGrant(db(), { clientId, ...access, scopes: ['tools:read'], expiresAt });
  await issueAccessToken(db(), { ...access, scopes: ['tools:read'], grantId });
}

/** Reads the list on the page of the user. */
async function findings(userId = given.userId): Promise<string[]> {
  const { text } = await (await given.operator()).get(`/admin/users/${userId}`);
  const [, list = ''] = /<ul class="plain-list">([\s\S]*?)<\/ul>/.exec(text) ?? [];
  return [...list.matchAll(/<li>([\s\S]*?)<\/li>/g)].map(([, item = '']) => item.replaceAll(/<[^>]+>/g, ''));
}

describe('the access check of a user answers in the words of the explanation of a tool', () => {
  test.each<[string, () => Promise<unknown>, readonly string[]]>([
    [
      'a client has what is connected',
      () => allowClient(),
      ['fine “Helper” (unverified name): It has the tool: it is listed, and a call is made. library_find'],
    ],
    [
      'the partner is suspended',
      async () => {
        await allowClient();
        await setPartnerSuspended(db(), given.partnerId, given.now);
      },
      [
        'cause The partner is suspended: every request of its users is refused.',
        'cause “Helper” (unverified name): Acme is suspended at this gateway, so its users cannot use their tools now. utg partner resume --client-id acme library_find',
      ],
    ],
    [
      'the partner no longer offers the service',
      async () => {
        await allowClient();
        await updatePartner(db(), given.partnerId, { services: ['crm'] });
      },
      [
        'cause “Helper” (unverified name): Acme does not offer Library, so its tools cannot be called. utg partner set --client-id acme --services &lt;all that it may offer&gt; library_find',
      ],
    ],
    [
      'nothing is connected',
      async () => {
        await allowClient();
        await disconnect();
      },
      ['cause No service is connected, so every list of tools is empty.'],
    ],
    [
      'the partner has not redeemed the code',
      async () => {
        await disconnect();
        await insertAttempt(given.store, {
          id: 'a',
          partnerId: given.partnerId,
          externalUserId: 'alice',
          service: 'library',
        });
      },
      [
        'cause The user completed a connect flow for Library, but the partner has not exchanged its code at POST /api/oauth/token. Until it does, the connection is not used.',
        'cause No service is connected, so every list of tools is empty.',
      ],
    ],
    [
      'an upstream refused the credential',
      async () => {
        await allowClient();
        await db().updateTable('connections').set({ status: 'attention' }).execute();
      },
      [
        'cause “Helper” (unverified name): Library no longer accepts the credential of this connection. The user connects it in the partner&#39;s application again. library_find',
      ],
    ],
    [
      'the connector of one service is gone',
      async () => {
        await allowClient();
        await connect(given.store, { userId: given.userId, service: 'gone', now: given.now });
      },
      [
        'cause gone is connected, but this gateway has no connector of that name.',
        'fine “Helper” (unverified name): It has the tool: it is listed, and a call is made. library_find',
      ],
    ],
    [
      'the token expired',
      async () => {
        await allowClient();
        given.now += 3_600_001;
      },
      [
        'cause “Helper” (unverified name): The access token has expired. The user signs in again from the client, at ORIGIN/api/mcp/unified. library_find',
      ],
    ],
    [
      'the token was revoked',
      async () => {
        await allowClient();
        await setTokens({ revoked_at: given.now });
      },
      [
        'cause “Helper” (unverified name): The access token is unknown or was revoked. The user signs in again from the client, at ORIGIN/api/mcp/unified. library_find',
      ],
    ],
    [
      'the token is for another gateway',
      async () => {
        await allowClient();
        await setTokens({ resource: 'https://old.example.com/api/mcp/unified' });
      },
      [
        'cause “Helper” (unverified name): The access token was issued for another resource. The user signs in again from the client, at ORIGIN/api/mcp/unified. library_find',
      ],
    ],
    [
      'the client is narrowed to another service',
      () => allowClient(['archive']),
      [
        'note “Helper” (unverified name): The connection code or the user narrowed this client to other services: archive. The user signs in again from the client, with a connection code that includes library, and leaves it ticked. library_find',
      ],
    ],
    [
      'no client has access',
      async () => {},
      [
        'cause Any client: No one has completed the consent page for it, or its last token expired more than a day ago. The user signs in again from the client, at ORIGIN/api/mcp/unified. library_find',
      ],
    ],
  ])('if %s', async (_, arrange, expected) => {
    await arrange();
    const found = (await findings()).map((text) => text.replace(given.origin, 'ORIGIN'));
    expect(found).toEqual(expected);
  });
});

test('the page of a member counts and checks what teams share with the member', async () => {
  const key = { partnerId: given.partnerId, externalUserId: 'bob', now: given.now };
  const { id: bob } = await ensureUser(db(), key);
  await insertTeam(given, [bob]);
  await allowClient(null, bob);
  expect(await findings(bob)).toEqual([
    'fine “Helper” (unverified name): It has the tool: it is listed, and a call is made. library_find',
  ]);
  const { text } = await (await given.operator()).get(`/admin/users/${bob}`);
  const [token] = rowsOf(text).filter((row) => row.some((cell) => cell.startsWith('expires ')));
  expect(token?.at(-2)).toBe('1');
  expect(text).toMatch(/name="services" value="library"/);
});
