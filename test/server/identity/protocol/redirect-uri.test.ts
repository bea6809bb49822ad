import { describe, expect, test } from 'vitest';
import {
  checkRegistrableRedirectUri,
  isLoopbackRedirectUri,
  isPrivateUseScheme,
  selectRedirectUris,
} from '../../../../server/identity/protocol/redirect-uri.ts';

const ADVICE = 'Use https, or http on localhost, 127.0.0.1 or [::1].';
const refusal = (reason: string, advice = ADVICE) =>
  expect.objectContaining({
    status: 400,
    code: 'invalid_redirect_uri',
    description: `A redirect URI ${reason}. ${advice}`,
  });
const LONGEST = `https://app.example/${'a'.repeat(1980)}`;

describe('a redirect URI', () => {
  test.each([
    'https://app.example/cb',
    'HTTPS://app.example/cb',
    'https://app.example:8443/cb?a=(b)&c=%20',
    LONGEST,
    'http://localhost/cb',
    'http://LOCALHOST',
    'http://localhost:1?a',
    'http://127.0.0.1:65535/',
    'http://[::1]:3000/cb',
    'com.example.app:/cb',
  ])('%s may be registered', (uri) => {
    expect(() => checkRegistrableRedirectUri(uri, ['com.example.app'])).not.toThrow();
  });

  test.each([
    [`${LONGEST}a`, 'is longer than 2000 characters'],
    ['https://app.example/cb#', 'has a fragment'],
    ['/cb', 'is not an absolute URI'],
    ['https://app.example/ü', 'is not an absolute URI'],
    ['https://app.example/a b', 'is not an absolute URI'],
    ['ühttps://app.example/', 'is not an absolute URI'],
    ['1https://app.example/', 'is not an absolute URI'],
    ['https:', 'is not an absolute URI'],
    [' https://app.example/', 'is not an absolute URI'],
    ['https://', 'is not an absolute URI'],
    ['https://user@app.example/', 'names a user'],
    ['https://:secret@app.example/', 'names a user'],
    ['https:app.example/cb', 'has no host'],
    ['https:///app.example/cb', 'has no host'],
    ['https:/app.example/https://app.example/', 'has no host'],
    ['https://?app.example', 'is not an absolute URI'],
    ...['javascript', 'data', 'vbscript', 'file', 'filesystem', 'blob', 'about', 'view-source', 'intent'].map(
      (scheme) => [`${scheme}:x`, 'has a scheme that no client may use'],
    ),
    ['http://app.example/cb', 'is http, but not on localhost'],
    ['http://localhost.evil.example/', 'is http, but not on localhost'],
    ['http://127.0.0.1.evil.example/', 'is http, but not on localhost'],
    ['http://evil.example/http://localhost/', 'is http, but not on localhost'],
    ['com.example.other:/cb', 'has a scheme that is not accepted'],
  ])('%s cannot be registered: it %s', (uri, reason) => {
    expect(() => checkRegistrableRedirectUri(uri, ['com.example.app'])).toThrow(refusal(reason));
  });

  test.each([
    'http',
    'https',
    'ws',
    'wss',
    'ftp',
    'mailto',
    'tel',
    'urn',
    'data',
    'A',
    'a',
    '1a',
    'a_b',
    'ab/',
    `a${'b'.repeat(64)}`,
  ])('%s is not a private-use scheme, whatever the settings', (scheme) => {
    expect(isPrivateUseScheme(scheme)).toBe(false);
  });

  test.each(['ab', 'com.example.app', 'a+b-c.1', `a${'b'.repeat(63)}`])('%s is a private-use scheme', (scheme) => {
    expect(isPrivateUseScheme(scheme)).toBe(true);
  });

  test.each([
    ['http://localhost:3000/cb', true],
    ['http://localhost:123456/cb', false],
    ['https://localhost/cb', false],
    ['http://localhost:1/', true],
    ['http://localhostx/', false],
  ])('%s is a loopback address: %s', (uri, want) => {
    expect(isLoopbackRedirectUri(uri)).toBe(want);
  });
});

describe('several redirect URIs', () => {
  test('are each accepted once, or dropped with the reason', () => {
    const uris = ['https://a.example/', 'https://a.example/', 'http://b.example/', 'https://c.example/'];
    expect(selectRedirectUris(uris, [], { isAllowed: (uri) => uri !== 'https://c.example/' })).toEqual({
      accepted: ['https://a.example/'],
      dropped: [
        { redirectUri: 'http://b.example/', reason: 'is http, but not on localhost' },
        { redirectUri: 'https://c.example/', reason: 'has a host that this gateway does not allow' },
      ],
    });
    expect(selectRedirectUris([], [])).toEqual({ accepted: [], dropped: [] });
    const known = ['https://a.example/', 'cursor://anysphere.cursor-mcp/oauth/callback'];
    expect(selectRedirectUris(known, [])).toEqual({ accepted: known, dropped: [] });
  });

  test('are dropped after the most that a client may have', () => {
    const uris = ['https://a.example/', 'http://b.example/', 'https://c.example/', 'https://d.example/'];
    expect(selectRedirectUris(uris, [], { most: 2 })).toEqual({
      accepted: ['https://a.example/', 'https://c.example/'],
      dropped: [
        { redirectUri: 'http://b.example/', reason: 'is http, but not on localhost' },
        { redirectUri: 'https://d.example/', reason: 'comes after 2 others, the most that a client may have' },
      ],
    });
  });

  test('are refused if none is accepted, or one is malformed', () => {
    const others = ['http://b.example/', 'https://c.example/'];
    expect(() => selectRedirectUris(others, [], { isAllowed: () => false })).toThrow(
      refusal('is http, but not on localhost'),
    );
    expect(() => selectRedirectUris(['https://a.example/', 'data:x'], [])).toThrow(
      refusal('has a scheme that no client may use'),
    );
    expect(() => selectRedirectUris(['https://c.example/'], [], { isAllowed: () => false })).toThrow(
      refusal('has a host that this gateway does not allow', 'Ask the people who run this gateway to allow it.'),
    );
  });
});
