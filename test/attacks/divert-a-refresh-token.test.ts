import { expect, test } from 'vitest';
import { verifies } from '../requirements/verifies.ts';
import { describeLease, HOUR_MS } from '../server/call/upstream/lease/support.ts';
import { startHost } from '../server/call/upstream/support.ts';

const SECRETS = /rt-0|at-0|client-secret/;

describeLease('a token endpoint that an attacker controls', (given) => {
  test('sends neither refresh token nor client secret to another host, and locks no one out', async () => {
    verifies('rfc6749-10.3-upstream-elsewhere');
    const thief = await startHost((_, response) => response.end('{"access_token":"at-0"}'));
    await given.start();
    await given.connect();
    given.now += HOUR_MS;
    for (const status of [301, 302, 303, 307, 308]) {
      given.upstream.fault = { status, headers: { location: `${thief.origin}/token` }, body: {} };
      expect((await given.call()).error).toMatchObject({ code: 'credential_not_renewed' });
      given.now += HOUR_MS;
    }
    expect(thief.hits()).toBe(0);
    expect((await given.connection())?.status).toBe('active');
    await thief.close();
  });

  test('gets nothing that it was sent into an answer or the log, and fills no memory', async () => {
    await given.start();
    await given.connect();
    const bodies = [
      { error: 'rt-0', error_description: 'client-secret' },
      { error: 'client-secret' },
      { error: { code: 'rt-0' } },
      { access_token: 'x'.repeat(1_000_000) },
      { access_token: { toString: 'at-0' } },
      { __proto__: null, access_token: 'bad\r\nauthorization: at-0' },
    ];
    for (const body of bodies) {
      for (const status of [200, 400]) {
        given.now += HOUR_MS;
        given.upstream.fault = { status, body };
        const { error, text } = await given.call();
        expect(error.code).toBe('credential_not_renewed');
        expect(text + JSON.stringify(error)).not.toMatch(SECRETS);
      }
    }
    expect(given.lines.join()).not.toMatch(SECRETS);
    expect(given.upstream.calls).toEqual([]);
  });
});
