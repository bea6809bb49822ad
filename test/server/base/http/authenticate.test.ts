import { describe, expect, test } from 'vitest';
import { readBearer } from '../../../../server/base/http/authenticate.ts';

describe('the access token of a request (RFC 6750 §2)', () => {
  test.each([
    ['Bearer abc', 'abc'],
    ['bEARER  abc ', 'abc'],
    ['Bearer aZ09._~+/-==', 'aZ09._~+/-=='],
  ])('%j has the token %s', (authorization, token) => {
    expect(readBearer(authorization, '')).toEqual({ kind: 'token', token });
    expect(readBearer(authorization, 'token=x&access=y')).toEqual({ kind: 'token', token });
  });

  test.each(['', ' ', 'Bearer', 'Bearer ', 'Basic abc', 'Bearerabc', 'abc'])('%j has none', (authorization) => {
    expect(readBearer(authorization, '')).toEqual({ kind: 'none' });
  });

  test.each(['Bearer a b', 'Bearer =', 'Bearer a=b', 'Bearer "abc"', 'Bearer abc,', 'Bearer ,abc'])(
    '%j is malformed',
    (authorization) => {
      const reason = 'The Authorization header is not of the form "Bearer <token>".';
      expect(readBearer(authorization, '')).toEqual({ kind: 'malformed', reason });
    },
  );

  test.each(['access_token=x', 'a=b&access_token', '%61ccess_token=x'])('in the query %j is malformed', (query) => {
    const reason = 'Send the access token in the Authorization header, not in the query string.';
    for (const authorization of ['', 'Bearer abc']) {
      expect(readBearer(authorization, query)).toEqual({ kind: 'malformed', reason });
    }
  });
});
