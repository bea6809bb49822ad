import { describe, expect, test } from 'vitest';
import { buildTimeline } from '../../../../server/modules/admin/pages/timeline.ts';

const NOW = Date.UTC(2030, 0, 15, 12);

function token(expiresAt: number) {
  return {
    id: 't',
    tokenHash: 'h',
    grantExpiresAt: null,
    scopes: ['tools:read', 'tools:write'],
    services: null,
    resource: 'https://tools.example.com/api/mcp/unified',
    createdAt: NOW - 1_800_000,
    expiresAt,
    revokedAt: null,
    grantId: 'g',
    permission: null,
    clientId: 'c',
    clientName: 'Helper',
  };
}

describe('the timeline of a user', () => {
  const call = (at: number, outcome = 'ok', tool = 'library_find') => ({
    id: String(at),
    createdAt: at,
    tokenId: 't',
    service: 'library',
    tool,
    outcome,
    upstreamStatus: 200,
    upstreamCode: null,
    durationMs: 5,
    requestId: 'r',
  });

  test('sorts events, expired tokens and calls together, and groups successful calls', () => {
    const event = {
      id: 'e',
      createdAt: NOW - 50,
      type: 'connection_code_refused',
      partnerId: null,
      partnerClientId: null,
      userId: 'u',
      externalUserId: 'alice',
      clientId: null,
      clientName: null,
      grantId: null,
      address: '192.0.2.1',
      requestId: null,
      details: { attempts: 3, service: null },
    };
    const timeline = buildTimeline({
      events: [event],
      tokens: [token(NOW - 5), token(NOW + 1_800_000)],
      calls: [call(NOW - 1, 'timeout'), call(NOW - 10), call(NOW - 20, 'ok', 'library_burn'), call(NOW - 60)],
      now: NOW,
    });
    expect(timeline.map(({ kind, label, text, detail }) => [kind, label, text, detail])).toEqual([
      ['bad', 'call', 'Called library_find: timeout', '5 ms, upstream 200 · request r'],
      [
        'warn',
        'token',
        'An access token expired (of “Helper” (unverified name))',
        'From here on its client gets 401, until it refreshes.',
      ],
      ['good', 'call', '2 successful calls since 11:59:59 UTC', 'library_find, library_burn'],
      ['bad', 'event', 'Connection code refused', 'from 192.0.2.1 · attempts: 3'],
      ['good', 'call', 'Called library_find', '5 ms, upstream 200 · request r'],
    ]);
  });
});
