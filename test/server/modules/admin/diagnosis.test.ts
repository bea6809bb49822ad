import { describe, expect, test } from 'vitest';
import type { ConnectionStatus } from '../../../../server/base/store/schema.ts';
import { createCatalogue } from '../../../../server/call/tools/catalogue/catalogue.ts';
import { findCauses, type Situation } from '../../../../server/modules/admin/pages/diagnosis.ts';
import { buildTimeline } from '../../../../server/modules/admin/pages/timeline.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

const RESOURCE = 'https://tools.example.com/api/mcp/unified';
const NOW = Date.UTC(2030, 0, 15, 12);
const HOUR_MS = 3_600_000;

const catalogue = createCatalogue([
  fakeConnector({ tools: [fakeTool({ name: 'library_find' }), fakeTool({ name: 'library_burn', method: 'DELETE' })] }),
  fakeConnector({ name: 'archive', title: 'Archive', tools: [fakeTool({ name: 'archive_burn', method: 'DELETE' })] }),
]);

function connection(service: string, status: ConnectionStatus) {
  const unknown = {
    sealedCredential: null,
    account: null,
    credentialType: null,
    accountName: null,
    accountIdentity: null,
    number: 1,
  };
  return { id: service, userId: 'u', service, status, ...unknown, createdAt: 1, updatedAt: 1 };
}

function token(changes: Partial<Situation['tokens'][number]> = {}): Situation['tokens'][number] {
  return {
    id: 't',
    tokenHash: 'h',
    grantExpiresAt: null,
    scopes: ['tools:read', 'tools:write'],
    services: null,
    resource: RESOURCE,
    createdAt: NOW - HOUR_MS / 2,
    expiresAt: NOW + HOUR_MS / 2,
    revokedAt: null,
    grantId: 'g',
    permission: null,
    clientId: 'c',
    clientName: 'Helper',
    ...changes,
  };
}

function causesOf(changes: Partial<Situation>): string[] {
  const situation: Situation = {
    partner: { services: null, suspendedAt: null },
    connections: [connection('library', 'active')],
    unredeemed: [],
    tokens: [token()],
    catalogue,
    resource: RESOURCE,
    now: NOW,
    ...changes,
  };
  return findCauses(situation).map(({ kind, text }) => `${kind}: ${text}`);
}

describe('"Connected, but why no tools?"', () => {
  test.each<[string, Partial<Situation>, readonly string[]]>([
    ['all is well', {}, ['good: Library is connected: 2 tools.', 'good: “Helper” (unverified name) sees 2 tools now.']],
    [
      'the partner is suspended',
      { partner: { services: null, suspendedAt: 1 } },
      [
        'bad: The partner is suspended: every request of its users is refused.',
        'good: Library is connected: 2 tools.',
        'bad: “Helper” (unverified name) sees 0 tools now.',
      ],
    ],
    [
      'the partner no longer offers the service',
      { partner: { services: ['crm'], suspendedAt: null } },
      [
        'bad: Library is connected, but the partner may not offer it: its tools are not listed, and calls say so.',
        'bad: “Helper” (unverified name) sees 0 tools now. Ask below why it lacks a tool.',
      ],
    ],
    [
      'nothing is connected',
      { connections: [] },
      [
        'bad: No service is connected, so every list of tools is empty.',
        'bad: “Helper” (unverified name) sees 0 tools now. Ask below why it lacks a tool.',
      ],
    ],
    [
      'the partner has not redeemed the code',
      { connections: [], unredeemed: ['library'], tokens: [] },
      [
        'bad: The user completed a connect flow for Library, but the partner has not exchanged its code at POST /api/oauth/token. Until it does, the connection is not used.',
        'bad: No service is connected, so every list of tools is empty.',
        'bad: No client has an access token for this user: no one has completed the consent page or exchanged a code.',
      ],
    ],
    [
      'an upstream refused the credential',
      { connections: [connection('library', 'attention')] },
      [
        'warn: Library refused the credential: its tools are listed, and calls answer that the user must connect again.',
        'good: “Helper” (unverified name) sees 2 tools now.',
      ],
    ],
    [
      'the connector is gone',
      { connections: [connection('gone', 'active')] },
      [
        'bad: gone is connected, but this gateway has no connector of that name.',
        'bad: “Helper” (unverified name) sees 0 tools now. Ask below why it lacks a tool.',
      ],
    ],
    [
      'the token expired',
      { tokens: [token({ expiresAt: NOW })] },
      [
        'good: Library is connected: 2 tools.',
        'bad: No access token is valid: the latest expired, and its client has not fetched another. Clients then get 401, and many show an empty list.',
      ],
    ],
    [
      'the token was revoked',
      { tokens: [token({ revokedAt: NOW - 1 })] },
      [
        'good: Library is connected: 2 tools.',
        'bad: No access token is valid: the latest was revoked, and its client has not fetched another. Clients then get 401, and many show an empty list.',
      ],
    ],
    [
      'the token is for another gateway',
      { tokens: [token({ resource: 'https://old.example.com/api/mcp/unified' })] },
      [
        'good: Library is connected: 2 tools.',
        'bad: “Helper” (unverified name) has a token for https://old.example.com/api/mcp/unified, which this gateway refuses.',
      ],
    ],
    [
      'the token is narrowed to something else',
      { tokens: [token({ services: ['archive'] })] },
      [
        'good: Library is connected: 2 tools.',
        'bad: “Helper” (unverified name) sees 0 tools now (narrowed to archive). Its limits exclude everything that is connected.',
      ],
    ],
    [
      'the token may only read, and every tool writes',
      { connections: [connection('archive', 'active')], tokens: [token({ scopes: ['tools:read'], grantId: null })] },
      [
        'good: Archive is connected: 1 tools.',
        'bad: A token minted for testing sees 0 tools now (read-only). Its limits exclude everything that is connected.',
      ],
    ],
  ])('if %s', (_, given, want) => {
    expect(causesOf(given)).toEqual(want);
  });
});

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
      tokens: [token({ expiresAt: NOW - 5 }), token()],
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
