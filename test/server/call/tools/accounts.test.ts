import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hashSecret } from '../../../../server/base/principal/secrets.ts';
import {
  insertConnectionAttempt,
  newAttemptId,
} from '../../../../server/base/store/repositories/connection-attempts.ts';
import type { Connector } from '../../../../server/contract/index.ts';
import { addPartner } from '../../../../server/identity/partners/manage.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { type Host, startHost } from '../upstream/support.ts';

const REDIRECT_URI = 'https://acme.example/back';
const account = { tool: 'library_me', arguments: {}, name: ['/nickname', '/owner/name', '/id'] };

let upstream: Host;
let gateway: RunningGateway;
let answer: { status: number; body: unknown };
let asked: number;
let authorization: string;
let partnerId: string;

async function start(connector: Connector): Promise<void> {
  const env = { LIBRARY_BASE_URL: upstream.origin };
  gateway = await startGateway({ connectors: [connector], env, secretOf: () => 'secret' });
  const added = await gateway.store.db
    .transaction()
    .execute((transaction) =>
      addPartner(transaction, { clientId: 'acme', name: 'Acme', redirectUris: [REDIRECT_URI] }, { now: Date.now() }),
    );
  partnerId = added.partner.id;
  authorization = `Basic ${Buffer.from(`acme:${added.secret}`).toString('base64')}`;
}

async function connected(code: string): Promise<void> {
  const now = Date.now();
  const of = {
    partnerId,
    externalUserId: 'ada',
    service: 'library',
    sessionId: null,
    redirectUri: REDIRECT_URI,
    sealedCredential: null,
  };
  const attempt = {
    ...of,
    id: newAttemptId(now),
    codeHash: hashSecret(gateway.store.db, code),
    now,
    expiresAt: now + 60_000,
  };
  await insertConnectionAttempt(gateway.store.db, attempt);
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: REDIRECT_URI,
    user_id: 'ada',
  });
  const redeemed = await fetch(new URL('/api/oauth/token', gateway.url), {
    method: 'POST',
    headers: { Authorization: authorization },
    body,
  });
  expect(redeemed.status).toBe(200);
}

async function accountOf(): Promise<unknown> {
  const path = '/api/partner/users/ada/connections';
  const response = await fetch(new URL(path, gateway.url), { headers: { Authorization: authorization } });
  const { connections } = (await response.json()) as { connections: { account: unknown }[] };
  return connections[0]?.account;
}

describe('the account name of a connection', () => {
  const named = { ...fakeConnector({ tools: [fakeTool({ name: 'library_me', path: '/me' })] }), account };

  beforeEach(async () => {
    asked = 0;
    answer = { status: 200, body: { owner: { name: 'Ada Lovelace' }, id: 7 } };
    upstream = await startHost((_, response) => {
      asked += 1;
      response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer.body));
    });
  });
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  test('is read once after the connection is created, and again after it is replaced', async () => {
    await start(named);
    await connected('first');
    await expect.poll(accountOf).toBe('Ada Lovelace');
    expect(asked).toBe(1);
    answer = { status: 200, body: { owner: { name: '' }, id: 7 } };
    await connected('second');
    await expect.poll(accountOf).toBe('7');
    expect(asked).toBe(2);
  });

  test('is one line of plain text with a bounded length', async () => {
    await start(named);
    answer = { status: 200, body: { nickname: `Ada\n\u202eof\u0007 ${'x'.repeat(200)}` } };
    await connected('first');
    await expect.poll(accountOf).toBe(`Ada of ${'x'.repeat(193)}`);
  });

  test.each([
    ['a rejected request', { status: 403, body: {} }],
    ['an answer without a name', { status: 200, body: { owner: [] } }],
  ])('is unknown after %s, and the connection works', async (_, given) => {
    await start(named);
    answer = given;
    await connected('first');
    await expect.poll(() => asked).toBe(1);
    await connected('second');
    await expect.poll(() => asked).toBe(2);
    expect(await accountOf()).toBeNull();
  });

  test('is not requested where the connector does not define it', async () => {
    await start(fakeConnector({ tools: [fakeTool({ name: 'library_me', path: '/me' })] }));
    await connected('first');
    expect(await accountOf()).toBeNull();
    expect(asked).toBe(0);
  });
});
