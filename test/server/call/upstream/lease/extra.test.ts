import { expect, test } from 'vitest';
import { formsOf, hasExtra, kindFor } from '../../../../../server/base/credentials/kinds.ts';
import { scopesOf } from '../../../../../server/call/upstream/oauth/scopes.ts';
import { tokenIn, withoutTokens } from '../../../../../server/call/upstream/oauth/stored-token.ts';
import type { CredentialPart } from '../../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { oauth2Part } from '../../../../support/oauth-rules.ts';
import { describeLease, HOUR_MS } from './support.ts';

const user = { ...oauth2Part('https://login.example'), id: 'user' };
const owner = { ...oauth2Part('https://owner.example'), id: 'owner' };
const host: CredentialPart = { id: 'host', type: 'query', label: 'Site', name: 'site', isPublic: true };
const read = fakeTool({ name: 'hub_read', more: { scopes: [['read']] } });
const log = fakeTool({ name: 'hub_log', more: { scopes: [['audit']], extra: 'Owner' } });
const plain = fakeConnector({ tools: [read, log], parts: [host, user] });
const extras = [{ label: 'Owner', parts: [owner], help: '', url: null }];
const connector = { ...plain, credential: { ...plain.credential, extras } };
const fields = {
  host: 'x',
  'user.access_token': 'u',
  'user.refresh_token': 'ru',
  'owner.access_token': 'o',
  'owner.refresh_token': 'ro',
};

test('a tool with an extra has the token of that, and what of the connection goes with it', () => {
  expect(tokenIn(connector, fields)?.accessToken).toBe('u');
  expect(tokenIn(connector, fields, 'Owner')).toMatchObject({ accessToken: 'o', refreshToken: 'ro' });
  expect(kindFor(connector.credential, fields, 'Owner').parts.map(({ id }) => id)).toEqual(['host', 'owner']);
  expect(kindFor(connector.credential, fields, undefined).parts.map(({ id }) => id)).toEqual(['host', 'user']);
});

test('without its token only that tool lacks something', () => {
  const rest = withoutTokens(fields, owner);
  expect([hasExtra(connector.credential, fields, 'Owner'), hasExtra(connector.credential, rest, 'Owner')]).toEqual([
    true,
    false,
  ]);
  expect(hasExtra(connector.credential, fields, 'Nobody')).toBe(false);
  expect(tokenIn(connector, rest)?.accessToken).toBe('u');
});

test('each sign-in asks for the scopes of the tools that are called with it', () => {
  const [first, second] = formsOf(connector.credential);
  expect(first && scopesOf(connector, user, first)).toEqual(['read']);
  expect(second && scopesOf(connector, owner, second)).toEqual(['audit']);
});

describeLease('the token of an extra', (given) => {
  const key = { id: 'key', type: 'header', label: 'Key', name: 'x-key' } as const;
  const ofExtra = fakeTool({ name: 'library_log', path: '/things', more: { extra: 'Sign in' } });
  const start = () => {
    const extra = { label: 'Sign in', parts: [oauth2Part(given.upstream.origin)], help: '', url: null };
    const credential = { parts: [key], help: '', url: null, extras: [extra] };
    return given.start(1, { library: { credential, tools: [ofExtra] } });
  };

  test('is renewed when it ends, and the rest of the credential stays', async () => {
    await start();
    await given.connect({ key: 'k' });
    await given.call('library_log');
    given.now += HOUR_MS;
    given.upstream.accessTokens.clear();
    expect(await given.call('library_log')).toMatchObject({ data: { token: 'seen' } });
    expect(given.upstream.calls).toEqual(['at-0', 'at-1']);
    expect((await given.connection())?.fields).toMatchObject({ key: 'k', 'oauth.refresh_token': 'rt-1' });
  });

  test('that was revoked is forgotten, and the connection stays', async () => {
    await start();
    await given.connect({ key: 'k' });
    given.upstream.accessTokens.clear();
    given.upstream.refreshTokens.clear();
    expect((await given.call('library_log')).error).toBeDefined();
    expect(await given.connection()).toEqual({ status: 'active', fields: { key: 'k' } });
    expect((await given.call('library_log')).text).toContain('library_log needs Sign in of');
  });

  test('is revoked when the user removes the connection', async () => {
    await start();
    await given.connect({ key: 'k' });
    expect((await given.send('DELETE', '/api/partner/users/ada/connections/library')).status).toBe(204);
    await expect.poll(() => given.upstream.revoked).toContain('rt-0');
  });
});

describeLease('a key in addition to a sign-in', (given) => {
  test('leaves the token of the connection as it is: that is renewed, and its end needs attention', async () => {
    const admin = { id: 'admin', type: 'header', label: 'Admin', name: 'x-admin' } as const;
    const extras = [{ label: 'Admin', parts: [admin], help: '', url: null }];
    const credential = { parts: [oauth2Part(given.upstream.origin)], help: '', url: null, extras };
    const ofExtra = fakeTool({ name: 'library_log', path: '/things', more: { extra: 'Admin' } });
    await given.start(1, { library: { credential, tools: [ofExtra] } });
    await given.connect({ admin: 'a' });
    given.upstream.accessTokens.clear();
    expect(await given.call('library_log')).toMatchObject({ data: { token: 'seen' } });
    given.upstream.accessTokens.clear();
    given.upstream.refreshTokens.clear();
    given.now += HOUR_MS;
    await given.call('library_log');
    expect((await given.connection())?.status).toBe('attention');
  });
});
