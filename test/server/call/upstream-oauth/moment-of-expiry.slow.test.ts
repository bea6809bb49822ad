import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../../../sandbox/start.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { calendarConnector } from './calendar.ts';
import { callTool, connectUser, settingsOf, startUpstream } from './support.ts';

const CALLS = 200;
const TIMEOUT_MS = 120_000;

describeStore('the moment of expiry over two gateways', (given) => {
  let sandbox: Sandbox;
  let gateways: GatewayProcesses;

  beforeEach(async () => {
    sandbox = await startUpstream(calendarConnector());
    gateways = await startGatewayProcesses({
      count: 2,
      databaseUrl: given.url,
      script: 'test/server/call/upstream-oauth/gateway-main.ts',
      env: settingsOf(sandbox),
    });
  }, TIMEOUT_MS);
  afterEach(async () => {
    expect(await gateways.stop()).toEqual([0, 0]);
    await sandbox.close();
  });

  test.each<[string, number | null]>([
    ['according to the store', 0],
    ['according to the store it is valid for another hour', 3600],
    ['the store has no expiry', null],
  ])(
    'an access token has expired, %s: 200 calls, one refresh, no failure',
    async (_, expiresInSeconds) => {
      verifies('rfc9700-4.14.2-upstream-once');
      const { token } = await connectUser(given.store, sandbox, SHARED_PUBLIC_URL, expiresInSeconds);
      sandbox.authorizationServer('calendar').expireAccessTokens();
      const calls = Array.from({ length: CALLS }, (_each, index) => callTool(gateways.origins[index % 2]!, token));
      const failed = (await Promise.all(calls)).filter(({ isError }) => isError);
      expect(failed).toEqual([]);
      expect(sandbox.authorizationServer('calendar').counts['oauth:refresh']).toEqual({ asked: 1, granted: 1 });
    },
    TIMEOUT_MS,
  );
});
