import { expect, test } from 'vitest';
import { describeLease } from '../upstream/lease/support.ts';

describeLease('a key that its upstream rejects', (given) => {
  const connected = async (): Promise<void> => {
    await given.start();
    given.upstream.accessTokens.add('a-key');
    await given.connect({ key: 'a-key' }, 'shelf');
  };
  const statusOf = async () => (await given.connection('shelf'))?.status;

  test('once, and accepts in the verifying call, keeps its connection', async () => {
    await connected();
    given.upstream.onCall = (path) => (path === '/me' ? null : { status: 401, body: { message: 'hiccup' } });
    const { error, text } = await given.call('shelf_list');
    expect(error).toMatchObject({ code: 'refused_once', status: 401, retryable: true });
    expect(text).toContain('call again in a moment');
    expect(await statusOf()).toBe('active');
    given.upstream.onCall = () => null;
    expect(await given.call('shelf_list')).toMatchObject({ data: { token: 'seen' } });
  });

  test('in the verifying call too needs attention', async () => {
    await connected();
    given.upstream.accessTokens.clear();
    expect((await given.call('shelf_list')).error).toMatchObject({ code: 'credential_refused', retryable: false });
    expect(given.upstream.calls).toEqual(['a-key', 'a-key']);
    expect(await statusOf()).toBe('attention');
  });

  test('while the verifying call is inconclusive keeps its connection', async () => {
    await connected();
    given.upstream.onCall = (path) => ({ status: path === '/me' ? 503 : 401, body: {} });
    expect((await given.call('shelf_list')).error.code).toBe('refused_once');
    expect(await statusOf()).toBe('active');
  });

  test('for many concurrent calls is verified once', async () => {
    await connected();
    given.upstream.onCall = (path) => (path === '/me' ? null : { status: 401, body: {} });
    const calls = await Promise.all(Array.from({ length: 20 }, () => given.call('shelf_list')));
    expect(new Set(calls.map(({ error }) => error.code))).toEqual(new Set(['refused_once']));
    expect(given.upstream.calls.length).toBeLessThan(40);
    expect(await statusOf()).toBe('active');
  });
});

describeLease('a key of a service without a verifying call', (given) => {
  const connected = async (): Promise<void> => {
    await given.start();
    given.upstream.accessTokens.add('a-key');
    const none = { 'oauth.access_token': undefined, 'oauth.refresh_token': undefined, 'oauth.expires_at': undefined };
    await given.connect({ ...none, 'oauth.scope': undefined, key: 'a-key' });
  };
  const refuse = () => ({ status: 401, body: {} });

  test('needs attention after two rejections in a row', async () => {
    await connected();
    given.upstream.onCall = refuse;
    expect((await given.call()).error.code).toBe('refused_once');
    expect((await given.connection())?.status).toBe('active');
    expect((await given.call()).error.code).toBe('credential_refused');
    expect((await given.connection())?.status).toBe('attention');
  });

  test('keeps its connection where a call succeeds in between', async () => {
    await connected();
    for (const onCall of [refuse, () => null, refuse]) {
      given.upstream.onCall = onCall;
      await given.call();
    }
    expect((await given.connection())?.status).toBe('active');
  });
});
