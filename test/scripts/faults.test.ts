import { describe, expect, test } from 'vitest';
import type { Answer, Surface } from '../../scripts/lab/faults/ledger/answer-form.ts';
import { findFormProblem } from '../../scripts/lab/faults/ledger/answer-form.ts';
import { judge, type StoredState } from '../../scripts/lab/faults/ledger/judge.ts';
import { createLedger, digest, type Ledger, markOf } from '../../scripts/lab/faults/ledger/ledger.ts';
import { judgeExchanges } from '../../scripts/lab/faults/run.ts';

/** One of everything, all of it there. */
function createWorld(): { ledger: Ledger; stored: StoredState } {
  const ledger = createLedger();
  ledger.registrations.push('client-1');
  ledger.connections.push('ada mailer');
  ledger.tokens.push(
    { grant: { state: 'live' }, access: 'a1', refresh: 'r1' },
    { grant: { state: 'revoked' }, access: 'a2', refresh: 'r2' },
    { grant: { state: 'unsure' }, access: 'a3', refresh: 'r3' },
  );
  ledger.redeemed.push(
    { kind: 'authorization code', secret: 's1', answer: 'p1' },
    { kind: 'refresh token', secret: 's2', answer: 'p2' },
    { kind: 'refresh token', secret: 's2', answer: 'p2' },
  );
  const own = `${markOf('key-of-ada')}:1`;
  ledger.calls.push({ node: 0, answeredAt: 10_000, requestId: 'q1', expected: own, got: own });
  const stored: StoredState = {
    clients: new Set(['client-1']),
    connections: new Set(['ada mailer']),
    hashOf: (digest) => `hash of ${digest}`,
    access: new Map([
      ['hash of a1', { isRevoked: false }],
      ['hash of a2', { isRevoked: true }],
      ['hash of a3', { isRevoked: true }],
    ]),
    refresh: new Map([
      ['hash of r1', { grant: 'g1', isRevoked: false, isUsed: false }],
      ['hash of r2', { grant: 'g2', isRevoked: true, isUsed: false }],
      ['hash of r3', { grant: 'g3', isRevoked: true, isUsed: true }],
    ]),
    recorded: new Set(['q1']),
    audit: [],
  };
  return { ledger, stored };
}

describe("the ledger's judge", () => {
  test('finds nothing if nothing is lost', () => {
    const { ledger, stored } = createWorld();
    expect(judge(ledger, stored)).toEqual([]);
  });

  const revived = { isRevoked: false };
  test.each<[string, string, (ledger: Ledger, stored: StoredState) => StoredState]>([
    ['a lost registration', 'writes', (_, stored) => ({ ...stored, clients: new Set() })],
    ['a lost connection', 'writes', (_, stored) => ({ ...stored, connections: new Set() })],
    ['a lost token', 'writes', (_, stored) => ({ ...stored, access: new Map([...stored.access].slice(1)) })],
    [
      'a valid grant that was revoked',
      'writes',
      (_, stored) => ({ ...stored, access: new Map([...stored.access, ['hash of a1', { isRevoked: true }]]) }),
    ],
    [
      'a revoked token that works again',
      'writes',
      (_, stored) => ({ ...stored, access: new Map([...stored.access, ['hash of a2', revived]]) }),
    ],
    [
      'an authorization code that was used twice',
      'once',
      (ledger, stored) => {
        ledger.redeemed.push({ kind: 'authorization code', secret: 's1', answer: 'p3' });
        return stored;
      },
    ],
    [
      'a refresh token with two successors',
      'once',
      (ledger, stored) => {
        ledger.redeemed.push({ kind: 'refresh token', secret: 's2', answer: 'p3' });
        return stored;
      },
    ],
    [
      'a grant with two unused refresh tokens',
      'once',
      (_, stored) => ({
        ...stored,
        refresh: new Map([...stored.refresh, ['hash of r4', { grant: 'g1', isRevoked: false, isUsed: false }]]),
      }),
    ],
    [
      "another user's answer",
      'own',
      (ledger, stored) => {
        const expected = `${markOf('key-of-ada')}:2`;
        const got = `${markOf('key-of-eve')}:2`;
        ledger.calls.push({ node: 1, answeredAt: 10_000, requestId: 'q1', expected, got });
        return stored;
      },
    ],
    ['a call without a record', 'records', (_, stored) => ({ ...stored, recorded: new Set() })],
    ['a changed audit event', 'audit', (_, stored) => ({ ...stored, audit: ['BROKEN event 1.'] })],
  ])('finds %s', (_title, check, change) => {
    const { ledger, stored } = createWorld();
    const violations = judge(ledger, change(ledger, stored));
    expect(violations).toHaveLength(1);
    expect(violations[0]).toMatchObject({ check });
  });

  test('expects no record of the last moments before a kill, only of that node', () => {
    const { ledger, stored } = createWorld();
    const unrecorded = { ...stored, recorded: new Set<string>() };
    ledger.kills.push({ node: 1, at: 10_500 });
    expect(judge(ledger, unrecorded)).toHaveLength(1);
    ledger.kills.push({ node: 0, at: 20_000 });
    expect(judge(ledger, unrecorded)).toHaveLength(1);
    ledger.kills.push({ node: 0, at: 10_500 });
    expect(judge(ledger, unrecorded)).toEqual([]);
  });

  test('knows secrets only by their digest', () => {
    expect(digest('utg_rt_secret')).not.toContain('secret');
  });
});

