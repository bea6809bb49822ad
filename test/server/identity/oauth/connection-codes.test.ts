import { describe, expect, test } from 'vitest';
import { FULL_PERMISSION } from '../../../../server/base/principal/permission.ts';
import { issueAuthorizationCode } from '../../../../server/identity/oauth/authorization-codes.ts';
import {
  findConnectionCode,
  mintConnectionCode,
  normalizeConnectionCode,
} from '../../../../server/identity/oauth/connection-codes.ts';
import { OAuthError } from '../../../../server/identity/protocol/error.ts';
import { WHOLE_LIMITS } from '../../../support/whole-limits.ts';
import { describeOAuth, type OAuthUnderTest, REDIRECT_URI, RESOURCE } from './support.ts';

describe('reading a connection code', () => {
  test.each([
    ['as it is shown', '7KQ2-M9XD-4TRB'],
    ['without hyphens', '7KQ2M9XD4TRB'],
    ['in lower case, with spaces', ' 7kq2 m9xd 4trb\n'],
    ['with typographic dashes', '7KQ2–M9XD—4TRB'],
    ['in full-width letters', '７ＫＱ２M9XD4TRB'],
    ['with a no-break space', '7KQ2\u00a0M9XD\u00a04TRB'],
  ])('%s', (_title, text) => {
    expect(normalizeConnectionCode(text)).toBe('7KQ2M9XD4TRB');
  });

  test('look-alike characters are read as the intended ones', () => {
    expect(normalizeConnectionCode('oO0i-I1lL-2345')).toBe('000111112345');
  });

  test.each(['', 'short', '7KQ2-M9XD-4TR', '7KQ2-M9XD-4TRBX', '7KQ2-M9XD-4TRU', '7KQ2-M9XD-4T\0B', '7'.repeat(100)])(
    '%j is not a code',
    (text) => {
      expect(normalizeConnectionCode(text)).toBeNull();
    },
  );
});

async function mint(given: OAuthUnderTest, limits = {}): Promise<string> {
  return mintConnectionCode(given.store.db, {
    userId: given.userId,
    limits: { ...WHOLE_LIMITS, ...limits },
    now: given.now,
  });
}

type Consent = Parameters<typeof issueAuthorizationCode>[1];

async function allow(
  given: OAuthUnderTest,
  {
    clientId,
    connectionCodeText = '',
    ...access
  }: { clientId: string; connectionCodeText?: string } & Partial<Consent['access']>,
) {
  return given.store.db.transaction().execute((transaction) =>
    issueAuthorizationCode(transaction, {
      request: { clientId, resource: RESOURCE, redirectUri: REDIRECT_URI, codeChallenge: 'a'.repeat(43) },
      userId: given.userId,
      access: { scopes: ['tools:read', 'tools:write'], services: null, permission: FULL_PERMISSION, ...access },
      connectionCodeText,
      now: given.now,
    }),
  );
}

describeOAuth('using a connection code', (given) => {
  test('opening the consent page does not use it up, Allow does', async () => {
    const { client_id: clientId } = (await given.register()).body;
    const connectionCodeText = await mint(given);
    expect(await findConnectionCode(given.store.db, connectionCodeText, given.now)).toBeDefined();
    expect(await findConnectionCode(given.store.db, connectionCodeText.toLowerCase(), given.now)).toBeDefined();
    const code = await allow(given, { clientId, connectionCodeText: connectionCodeText.toLowerCase() });
    expect(code).toMatch(/^utg_ac_[A-Za-z0-9_-]{43}$/);
    expect(await findConnectionCode(given.store.db, connectionCodeText, given.now)).toBeUndefined();
    expect(await allow(given, { clientId, connectionCodeText })).toBeUndefined();
    expect(await given.store.db.selectFrom('oauth_grants').selectAll().execute()).toHaveLength(1);
  });

  test('the grant is never wider than the code', async () => {
    const { client_id: clientId } = (await given.register()).body;
    const connectionCodeText = await mint(given, { services: ['crm'], readOnly: true });
    await allow(given, { clientId, connectionCodeText, services: ['crm', 'retrieval'] });
    const [grant] = await given.store.db.selectFrom('oauth_grants').selectAll().execute();
    expect(grant).toMatchObject({ scopes: 'tools:read', services: 'crm' });
  });

  test('a grant that would allow nothing is refused, and the code stays unused', async () => {
    const { client_id: clientId } = (await given.register()).body;
    const connectionCodeText = await mint(given, { readOnly: true });
    const allowing = allow(given, { clientId, connectionCodeText, scopes: ['tools:write'] });
    await expect(allowing).rejects.toMatchObject({ error: 'invalid_scope', redirectable: true });
    expect(await allow(given, { clientId, connectionCodeText })).toBeDefined();
  });

  test('a client whose registration was removed gets nothing, and the code stays unused', async () => {
    const connectionCodeText = await mint(given);
    const allowing = allow(given, { clientId: 'client-gone', connectionCodeText });
    await expect(allowing).rejects.toThrow(OAuthError);
    await expect(allowing).rejects.toMatchObject({ error: 'invalid_client', redirectable: false });
    expect(await findConnectionCode(given.store.db, connectionCodeText, given.now)).toBeDefined();
  });

  test('a code is deleted with its user', async () => {
    const connectionCodeText = await mint(given);
    await given.store.db.deleteFrom('users').where('id', '=', given.userId).execute();
    expect(await findConnectionCode(given.store.db, connectionCodeText, given.now)).toBeUndefined();
  });
});
