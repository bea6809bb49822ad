/**
 * The gateway as an OAuth client of upstreams: what it sends to their authorization servers, and which answers it
 * trusts.
 */

import type { Requirement } from './requirement.ts';

export const UPSTREAMS = [
  {
    id: 'rfc6749-4.1.1-upstream',
    source: 'RFC 6749 §4.1.1',
    behaviour:
      'An authorization request has the client, its callback, a state, and each scope that the tools need once.',
  },
  {
    id: 'rfc6749-4.1.1-upstream-own',
    source: 'RFC 6749 §4.1.1',
    behaviour: 'What a connector adds to an authorization request replaces none of the parameters of the gateway.',
  },
  {
    id: 'rfc6749-10.12-upstream-state',
    source: 'RFC 6749 §10.12',
    behaviour: 'An answer counts only in the browser that began, for the time of a sign-in.',
  },
  {
    id: 'rfc7636-4.1-upstream-verifier',
    source: 'RFC 7636 §4.1, §7.1',
    behaviour: 'Each authorization request has a code verifier of its own, of 256 random bits.',
  },
  {
    id: 'rfc7636-4.2-upstream-s256',
    source: 'RFC 7636 §4.2, §4.3',
    behaviour: 'The challenge is the SHA-256 of the verifier, and the request says `S256`.',
  },
  {
    id: 'rfc7636-4.5-upstream',
    source: 'RFC 7636 §4.5',
    behaviour: 'The verifier travels with the code, and with nothing before it.',
  },
  {
    id: 'rfc6749-4.1.3-upstream',
    source: 'RFC 6749 §4.1.3',
    behaviour: 'A code is exchanged with the redirect URI of its request.',
  },
  {
    id: 'rfc6749-2.3.1-upstream',
    source: 'RFC 6749 §2.3.1',
    behaviour: 'Id and secret of a client are form-encoded before they are put into a Basic header.',
  },
  {
    id: 'rfc6749-4.4-upstream',
    source: 'RFC 6749 §4.4',
    behaviour:
      'Where nobody signs in, the gateway gets a token with its client, and another one without a refresh token.',
  },
  {
    id: 'rfc9207-2.4-upstream-issuer',
    source: 'RFC 9207 §2.4',
    behaviour: 'Where the issuer is known, an answer that names another, or none, is refused before its code is used.',
  },
  {
    id: 'rfc9700-2.1-upstream-redirect',
    source: 'RFC 9700 §2.1',
    behaviour: 'The redirect URI is one fixed address for each service, the same in both requests.',
  },
  {
    id: 'rfc9700-4.4.2-upstream-callback',
    source: 'RFC 9700 §4.4.2.2',
    behaviour: 'Each service has a callback of its own, and an answer at that of another service is refused.',
  },
  {
    id: 'rfc6749-6-upstream-kept',
    source: 'RFC 6749 §6',
    behaviour: 'A refresh token stays where the answer to a refresh names no other.',
  },
  {
    id: 'rfc6749-6-upstream-stored',
    source: 'RFC 6749 §6',
    behaviour: 'A new refresh token is stored before the access token that came with it is sent.',
  },
  {
    id: 'rfc9700-4.14.2-upstream-once',
    source: 'RFC 9700 §4.14.2',
    behaviour: 'A refresh token is sent once, however many calls in however many gateways need its answer.',
  },
  {
    id: 'rfc9700-4.14.2-upstream-lost',
    source: 'RFC 9700 §4.14.2',
    behaviour:
      'Where an answer with a rotated token was lost for good, the connection needs attention, and the partner hears of it.',
  },
  {
    id: 'rfc6749-5.2-upstream-invalid-grant',
    source: 'RFC 6749 §5.2',
    behaviour: 'An `invalid_grant` for a refresh token asks for the user, and no other error does.',
  },
  {
    id: 'rfc6749-10.3-upstream-elsewhere',
    source: 'RFC 6749 §10.3, §10.4',
    behaviour: 'No redirect of a token endpoint leads a refresh token or a client secret to another host.',
  },
  {
    id: 'rfc6750-2.1-upstream',
    source: 'RFC 6750 §2.1',
    behaviour: 'The access token is sent to the upstream in the `Authorization` header, with the scheme Bearer.',
  },
  {
    id: 'rfc7009-2.1-upstream',
    source: 'RFC 7009 §2.1',
    behaviour: 'Tokens of a connection that was removed are revoked at the upstream, the refresh token first.',
  },
] as const satisfies readonly Requirement[];
