import { afterEach, describe, expect, test } from 'vitest';
import { type OAuthGateway, startOAuthGateway } from '../support/oauth-gateway.ts';
import { allowed, postForm } from './oauth-steps.ts';

const DAY_MS = 86_400_000;

describe('a stolen refresh token that is used every three weeks', () => {
  let gateway: OAuthGateway;
  let now = Date.now();
  afterEach(() => gateway?.close());

  const refreshUntil = async (env: Record<string, string>, days: number): Promise<number> => {
    now = Date.now();
    const start = now;
    gateway = await startOAuthGateway({ REFRESH_HOLD_MS: '0', ...env }, undefined, () => now);
    const request = await allowed(gateway);
    const token = `${gateway.issuer}/api/mcp/oauth/token`;
    let { body } = await postForm(token, request);
    for (let day = 21; day <= days; day += 21) {
      now = start + day * DAY_MS;
      const form = {
        grant_type: 'refresh_token',
        refresh_token: body.refresh_token ?? '',
        client_id: request.client_id ?? '',
      };
      const answer = await postForm(token, form);
      if (answer.status !== 200) {
        expect(answer.body.error).toBe('invalid_grant');
        return day;
      }
      ({ body } = answer);
    }
    return Number.POSITIVE_INFINITY;
  };

  test('expires a year after its user allowed it', async () => {
    expect(await refreshUntil({}, 420)).toBe(378);
  });

  test('expires after MAX_GRANT_DAYS, and never if that is 0', async () => {
    expect(await refreshUntil({ MAX_GRANT_DAYS: '30' }, 60)).toBe(42);
    await gateway.close();
    expect(await refreshUntil({ MAX_GRANT_DAYS: '0' }, 420)).toBe(Number.POSITIVE_INFINITY);
  });

  test('expires for grants from before the setting too', async () => {
    now = Date.now();
    gateway = await startOAuthGateway({ REFRESH_HOLD_MS: '0', MAX_GRANT_DAYS: '10' }, undefined, () => now);
    const request = await allowed(gateway);
    const token = `${gateway.issuer}/api/mcp/oauth/token`;
    const { body } = await postForm(token, request);
    await gateway.store.db.updateTable('oauth_grants').set({ ends_at: null }).execute();
    await gateway.store.db
      .updateTable('refresh_tokens')
      .set({ expires_at: now + 30 * DAY_MS })
      .execute();
    now += 10 * DAY_MS;
    const form = {
      grant_type: 'refresh_token',
      refresh_token: body.refresh_token ?? '',
      client_id: request.client_id ?? '',
    };
    const answer = await postForm(token, form);
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
  });
});
