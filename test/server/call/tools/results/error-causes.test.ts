import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { connectorConfigSchema } from '../../../../../codegen/load/connector-config.ts';
import { OUTCOMES } from '../../../../../server/call/tools/results/outcomes.ts';
import type {
  AnswerOutcome,
  Connector,
  ErrorRules,
  RateLimitHeaders,
  Tool,
} from '../../../../../server/contract/index.ts';
import { closeAfterEach } from '../../../../support/close-after-each.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import { answering, startHost } from '../../upstream/support.ts';
import { createFixture, errorOf } from '../support.ts';

const open = closeAfterEach();

interface Setting {
  readonly tool?: Tool;
  readonly others?: readonly Tool[];
  readonly errors?: Partial<ErrorRules>;
  readonly more?: Partial<Connector>;
}

const LISTING = fakeTool({ name: 'library_list_books', path: '/books' });

async function fail(listener: RequestListener, { tool = LISTING, others = [], errors = {}, more = {} }: Setting = {}) {
  const host = await startHost(listener);
  const connector = { ...fakeConnector({ tools: [tool, ...others], errors }), ...more };
  const fixture = createFixture({ origin: host.origin, connectors: [connector] });
  open.push(host, fixture);
  const result = await fixture.call(tool.name);
  return { error: errorOf(result), text: String(result.content[0]?.text), fixture };
}

