import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Misbehaviour } from '../../../../sandbox/misbehaviour.ts';
import type { OAuthChange } from '../../../../sandbox/oauth/grants.ts';
import type { Sandbox } from '../../../../sandbox/start.ts';
import { type RunningGateway, startGateway } from '../../../support/gateway.ts';
import { calendarConnector } from './calendar.ts';
import { callTool, connectionStatus, connectUser, settingsOf, startUpstream } from './support.ts';

interface Quirk {
  readonly settings?: OAuthChange;
  readonly failure?: Omit<Misbehaviour, 'operationId'>;
  /** What the store says of the access token's life. */
  readonly expiresIn: number | null;
}

const TIMEOUT_MS = 60_000;
const KNOWN = { expiresIn: 0 };
const UNKNOWN = { expiresIn: null };
const LATER_MS = 60_000;

let sandbox: Sandbox;
let gateway: RunningGateway;
let origin: string;
let aheadMs: number;
beforeEach(async () => {
  aheadMs = 0;
  const now = () => Date.now() + aheadMs;
  sandbox = await startUpstream(calendarConnector(), { now });
  gateway = await startGateway({
    connectors: [calendarConnector()],
    env: settingsOf(sandbox),
    secretOf: () => 'not used',
    now,
  });
  origin = new URL(gateway.url).origin;
});
afterEach(async () => {
  await gateway.close();
  await sandbox.close();
});

async function connectAndExpire({ settings = {}, failure, expiresIn }: Quirk) {
  const server = sandbox.authorizationServer('calendar');
  server.change(settings);
  const connected = await connectUser(gateway.store, sandbox, origin, expiresIn);
  server.expireAccessTokens();
  if (failure !== undefined) sandbox.misbehave({ ...failure, operationId: 'oauth:refresh' });
  return connected;
}

describe('an upstream from which a connection recovers', () => {
  test.each<[string, Quirk]>([
    ['rotates refresh tokens', { settings: { refreshToken: 'new' }, ...KNOWN }],
    ['returns the same refresh token again', { settings: { refreshToken: 'same' }, ...KNOWN }],
    ['returns no refresh token on refresh', { settings: { refreshToken: 'kept' }, ...KNOWN }],
    ['does not say how long tokens are valid', { settings: { saysExpiresIn: false }, ...UNKNOWN }],
    ['overstates how long tokens are valid', { settings: { clockSkewSeconds: 3600 }, expiresIn: 7200 }],
    ['says that new tokens have expired', { settings: { clockSkewSeconds: -7200 }, ...KNOWN }],
    ['answers 500 once', { failure: { kind: 'server-error' }, ...KNOWN }],
    [
      'answers 500 once, after a token that the store considered valid',
      { failure: { kind: 'server-error' }, ...UNKNOWN },
    ],
    ['answers 503 once', { failure: { kind: 'unavailable', retryAfterSeconds: 0 }, ...KNOWN }],
    ['answers 429 once', { failure: { kind: 'rate-limited', retryAfterSeconds: 0 }, ...KNOWN }],
    [
      'answers with an HTML page once',
      { settings: { refreshToken: 'same' }, failure: { kind: 'wrong-content-type' }, ...KNOWN },
    ],
    [
      'closes the connection once, and keeps its refresh token',
      { settings: { refreshToken: 'same' }, failure: { kind: 'dropped-connection' }, ...KNOWN },
    ],
  ])(
    '%s',
    async (_, quirk) => {
      const { token, partnerSecret } = await connectAndExpire(quirk);
      const statuses = new Set<string | undefined>();
      const call = async () => {
        const { isError } = await callTool(origin, token);
        statuses.add(await connectionStatus(origin, partnerSecret));
        return isError;
      };
      await expect.poll(call, { timeout: TIMEOUT_MS / 3 }).toBe(false);
      aheadMs = LATER_MS;
      sandbox.authorizationServer('calendar').expireAccessTokens();
      await expect.poll(call, { timeout: TIMEOUT_MS / 3 }).toBe(false);
      expect([...statuses]).toEqual(['active']);
    },
    TIMEOUT_MS,
  );
});

describe('an upstream at which the user must connect again', () => {
  test.each<[string, Quirk]>([
    ['answers invalid_grant', { failure: { kind: 'invalid-grant' }, ...KNOWN }],
    ['answers invalid_grant after a 401', { failure: { kind: 'invalid-grant' }, ...UNKNOWN }],
    ['loses its answer after a rotation', { failure: { kind: 'dropped-connection' }, ...KNOWN }],
    ['issues no refresh tokens', { settings: { refreshToken: 'never' }, ...KNOWN }],
  ])(
    '%s',
    async (_, quirk) => {
      const { token, partnerSecret } = await connectAndExpire(quirk);
      const status = async () => {
        await callTool(origin, token);
        return connectionStatus(origin, partnerSecret);
      };
      await expect.poll(status, { timeout: TIMEOUT_MS / 2 }).toBe('attention');
      expect(await callTool(origin, token)).toMatchObject({ status: 200, isError: true });
    },
    TIMEOUT_MS,
  );
});
