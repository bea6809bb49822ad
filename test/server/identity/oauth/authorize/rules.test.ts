import { describe, expect, test } from 'vitest';
import { checkCodeChallenge } from '../../../../../server/identity/oauth/authorize/check-code-challenge.ts';
import { checkClientRedirectUri } from '../../../../../server/identity/oauth/authorize/check-redirect-uri.ts';

describe('the code challenge (PKCE, RFC 7636)', () => {
  const CHALLENGE = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';
  const check = (query: string) => checkCodeChallenge(new URLSearchParams(query));

  test('is returned as it was sent', () => {
    expect(check(`code_challenge=${CHALLENGE}&code_challenge_method=S256`)).toBe(CHALLENGE);
  });

  test.each([
    ['', 'code_challenge is missing: PKCE is required.'],
    ['code_challenge=&code_challenge_method=S256', 'code_challenge is missing: PKCE is required.'],
    [`code_challenge=${CHALLENGE}`, 'code_challenge_method must be S256.'],
    [`code_challenge=${CHALLENGE}&code_challenge_method=plain`, 'code_challenge_method must be S256.'],
    [`code_challenge=${CHALLENGE}&code_challenge_method=s256`, 'code_challenge_method must be S256.'],
    ...[CHALLENGE.slice(1), `${CHALLENGE}A`, `${CHALLENGE}=`, `${CHALLENGE.slice(1)}.`, `\n${CHALLENGE}`].map(
      (value) => [
        `${new URLSearchParams({ code_challenge: value, code_challenge_method: 'S256' })}`,
        'code_challenge is not the base64url form of a SHA-256 hash.',
      ],
    ),
  ])('%s: %s', (query, message) => {
    expect(() => check(query)).toThrow(
      expect.objectContaining({ code: 'invalid_request', description: message, redirectable: true }),
    );
  });
});

describe('the redirect URI of an authorization request', () => {
  const check = (sent: string | null, ...registered: string[]) =>
    checkClientRedirectUri(new URLSearchParams(sent === null ? {} : { redirect_uri: sent }), registered);

  test.each([
    ['https://app.example/cb', 'https://app.example/cb'],
    ['cursor://anysphere/cb', 'cursor://anysphere/cb'],
    ['http://localhost/cb', 'http://localhost:1/cb'],
    ['http://127.0.0.1:8080/cb?a=1', 'http://127.0.0.1:65535/cb?a=1'],
    ['http://[::1]:3000', 'http://[::1]'],
    ['http://localhost?a', 'http://localhost:80?a'],
  ])('registered as %s may be %s', (registered, sent) => {
    expect(check(sent, 'https://other.example/', registered)).toBe(sent);
  });

  test.each([
    ['https://app.example/cb', null],
    ['https://app.example/cb', ''],
    ['https://app.example/cb', 'https://app.example/cb/'],
    ['https://app.example/cb', 'https://app.example:8443/cb'],
    ['https://localhost/cb', 'https://localhost:1/cb'],
    ['http://app.example/cb', 'http://app.example:1/cb'],
    ['http://localhost/cb', 'http://127.0.0.1/cb'],
    ['http://localhost/cb', 'http://localhost:1/other'],
    ['http://localhost/cb', 'http://localhost:123456/cb'],
    ['http://localhost/cb', 'http://localhost:x/cb'],
    ['http://localhost', 'http://localhost.evil.example'],
    ['http://localhost/cb', 'xhttp://localhost:1/cb'],
    ['http://localhost/cb', 'http://localhost:1/cb\n'],
    ['app', 'app'],
  ])('registered as %s cannot be %j', (registered, sent) => {
    expect(() => check(sent, registered)).toThrow(
      expect.objectContaining({
        status: 400,
        title: 'Unknown return address',
        text: 'The application wants the answer at an address that it has not registered, so nothing was sent there.',
        advice: 'In that application, remove this server and add it again: it then registers again.',
      }),
    );
  });
});