describe('the form of an answer', () => {
  const answer = (status: number, text: string, headers: Answer['headers'] = {}): Answer => ({ status, text, headers });
  const retry = { 'retry-after': '5' };
  const unavailable = JSON.stringify({ error: 'temporarily_unavailable', error_description: 'Try again.' });
  const html = { 'content-type': 'text/html; charset=utf-8' };

  test.each<[string, Surface, Answer]>([
    ['an outage', 'machine', answer(503, unavailable, retry)],
    ['a refusal', 'machine', answer(400, '{"error":"invalid_grant","error_description":"Used."}')],
    ['tokens', 'machine', answer(200, '{"access_token":"x"}')],
    ['a result', 'mcp', answer(200, '{"jsonrpc":"2.0","id":1,"result":{}}')],
    ['an outage of MCP', 'mcp', answer(503, '{"jsonrpc":"2.0","id":null,"error":{"code":503}}', retry)],
    ['a refused token', 'mcp', answer(401, '', { 'www-authenticate': 'Bearer' })],
    ['a page', 'page', answer(503, '<html></html>', { ...html, ...retry })],
    ['a service that does not answer', 'page', answer(502, '<html></html>', html)],
    ['a redirect', 'page', answer(303, '', { location: '/next' })],
    ['a sealed value that looks like a database name', 'page', answer(200, '<html>x8-Pg_x9Qz</html>', html)],
  ])('of %s is accepted', (_title, surface, given) => {
    expect(findFormProblem(surface, given)).toBeNull();
  });

  test.each<[string, Surface, Answer]>([
    ['a 500', 'machine', answer(500, '{"error":"server_error","error_description":"x"}')],
    ['a 502', 'machine', answer(502, '{"error":"server_error","error_description":"x"}')],
    ['an outage without Retry-After', 'machine', answer(503, unavailable)],
    ['an outage with another error code', 'machine', answer(503, '{"error":"x","error_description":"x"}', retry)],
    ['text instead of JSON', 'machine', answer(400, 'Bad Request')],
    ['JSON instead of a page', 'page', answer(400, '{}')],
    ['a redirect to nowhere', 'page', answer(303, '')],
    ['an MCP error that is not JSON-RPC', 'mcp', answer(503, unavailable, retry)],
    ['a refused token without a challenge', 'mcp', answer(401, '{}')],
    ['a stack trace', 'page', answer(400, '<html>\n    at run (index.js:1:2)</html>', html)],
    ['a path', 'machine', answer(400, '{"error":"x","error_description":"/var/lib/gateway.sqlite"}')],
    ['SQL', 'machine', answer(400, '{"error":"x","error_description":"select id from users where id = 1"}')],
    ['a word of the database', 'mcp', answer(200, '{"jsonrpc":"2.0","result":"SQLITE_FULL"}')],
    ['a table of the database', 'machine', answer(400, '{"error":"x","error_description":"no rights on pg_authid"}')],
    ['an address behind the gateway', 'machine', answer(400, '{"error":"x","error_description":"10.99.0.2"}')],
  ])('of %s is rejected', (_title, surface, given) => {
    expect(findFormProblem(surface, given)).not.toBeNull();
  });
});

describe('the course of events', () => {
  const course = { killed: new Set([1]), struckAt: 100, wellAt: 200, isWell: true };
  const exchange = {
    node: 0,
    name: 'POST /x',
    startedAt: 150,
    endedAt: 160,
    status: 200,
    formProblem: null,
    failure: null,
  };

  test.each<[string, Partial<typeof exchange> | object, string[]]>([
    ['a success', {}, []],
    ['an outage during the fault', { status: 503 }, []],
    ['an outage before the fault', { status: 503, startedAt: 10, endedAt: 20 }, ['well']],
    ['an outage after recovery', { status: 503, startedAt: 210, endedAt: 220 }, ['well']],
    ['a wrong answer after recovery', { failure: 'refresh', startedAt: 210, endedAt: 220 }, ['well']],
    ['no answer of a node that was killed', { node: 1, status: null, failure: 'ECONNRESET' }, []],
    ['no answer of another node', { status: null, failure: 'ECONNRESET' }, ['form']],
    ['an answer in a wrong form', { status: 500, formProblem: '500' }, ['form']],
  ])('with %s', (_title, change, checks) => {
    expect(judgeExchanges([{ ...exchange, ...change }], course).map(({ check }) => check)).toEqual(checks);
  });
});
