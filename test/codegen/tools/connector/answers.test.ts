import { describe, expect, it } from 'vitest';
import type { ResponseModel } from '../../../../codegen/model/types.ts';
import { answer, build, buildOne, operation, service } from '../service.ts';

const empty = (status: string): ResponseModel => ({ status, headers: [], contents: [] });
const refusal = (status: string, ...headers: string[]): ResponseModel => ({ status, headers, contents: [] });
const THING = { type: 'object', properties: { id: { type: 'string' } } };

describe('a tool that may answer without content', () => {
  it.each<[string, readonly ResponseModel[], boolean]>([
    ['no success', [empty('404')], true],
    ['a success without content', [empty('204')], true],
    ['one with content and one without', [answer(THING), empty('204')], true],
    ['content that may be null', [answer({ anyOf: [THING, { type: 'null' }] })], true],
    ['content that may be null, of OpenAPI 3.0', [answer({ ...THING, type: ['object', 'null'] })], true],
    ['content', [answer(THING), empty('404')], false],
    ['content of any type', [answer({})], false],
    ['text', [answer({ type: 'string' }, '200', 'text/plain')], false],
  ])('is one whose operation declares %s: %#', (_title, responses, want) => {
    expect(buildOne({ responses }).tool.result.mayBeEmpty).toBe(want);
  });
});

describe('the headers of rate limits', () => {
  const limitsOf = (responses: readonly ResponseModel[], input = {}) =>
    build(service([operation({ responses })]), input).connector.rateLimitHeaders;

  it.each<[string, readonly ResponseModel[], unknown]>([
    ['none', [answer(THING), refusal('429', 'retry-after', 'x-request-id')], []],
    [
      'a reset and a remaining count',
      [refusal('429', 'x-ratelimit-limit-user-reset', 'x-ratelimit-limit-user-remaining')],
      [{ remaining: 'x-ratelimit-limit-user-remaining', reset: 'x-ratelimit-limit-user-reset' }],
    ],
    [
      'the names of several vendors',
      [refusal('429', 'ratelimit-reset', 'x-rate-limit-reset', 'x-ratelimit-reset-after', 'acme-ratelimit-reset')],
      [
        { reset: 'acme-ratelimit-reset' },
        { reset: 'ratelimit-reset' },
        { reset: 'x-rate-limit-reset' },
        { reset: 'x-ratelimit-reset-after' },
      ],
    ],
    ['those of a successful response', [{ ...answer(THING), headers: ['x-ratelimit-reset'] }], []],
  ])('are read from the descriptor: %s', (_title, responses, want) => {
    expect(limitsOf(responses)).toEqual(want);
  });

  it('of connector.yaml come first and are not repeated', () => {
    const responses = [refusal('429', 'x-ratelimit-org-reset', 'x-ratelimit-reset')];
    const rateLimitHeaders = [{ reset: 'X-RateLimit-Org-Reset', quota: true }];
    expect(limitsOf(responses, { rateLimitHeaders })).toEqual([
      { reset: 'x-ratelimit-org-reset', quota: true },
      { reset: 'x-ratelimit-reset' },
    ]);
  });
});
