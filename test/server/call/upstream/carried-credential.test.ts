import { describe, expect, test } from 'vitest';
import { explainErrorAnswer } from '../../../../server/call/tools/results/upstream-errors.ts';
import { createUpstream } from '../../../../server/call/upstream/index.ts';
import type { CredentialPart } from '../../../../server/contract/index.ts';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';

const PARTS: readonly CredentialPart[] = [
  { id: 'user', type: 'bearer', label: 'User' },
  { id: 'team', type: 'header', label: 'Team', name: 'X-Team' },
  { id: 'key', type: 'query', label: 'Key', name: 'key' },
  { id: 'session', type: 'cookie', label: 'Session', name: 'sid' },
];
const FIELDS = { user: 'secret-user', team: 'secret-team', key: 'secret-key', session: 'secret-session' };

function prepare(credential: readonly (readonly string[])[] | undefined, isShown = false) {
  const tool = fakeTool({ name: 'shop_list', more: credential === undefined ? {} : { credential } });
  const connector = fakeConnector({ tools: [tool], parts: PARTS });
  const baseUrls = new Map([['library', new Map([['{library_base_url}', 'https://shop.example']])]]);
  const limits = { timeoutMs: 2000, maxResultBytes: 1000, userAgent: 'test' };
  const upstream = createUpstream({ baseUrls, ...limits, dispatcher: () => Promise.reject(new Error('no request')) });
  const request = upstream.prepare({ connector, tool, args: {}, fields: FIELDS, isShown });
  const { authorization, 'x-team': team, cookie } = request.outgoing.headers;
  return { sent: { authorization, team, cookie, query: request.credential.query }, request, tool, connector };
}

const NOTHING = { authorization: undefined, team: undefined, cookie: undefined, query: [] };

describe('a request of a tool', () => {
  test('carries every part of the connection unless the tool names fewer', () => {
    expect(prepare(undefined).sent).toEqual({
      authorization: 'Bearer secret-user',
      team: 'secret-team',
      cookie: 'sid=secret-session',
      query: [['key', 'secret-key']],
    });
  });

  test.each([false, true])('carries nothing of it if the tool names none, sent or shown', (isShown) => {
    expect(prepare([], isShown).sent).toEqual(NOTHING);
  });

  test('carries the first alternative that the connection has, and no part of another', () => {
    expect(prepare([['absent', 'user'], ['team'], ['user']]).sent).toEqual({ ...NOTHING, team: 'secret-team' });
    expect(prepare([['absent']]).sent).toEqual(NOTHING);
  });

  test('has every secret of the connection removed from its answer, also those that it does not carry', () => {
    const { redactor } = prepare([]).request.credential;
    for (const secret of Object.values(FIELDS)) expect(redactor.isIn(`It is ${secret}.`)).toBe(true);
  });
});

test('a refusal of a request without a credential says nothing against the connection', () => {
  const answer = { status: 401, header: () => null };
  const outcomeOf = ({ tool, connector }: ReturnType<typeof prepare>) =>
    explainErrorAnswer({ tool, connector, args: {} }, { answer, body: null }, 0).error;
  expect(outcomeOf(prepare(undefined)).code).toBe('credential_refused');
  expect(outcomeOf(prepare([]))).toMatchObject({
    code: 'connector_outdated',
    message: expect.stringContaining('The gateway sent no credential'),
  });
});
