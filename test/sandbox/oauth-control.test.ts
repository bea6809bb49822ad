import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadDescriptor } from '../../sandbox/descriptor/load.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { freePort } from '../../shared/cli/free-port.ts';
import { callApi, read, refresh, signIn, startCalendar } from './oauth-support.ts';
import { FIXTURE } from './support.ts';

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startCalendar();
});
afterEach(() => sandbox.behave());
afterAll(() => sandbox.close());

const control = async (method: string, path: string, body?: object) =>
  read(await fetch(`${sandbox.origin}/__sandbox${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) }));
const counts = () => structuredClone(sandbox.authorizationServer('calendar').counts['oauth:refresh']);

describe('failures of a token endpoint', () => {
  test('a failure that is planned for any operation does not affect it', async () => {
    sandbox.misbehave({ kind: 'server-error' });
    expect((await signIn(sandbox)).status).toBe(200);
    sandbox.misbehave({ kind: 'server-error', operationId: 'oauth:refresh' });
    expect((await signIn(sandbox)).status).toBe(200);
  });

  test.each([
    ['server-error', 500],
    ['unavailable', 503],
    ['rate-limited', 429],
    ['invalid-grant', 400],
  ] as const)('%s answers %i and rotates nothing', async (kind, status) => {
    const { body } = await signIn(sandbox);
    const before = counts();
    sandbox.misbehave({ kind, operationId: 'oauth:refresh' });
    expect((await refresh(sandbox, body.refresh_token)).status).toBe(status);
    expect((await refresh(sandbox, body.refresh_token)).status).toBe(200);
    expect(counts()).toEqual({ asked: before.asked + 2, granted: before.granted + 1 });
  });

  test('dropped-connection rotates and loses the answer', async () => {
    const { body } = await signIn(sandbox);
    const before = counts();
    sandbox.misbehave({ kind: 'dropped-connection', operationId: 'oauth:refresh' });
    await expect(refresh(sandbox, body.refresh_token)).rejects.toThrow(TypeError);
    expect(counts().granted).toBe(before.granted + 1);
    expect((await refresh(sandbox, body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('slow issues its tokens before it waits', async () => {
    const { body } = await signIn(sandbox);
    const before = counts();
    sandbox.misbehave({ kind: 'slow', delayMs: 600_000, operationId: 'oauth:refresh' });
    const answer = refresh(sandbox, body.refresh_token).catch(() => 'closed');
    await expect.poll(() => counts().granted).toBe(before.granted + 1);
    await sandbox.close();
    expect(await answer).toBe('closed');
    sandbox = await startCalendar();
  });
});

describe('the control path for OAuth', () => {
  test('changes settings, and names the valid ones if they are wrong', async () => {
    expect((await control('POST', '/oauth', { clockSkewSeconds: 300, accessTokenSeconds: 60 })).status).toBe(200);
    expect((await signIn(sandbox)).body.expires_in).toBe(360);
    await control('POST', '/oauth', { service: 'calendar', saysExpiresIn: false });
    expect((await signIn(sandbox)).body.expires_in).toBeUndefined();
    const wrong = await control('POST', '/oauth', { rotation: true });
    expect([wrong.status, Object.keys(wrong.body)]).toEqual([400, ['message', 'settings']]);
    expect((await control('POST', '/oauth', { service: 'nope' })).status).toBe(400);
  });

  test('shows settings and counts', async () => {
    const { body } = await control('GET', '/oauth');
    expect(body.services).toMatchObject({
      calendar: {
        paths: ['/oauth/authorize', '/oauth/token', '/oauth/refresh', '/oauth/token'],
        counts: { 'oauth:token': { asked: expect.any(Number) } },
      },
    });
  });

  test('expires access tokens, which a refresh replaces, and revokes grants', async () => {
    const { body } = await signIn(sandbox);
    await control('DELETE', '/oauth/access-tokens');
    expect((await callApi(sandbox, body.access_token)).status).toBe(401);
    const healed = await refresh(sandbox, body.refresh_token);
    expect((await callApi(sandbox, healed.body.access_token)).status).toBe(200);
    await control('DELETE', '/oauth/grants');
    expect((await refresh(sandbox, healed.body.refresh_token)).body.error).toBe('invalid_grant');
  });

  test('plans failures of OAuth endpoints by name, if a service has them', async () => {
    const plan = { kind: 'slow', operationId: 'oauth:revoke', delayMs: 0 };
    expect((await control('POST', '/misbehave', plan)).status).toBe(200);
    const bookshop = await startSandbox({ services: [{ name: 'bookshop', document: await loadDescriptor(FIXTURE) }] });
    const response = await fetch(`${bookshop.origin}/__sandbox/misbehave`, {
      method: 'POST',
      body: JSON.stringify(plan),
    });
    expect(response.status).toBe(400);
    await bookshop.close();
  });
});

describe('several services with OAuth', () => {
  test('the first has its endpoints at the port of the sandbox, the second at another port', async () => {
    const document = await loadDescriptor(FIXTURE.replace('openapi.yaml', 'oauth.yaml'));
    const services = ['plain', 'first', 'second'].map((name) => ({ name, document }));
    const plain = { name: 'plain', document: await loadDescriptor(FIXTURE) };
    const several = await startSandbox({ services: [plain, ...services.slice(1)] });
    expect([...several.oauthOrigins.keys()]).toEqual(['first', 'second']);
    expect(several.oauthOrigins.get('first')).toBe(several.origin);
    const origin = several.oauthOrigins.get('second') ?? '';
    expect(origin).not.toBe(several.origin);
    const tokens = await signIn({ ...several, origin });
    expect((await callApi(several, tokens.body.access_token)).status).toBe(404);
    const call = async (name: string) =>
      (
        await fetch(`${several.origin}/${name}/v1/events`, {
          headers: { authorization: `Bearer ${tokens.body.access_token}` },
        })
      ).status;
    expect([await call('first'), await call('second')]).toEqual([401, 200]);
    await several.close();
  });

  test('the second has the next port, unless that is left to another program', async () => {
    const document = await loadDescriptor(FIXTURE.replace('openapi.yaml', 'oauth.yaml'));
    const services = ['first', 'second'].map((name) => ({ name, document }));
    const port = await freePort();
    const portWith = async (reserved: readonly number[]) => {
      const several = await startSandbox({ services, port, reserved });
      await several.close();
      return Number(new URL(several.oauthOrigins.get('second') ?? '').port);
    };
    expect([await portWith([]), await portWith([port + 1])]).toEqual([port + 1, port + 2]);
  });
});
