import { afterEach, beforeEach, expect, test } from 'vitest';
import type { OAuthSettings } from '../../../../sandbox/oauth/grants.ts';
import type { Sandbox } from '../../../../sandbox/start.ts';
import { verifies } from '../../../requirements/verifies.ts';
import { type GatewayProcesses, SHARED_PUBLIC_URL, startGatewayProcesses } from '../../../support/gateway-processes.ts';
import { openListeningStore } from '../../../support/listening.ts';
import { describeStore } from '../../base/store/dialects.ts';
import { calendarConnector } from './calendar.ts';
import { type HeldAnswer, holdFirstRefresh } from './held-answer.ts';
import { callTool, connectionStatus, connectUser, partnerEvents, settingsOf, startUpstream } from './support.ts';

const TIMEOUT_MS = 180_000;

describeStore('a gateway that is killed while it refreshes', (given) => {
  let sandbox: Sandbox;
  let held: HeldAnswer;
  let gateways: GatewayProcesses;

  beforeEach(async () => {
    sandbox = await startUpstream(calendarConnector());
    held = await holdFirstRefresh(sandbox.origin);
    gateways = await startGatewayProcesses({
      count: 2,
      databaseUrl: given.url,
      script: 'test/server/call/upstream-oauth/gateway-main.ts',
      env: settingsOf(sandbox, held.origin),
    });
  }, TIMEOUT_MS);
  afterEach(async () => {
    await gateways.stop();
    await held.close();
    await sandbox.close();
  });

  async function killBetweenAnswerAndCommit(refreshToken: OAuthSettings['refreshToken']) {
    const server = sandbox.authorizationServer('calendar');
    server.change({ refreshToken });
    const connected = await connectUser(given.store, sandbox, SHARED_PUBLIC_URL, 0);
    server.expireAccessTokens();
    const lost = callTool(gateways.origins[0]!, connected.token).catch(() => 'no answer');
    await held.answered;
    await withWritesLocked(async () => {
      await held.release();
      await gateways.kill(0);
    });
    expect(await lost).toBe('no answer');
    await lapse();
    expect(server.counts['oauth:refresh']).toEqual({ asked: 1, granted: 1 });
    return connected;
  }

  /** As after the time that another gateway leaves to one that holds a renewal. */
  const lapse = () => given.store.db.updateTable('connection_refreshes').set({ held_until: 0 }).execute();

  async function withWritesLocked(run: () => Promise<void>): Promise<void> {
    const other = await openListeningStore({ url: given.url });
    const lock = async () => {
      await other.db.transaction().execute(async (transaction) => {
        await transaction.updateTable('connections').set({ service: 'calendar' }).execute();
        await run();
      });
    };
    await lock();
    await other.close();
  }

  test(
    'where the old refresh token still works, the next calls on another gateway work',
    async () => {
      const { token, partnerSecret } = await killBetweenAnswerAndCommit('same');
      await expect
        .poll(() => callTool(gateways.origins[1]!, token), { timeout: TIMEOUT_MS / 2 })
        .toMatchObject({ isError: false });
      expect(await connectionStatus(gateways.origins[1]!, partnerSecret)).toBe('active');
    },
    TIMEOUT_MS,
  );

  test(
    'where the rotated token is lost for good, the connection needs attention, and the partner is notified',
    async () => {
      verifies('rfc9700-4.14.2-upstream-lost');
      const { token, partnerSecret } = await killBetweenAnswerAndCommit('new');
      await expect
        .poll(
          async () => {
            await callTool(gateways.origins[1]!, token);
            return connectionStatus(gateways.origins[1]!, partnerSecret);
          },
          { timeout: TIMEOUT_MS / 2 },
        )
        .toBe('attention');
      expect(await callTool(gateways.origins[1]!, token)).toMatchObject({ isError: true });
      const connection = await given.store.db.selectFrom('connections').select('id').executeTakeFirstOrThrow();
      const text = await partnerEvents(gateways.origins[1]!, partnerSecret);
      const { events } = JSON.parse(text) as { events: object[] };
      const data = { user_id: 'ada', service: 'calendar', connection_id: connection.id };
      expect(events).toMatchObject([
        { type: 'connection.created', data },
        { type: 'connection.attention', data: { ...data, reason: 'credential_refused' } },
      ]);
      expect(text).not.toMatch(/sandbox_|the-secret|utg_/);
    },
    TIMEOUT_MS,
  );
});
