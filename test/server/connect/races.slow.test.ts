import { expect, test } from 'vitest';
import { hashSecret } from '../../../server/base/principal/secrets.ts';
import { insertAttempt } from '../base/store/fixtures.ts';
import { type Answer, describeConnect, REDIRECT_URI } from './support.ts';

const ROUNDS = 20;
const PARALLEL = 5;

describeConnect('concurrent changes to one user', (given) => {
  async function pendingCode(name: string): Promise<string> {
    await insertAttempt(given.store, {
      id: name,
      codeHash: hashSecret(given.store.db, name),
      partnerId: given.partnerId,
      externalUserId: 'alice',
      service: 'open',
      redirectUri: REDIRECT_URI,
      sealedCredential: null,
      expiresAt: given.now + 60_000,
    });
    return name;
  }

  const redeem = (code: string): Promise<Answer> =>
    given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
  const refresh = (refreshToken: string): Promise<Answer> =>
    given.token({ grant_type: 'refresh_token', refresh_token: refreshToken });
  const mint = (): Promise<Answer> =>
    given.send('/api/mcp/oauth/sessions', {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ client_id: 'acme', client_secret: given.secret, user_id: 'alice' }),
    });
  const remove = (path: string): Promise<Answer> => {
    const Authorization = `Basic ${Buffer.from(`acme:${given.secret}`).toString('base64')}`;
    return given.send(`/api/partner/users/alice${path}`, { method: 'DELETE', headers: { Authorization } });
  };

  test.each([
    ['the user is removed', () => remove('')],
    ['the connection is removed', () => remove('/connections/open')],
  ])('is answered without a fault while %s', async (_title, removeIt) => {
    const counts: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      const first = await redeem(await pendingCode(`first-${round}`));
      expect(first.status).toBe(200);
      const codes = await Promise.all(
        Array.from({ length: PARALLEL }, (_, index) => pendingCode(`code-${round}-${index}`)),
      );
      const answers = await Promise.all([
        ...codes.map(redeem),
        ...codes.map(mint),
        refresh(first.body.refresh_token),
        removeIt(),
        removeIt(),
      ]);
      for (const { status, body } of answers) {
        const kind = `${status} ${body?.error ?? ''}`;
        counts[kind] = (counts[kind] ?? 0) + 1;
      }
    }
    const known = ['200 ', '204 ', '400 invalid_grant', '400 user_not_connected', '404 not_found'];
    expect(Object.keys(counts).filter((kind) => !known.includes(kind))).toEqual([]);
    expect(given.lines.filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});
