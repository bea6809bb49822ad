import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Sandbox } from '../../../../sandbox/start.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { calendarConnector } from './calendar.ts';
import { callTool, connectUser, settingsOf, startUpstream } from './support.ts';

const CALLS = 200;
const TIMEOUT_MS = 120_000;

describeStore('the moment of expiry over two workers', (given) => {
  let sandbox: Sandbox;
  let gateways: GatewayProcesses;

  beforeEach(async () => {
    sandbox = await startUpstream(calendarConnector());
    gateways = await startGatewayProcesses({
      count: 1,
      workers: 2,
      databaseUrl: given.url,
      script: 'test/server/call/upstream-oauth/workers-main.ts',
      env: settingsOf(sandbox),
    });
  }, TIMEOUT_MS);
  afterEach(async () => {
    expect(await gateways.stop()).toEqual([0]);
    await sandbox.close();
  });

  test(
    'an access token has expired: 200 calls, one refresh, no failure',
    async () => {
      const { token } = await connectUser(given.store, sandbox, SHARED_PUBLIC_URL, 0);
      sandbox.authorizationServer('calendar').expireAccessTokens();
      const calls = Array.from({ length: CALLS }, () => callTool(gateways.origins[0]!, token));
      expect((await Promise.all(calls)).filter(({ isError }) => isError)).toEqual([]);
      expect(sandbox.authorizationServer('calendar').counts['oauth:refresh']).toEqual({ asked: 1, granted: 1 });
    },
    TIMEOUT_MS,
  );
});