describe('the headers of a rate limit', () => {
  const LIMITS: readonly RateLimitHeaders[] = [
    { remaining: 'x-limit-user-remaining', reset: 'x-limit-user-reset' },
    { remaining: 'x-limit-org-remaining', reset: 'x-limit-org-reset', quota: true },
  ];
  it.each<[string, Record<string, string>, number]>([
    ['seconds', { 'x-limit-user-reset': '37' }, 37],
    ['no seconds at all', { 'x-limit-user-reset': '0' }, 1],
    ['a date', { 'x-limit-user-reset': new Date(Date.now() + 3600_000).toISOString() }, 3600],
    ['a limit and a quota that are not used up', { 'x-limit-user-reset': '37', 'x-limit-org-reset': '9999' }, 37],
    ['Retry-After before all others', { 'retry-after': '5', 'x-limit-user-reset': '37' }, 5],
    ['a Retry-After of 0', { 'retry-after': '0' }, 1],
  ])('say how long to wait: %s', async (_title, headers, seconds) => {
    const host = answering(429, {}, headers);
    const tool = fakeTool({ name: 'library_list_books', path: '/books', method: 'POST' });
    const { error, text } = await fail(host, { tool, more: { rateLimitHeaders: LIMITS } });
    expect(error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(Math.abs((error.retryAfterSeconds ?? 0) - seconds)).toBeLessThanOrEqual(seconds > 1000 ? 60 : 0);
    expect(text).toMatch(/Wait \d+ seconds?, then call again\.$/);
    expect(text).not.toContain('Wait 0');
  });

  it.each<[string, Record<string, string>, string]>([
    [
      'that is used up, next to a limit that resets',
      { 'x-limit-org-remaining': '0', 'x-limit-org-reset': '1036800', 'x-limit-user-reset': '3', 'retry-after': '3' },
      '3 seconds',
    ],
    ['that is used up', { 'x-limit-org-remaining': '0', 'x-limit-org-reset': '1036800' }, '12 days'],
  ])('name a quota %s, for which waiting does not help', async (_title, headers, again) => {
    const { error, text } = await fail(answering(429, {}, headers), { more: { rateLimitHeaders: LIMITS } });
    expect(error).toMatchObject({ code: 'quota_exhausted', retryable: false, retryAfterSeconds: null });
    expect(text).toContain('waiting does not help');
    if (again === '12 days') expect(text).toContain('It starts again in 12 days.');
  });
});

describe("an upstream's own code", () => {
  it('may only be mapped to outcomes of the gateway', () => {
    const { errors } = connectorConfigSchema.shape;
    const { outcomes } = errors.unwrap().shape;
    const named: readonly AnswerOutcome[] = outcomes.unwrap().valueType.options;
    expect(OUTCOMES).toEqual(expect.arrayContaining([...named]));
  });

  const errors: Partial<ErrorRules> = {
    code: ['/fault/code'],
    inSuccess: '/fault',
    outcomes: { 'LIM*': 'rate_limited', LIM02: 'quota_exhausted', 'LIM1*': 'upstream_unavailable', PERM: 'forbidden' },
  };

  it.each([
    [200, 'LIM02', 'quota_exhausted', false],
    [429, 'LIM02', 'quota_exhausted', false],
    [200, 'LIM01', 'rate_limited', true],
    [400, 'LIM17', 'upstream_unavailable', true],
    [200, 'PERM', 'forbidden', false],
    [200, 'OTHER', 'request_refused', false],
    [404, 'OTHER', 'not_found', false],
    [404, 'toString', 'not_found', false],
  ])('of a %i, %s, becomes %s as the connector maps it', async (status, code, outcome, retryable) => {
    const { error } = await fail(answering(status, { fault: { code, message: 'No' } }), { errors });
    expect(error).toMatchObject({ code: outcome, retryable, status, upstreamCode: code });
  });
});

describe('a web page in place of an answer', () => {
  const PAGE = '<!DOCTYPE html><html><head><title>Access denied</title></head></html>';

  it.each([
    ['by its beginning', PAGE, 'application/json'],
    ['by its media type', '<head><title>Access denied</title></head>', 'text/html; charset=utf-8'],
  ])('is recognised %s, and the error does not blame the account', async (_title, page, type) => {
    const { error, text } = await fail(answering(403, page, { 'content-type': type }));
    expect(error).toMatchObject({
      code: 'forbidden',
      message:
        'Library answered 403 with a web page instead of an answer of its API. Its title, as data: "Access denied".',
    });
    expect(text).toContain('firewall or proxy in front of the API');
    expect(text).not.toContain('not allowed to do this');
  });

  it('of an intermediate gateway says when to call again', async () => {
    const { text } = await fail(answering(502, '<html><title>Bad Gateway</title>', { 'content-type': 'text/html' }));
    expect(text).toBe(
      'Library answered 502 with a web page instead of an answer of its API. Its title, as data: "Bad Gateway". Wait a little, then call again.',
    );
  });
});

describe('a conflict with something that exists', () => {
  const create = fakeTool({ name: 'library_create_card', path: '/cards', method: 'POST' });
  const upsert = fakeTool({ name: 'library_upsert_card', path: '/cards/upsert', method: 'POST' });
  const update = fakeTool({ name: 'library_update_card', path: '/cards/{id}', method: 'POST' });
  const others = [
    fakeTool({ name: 'library_delete_card', path: '/cards/{id}', method: 'DELETE' }),
    fakeTool({ name: 'library_get_card', path: '/cards/{id}' }),
    fakeTool({ name: 'library_lend_card', path: '/cards/{id}/lend', method: 'POST' }),
    update,
    upsert,
  ];

  it.each([
    [
      422,
      { code: 'resource_already_exists' },
      'It already exists: call library_upsert_card or library_update_card to change it.',
    ],
    [
      400,
      { message: 'A card with this name already exists.' },
      'It already exists: call library_upsert_card or library_update_card to change it.',
    ],
    [
      409,
      { message: 'Conflict' },
      'If it already exists, call library_upsert_card or library_update_card to change it.',
    ],
  ])('in a %i is answered with the tools that change it', async (status, body, advice) => {
    const { text } = await fail(answering(status, body), { tool: create, others });
    expect(text).toContain(advice);
  });

  it.each([
    [422, { message: 'The name is too long' }, 'Correct the arguments, then call again.'],
    [404, { message: 'The branch already exists' }, 'does not exist.'],
  ])('is not assumed for any other %i', async (status, body, end) => {
    const { text } = await fail(answering(status, body), { tool: create, others });
    expect(text.endsWith(end)).toBe(true);
  });

  it('is answered without a tool where the connector has none that changes it', async () => {
    const { text } = await fail(answering(409, {}), { tool: create });
    expect(text).toContain('read that state first.');
  });
});

describe('a version that the connector pins', () => {
  const tool = fakeTool({
    name: 'library_list_books',
    path: '/books',
    request: { header: { 'X-Library-Version': { constant: '2024-01-01' }, partition: 'partition' } },
  });

  it('and the upstream rejects is an error for the operator', async () => {
    const body = { errors: [{ message: "Unknown value of 'x-library-version'" }] };
    const { error, text, fixture } = await fail(answering(400, body), { tool });
    expect(error).toMatchObject({ code: 'connector_outdated', status: 400, retryable: false });
    expect(text).toContain('It refuses what the gateway itself sends: X-Library-Version: 2024-01-01.');
    expect(text).toContain('the operator of the gateway has to update its connector');
    expect(text).not.toContain('Correct the arguments');
    expect(fixture.faults).toEqual([{ kind: 'connector_outdated', tool: 'library_list_books' }]);
    expect(fixture.records).toMatchObject([{ outcome: 'connector_outdated' }]);
  });

  it.each([
    [400, 'The partition is wrong'],
    [404, 'X-Library-Version'],
    [500, 'X-Library-Version'],
  ])('is not blamed for a %i that says %s', async (status, message) => {
    const { error, fixture } = await fail(answering(status, { message }), { tool });
    expect(error.code).not.toBe('connector_outdated');
    expect(fixture.faults).toEqual([]);
  });
});
