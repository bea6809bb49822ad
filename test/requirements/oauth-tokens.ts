/** The token endpoint and revocation: what is exchanged for what, by which client, how often, and how tokens expire. */

import type { Requirement } from './requirement.ts';

export const TOKENS = [
  { id: 'rfc6749-3.2-post', source: 'RFC 6749 §3.2', behaviour: 'The token endpoint answers POST only.' },
  { id: 'rfc6749-3.2-form', source: 'RFC 6749 §3.2, §4.1.3', behaviour: 'The token endpoint reads forms only.' },
  { id: 'rfc6749-3.2-empty', source: 'RFC 6749 §3.2', behaviour: 'A parameter without a value counts as left out.' },
  { id: 'rfc6749-3.2-repeated', source: 'RFC 6749 §3.2', behaviour: 'A parameter that is there twice is refused.' },
  {
    id: 'rfc6749-2.3.1-basic',
    source: 'RFC 6749 §2.3.1',
    behaviour: 'A confidential client can authenticate with Basic.',
  },
  {
    id: 'rfc6749-2.3.1-body',
    source: 'RFC 6749 §2.3.1',
    behaviour: 'A confidential client can authenticate with parameters of the body.',
  },
  {
    id: 'rfc6749-2.3.1-encoding',
    source: 'RFC 6749 §2.3.1',
    behaviour: 'Id and secret of a Basic header are form-encoded first.',
  },
  { id: 'rfc6749-2.3.1-not-in-url', source: 'RFC 6749 §2.3.1', behaviour: 'Credentials in the URL do not count.' },
  {
    id: 'rfc6749-2.3-one-method',
    source: 'RFC 6749 §2.3',
    behaviour: 'A request that authenticates in two ways is refused.',
  },
  {
    id: 'rfc6749-3.2.1-confidential',
    source: 'RFC 6749 §3.2.1',
    behaviour: 'A confidential client gets nothing without its secret.',
  },
  { id: 'rfc6749-3.2.1-public', source: 'RFC 6749 §3.2.1', behaviour: 'A public client names itself by `client_id`.' },
  {
    id: 'rfc6749-4.1.2-lifetime',
    source: 'RFC 6749 §4.1.2',
    behaviour: 'An authorization code ends within ten minutes.',
  },
  {
    id: 'rfc6749-4.1.2-single-use',
    source: 'RFC 6749 §4.1.2',
    behaviour: 'Of any number of simultaneous uses of a code, in any number of processes, exactly one gets tokens.',
  },
  {
    id: 'rfc6749-4.1.2-replay',
    source: 'RFC 6749 §4.1.2',
    behaviour: 'A second use of a code revokes what the first one got.',
  },
  {
    id: 'rfc6749-4.1.3-client',
    source: 'RFC 6749 §4.1.3',
    behaviour: 'A code is valid for the client that it was issued to only.',
  },
  {
    id: 'rfc6749-4.1.3-redirect-uri',
    source: 'RFC 6749 §4.1.3',
    behaviour: '`redirect_uri` is identical to that of the authorization request.',
  },
  {
    id: 'oauth2.1-4.1.3-no-redirect-uri',
    source: 'OAuth 2.1 §4.1.3, §10.2',
    behaviour: 'A code with its proof key needs no `redirect_uri`.',
  },
  {
    id: 'rfc6749-4.1.3-required',
    source: 'RFC 6749 §4.1.3',
    behaviour: 'A parameter that is missing is `invalid_request`.',
  },
  {
    id: 'rfc6749-5.1-answer',
    source: 'RFC 6749 §5.1',
    behaviour: 'The answer is JSON with the token, its type, its lifetime in seconds and its scope.',
  },
  { id: 'rfc6749-5.1-no-store', source: 'RFC 6749 §5.1', behaviour: 'Answers with tokens are kept by nobody.' },
  {
    id: 'rfc6749-5.2-answer',
    source: 'RFC 6749 §5.2',
    behaviour: 'Refusals are 400 with `error` and `error_description` as JSON, and are not kept either.',
  },
  {
    id: 'rfc6749-5.2-invalid-client',
    source: 'RFC 6749 §5.2',
    behaviour: 'Wrong credentials are 401 `invalid_client`, with a challenge where a header was used.',
  },
  {
    id: 'rfc6749-5.2-invalid-grant',
    source: 'RFC 6749 §5.2',
    behaviour: 'A code or refresh token that is unknown is `invalid_grant`, after which clients ask the person again.',
  },
  {
    id: 'rfc6749-5.2-grant-type',
    source: 'RFC 6749 §5.2',
    behaviour: 'An unknown grant type is `unsupported_grant_type`.',
  },
  {
    id: 'rfc6749-5.2-registration-gone',
    source: 'RFC 6749 §5.2',
    behaviour: 'A client whose registration is gone gets `invalid_client`, after which it registers again.',
  },
  {
    id: 'rfc6749-6-client',
    source: 'RFC 6749 §6',
    behaviour: 'A refresh token is valid for the client that it was issued to only.',
  },
  {
    id: 'rfc6749-6-scope',
    source: 'RFC 6749 §6',
    behaviour: 'A refresh can ask for less than was granted, and never for more.',
  },
  { id: 'rfc6749-10.10-entropy', source: 'RFC 6749 §10.10', behaviour: 'Codes and tokens hold 256 random bits.' },
  {
    id: 'rfc6749-10.3-kept-as-hash',
    source: 'RFC 6749 §10.3, §10.4',
    behaviour: 'Tokens, codes and secrets are neither in the database nor in the log.',
  },
  {
    id: 'rfc7636-4.1-verifier',
    source: 'RFC 7636 §4.1',
    behaviour: 'A code verifier has 43 to 128 unreserved characters.',
  },
  {
    id: 'rfc7636-4.6-mismatch',
    source: 'RFC 7636 §4.6',
    behaviour: 'A code verifier that does not fit the challenge is `invalid_grant`.',
  },
  {
    id: 'rfc7636-b-example',
    source: 'RFC 7636 Appendix B',
    behaviour: 'The verifier and the challenge of the specification belong together.',
  },
  {
    id: 'rfc9700-2.1.1-downgrade',
    source: 'RFC 9700 §2.1.1',
    behaviour: 'A code whose request had a challenge is not exchanged without its verifier.',
  },
  {
    id: 'rfc9700-4.14.2-rotation',
    source: 'RFC 9700 §4.14.2',
    behaviour: 'A refresh gives a new refresh token, and the old one is invalid at once.',
  },
  {
    id: 'rfc9700-4.14.2-race',
    source: 'RFC 9700 §4.14.2',
    behaviour: 'Simultaneous refreshes, in any number of processes, give exactly one successor.',
  },
  {
    id: 'rfc9700-4.14.2-parallel',
    source: 'RFC 9700 §4.14.2',
    behaviour:
      'Refreshes that arrive before the successor is issued are one use of the token, and get the same tokens.',
  },
  {
    id: 'rfc9700-4.14.2-grace',
    source: 'RFC 9700 §4.14.2',
    behaviour: 'A replay within ten seconds fails with an error that no client takes for the end of its session.',
  },
  {
    id: 'rfc9700-4.14.2-replay',
    source: 'RFC 9700 §4.14.2',
    behaviour: 'A later replay of a refresh token revokes all tokens of its family.',
  },
  {
    id: 'rfc9700-4.14.2-idle',
    source: 'RFC 9700 §4.14.2',
    behaviour: 'A refresh token that is not used for thirty days expires.',
  },
  {
    id: 'rfc9700-4.14.2-bound',
    source: 'RFC 9700 §4.14.2',
    behaviour: 'Refreshed tokens keep the scopes and the resource that the person allowed.',
  },
  {
    id: 'rfc8707-2.2-foreign',
    source: 'RFC 8707 §2.2',
    behaviour: 'A token request for another resource is `invalid_target`.',
  },
  {
    id: 'rfc8707-2.2-audience',
    source: 'RFC 8707 §2.2',
    behaviour: 'An access token is for the MCP endpoint and for nothing else.',
  },
  { id: 'mcp-token-lifetime', source: 'MCP 2026-07-28, Token Theft', behaviour: 'Access tokens live for an hour.' },
  {
    id: 'rfc9700-2.6-token-browser',
    source: 'RFC 9700 §2.6',
    behaviour: 'A client in a browser can use the token endpoint.',
  },
  {
    id: 'rfc7009-2-post',
    source: 'RFC 7009 §2',
    behaviour: 'The revocation endpoint answers POST only, and reads forms only.',
  },
  {
    id: 'rfc7009-2.1-token',
    source: 'RFC 7009 §2.1',
    behaviour: 'A revocation without exactly one token is `invalid_request`.',
  },
  { id: 'rfc7009-2.1-hint', source: 'RFC 7009 §2.1', behaviour: 'A wrong hint, or an unknown one, does no harm.' },
  {
    id: 'rfc7009-2.1-credentials',
    source: 'RFC 7009 §2.1',
    behaviour: 'Credentials that come along are verified before anything ends.',
  },
  {
    id: 'rfc7009-2.1-confidential',
    source: 'RFC 7009 §2.1',
    behaviour: 'A token of a confidential client, or of a partner, is revoked with its credentials only.',
  },
  {
    id: 'rfc7009-2.1-public',
    source: 'RFC 7009 §2.1, §5',
    behaviour: 'A token of a public client is revoked by anyone who has it.',
  },
  { id: 'rfc7009-2.1-owner', source: 'RFC 7009 §2.1', behaviour: 'A client cannot end what was issued to another.' },
  {
    id: 'rfc7009-2.1-refresh-token',
    source: 'RFC 7009 §2.1',
    behaviour: 'Revoking a refresh token ends the access tokens of its grant.',
  },
  {
    id: 'rfc7009-2.1-access-token',
    source: 'RFC 7009 §2.1',
    behaviour: 'Revoking an access token ends that token, and leaves the refresh token good.',
  },
  {
    id: 'rfc7009-2.1-immediate',
    source: 'RFC 7009 §2.1',
    behaviour: 'A revoked token ends with the next request, on every gateway.',
  },
  {
    id: 'rfc7009-2.2-unknown',
    source: 'RFC 7009 §2.2',
    behaviour: 'A token that is unknown, revoked or expired is 200.',
  },
  {
    id: 'rfc7009-2.3-browser',
    source: 'RFC 7009 §2.3',
    behaviour: 'A client in a browser can use the revocation endpoint.',
  },
  {
    id: 'mcp-resource-letters',
    source: 'MCP 2026-07-28, Canonical Server URI',
    behaviour: 'Upper-case letters in scheme and host do not make another resource.',
  },
  {
    id: 'rfc7523-2.2-assertion',
    source: 'RFC 7523 §2.2',
    behaviour: 'A client proves itself with a signed assertion, in place of a secret.',
  },
  {
    id: 'rfc7523-2.2-client-id',
    source: 'RFC 7523 §2.2, RFC 7521 §4.2',
    behaviour: 'An assertion names its client; a client_id next to it must be the same.',
  },
  {
    id: 'rfc7523-2.2-required',
    source: 'RFC 7523 §2.2',
    behaviour: 'A client that registered a key must use it, and nobody else may.',
  },
  {
    id: 'rfc7523-3-claims',
    source: 'RFC 7523 §3, OpenID Connect Core §9',
    behaviour: 'An assertion has the client as issuer and subject, this server alone as audience, and a short life.',
  },
  {
    id: 'rfc7523-3-signature',
    source: 'RFC 7523 §3, RFC 8725 §3',
    behaviour: 'An assertion is signed with a key of its client, and is no JWT of another kind.',
  },
  {
    id: 'rfc7523-3-once',
    source: 'RFC 7523 §3',
    behaviour: 'An assertion is used once, on all nodes together.',
  },
] as const satisfies readonly Requirement[];
