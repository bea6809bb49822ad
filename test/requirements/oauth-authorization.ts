/**
 * The authorization endpoint and its consent page: what a request must contain, what the user is asked, and how the
 * client is answered.
 */

import type { Requirement } from './requirement.ts';

export const AUTHORIZATION = [
  { id: 'rfc6749-3.1-get', source: 'RFC 6749 §3.1', behaviour: 'The authorization endpoint answers GET.' },
  { id: 'rfc6749-3.1-empty', source: 'RFC 6749 §3.1', behaviour: 'A parameter without a value counts as left out.' },
  { id: 'rfc6749-3.1-unknown', source: 'RFC 6749 §3.1', behaviour: 'Parameters that are not known are ignored.' },
  { id: 'rfc6749-3.1-repeated', source: 'RFC 6749 §3.1', behaviour: 'A parameter that is there twice is refused.' },
  {
    id: 'rfc6749-3.1.1-response-type',
    source: 'RFC 6749 §3.1.1',
    behaviour: 'A response type that is missing is `invalid_request`, an unknown one `unsupported_response_type`.',
  },
  {
    id: 'rfc6749-3.1.2-query-kept',
    source: 'RFC 6749 §3.1.2',
    behaviour: 'A query that the redirect URI has is kept in the answer.',
  },
  {
    id: 'rfc6749-3.1.2.4-no-redirect',
    source: 'RFC 6749 §3.1.2.4',
    behaviour: 'A redirect URI that is missing or not registered is shown to the person, and nothing is sent there.',
  },
  {
    id: 'rfc6749-4.1.2.1-client',
    source: 'RFC 6749 §4.1.2.1',
    behaviour: 'A client that is missing or unknown is reported to the person, and nothing is sent anywhere.',
  },
  {
    id: 'rfc6749-4.1.2.1-errors',
    source: 'RFC 6749 §4.1.2.1',
    behaviour:
      'Every other refusal goes to the redirect URI with `error` and `state`, of a client that somebody allowed before.',
  },
  {
    id: 'rfc6749-4.1.2.1-description',
    source: 'RFC 6749 §4.1.2.1',
    behaviour: '`error_description` holds printable ASCII without quotes and backslashes.',
  },
  {
    id: 'rfc6749-4.1.2.1-access-denied',
    source: 'RFC 6749 §4.1.2.1',
    behaviour: 'Deny and Cancel are reported to the client as `access_denied`.',
  },
  { id: 'rfc6749-4.1.2-state', source: 'RFC 6749 §4.1.2', behaviour: 'The client gets its `state` back as it was.' },
  { id: 'rfc6749-3.3-default', source: 'RFC 6749 §3.3', behaviour: 'A request without a scope asks for all of them.' },
  {
    id: 'rfc6749-3.3-unknown',
    source: 'RFC 6749 §3.3',
    behaviour: 'Scopes that the gateway does not have are ignored, and the token answer names what was granted.',
  },
  {
    id: 'rfc6749-3.3-narrowed',
    source: 'RFC 6749 §3.3',
    behaviour: 'A person may grant less than was asked for, and the token answer says what was granted.',
  },
  {
    id: 'rfc6749-10.12-csrf',
    source: 'RFC 6749 §10.12',
    behaviour: 'Nothing is granted by a form that is not of the page that this browser was shown.',
  },
  {
    id: 'rfc6749-10.13-clickjacking',
    source: 'RFC 6749 §10.13, RFC 9700 §4.16',
    behaviour: 'The consent page cannot be framed.',
  },
  {
    id: 'rfc6749-10.10-guessing',
    source: 'RFC 6749 §10.10',
    behaviour:
      'Connection codes cannot be guessed: wrong ones are counted per request and per address, and all are answered alike.',
  },
  {
    id: 'rfc7636-4.3-required',
    source: 'RFC 7636 §4.3, RFC 9700 §2.1.1',
    behaviour: 'A request without a code challenge is refused, whatever the client.',
  },
  {
    id: 'rfc7636-4.2-s256',
    source: 'RFC 7636 §4.2, RFC 9700 §2.1.1',
    behaviour: 'Only the method S256 is accepted: `plain` is refused, and so is no method, which means `plain`.',
  },
  {
    id: 'rfc7636-4.2-form',
    source: 'RFC 7636 §4.2',
    behaviour: 'A code challenge that is no SHA-256 hash in base64url without padding is refused.',
  },
  {
    id: 'rfc7636-4.4.1-error',
    source: 'RFC 7636 §4.4.1',
    behaviour: 'What is wrong with the challenge is reported to the client as `invalid_request`.',
  },
  {
    id: 'rfc9700-2.1-exact',
    source: 'RFC 9700 §2.1, §4.1.3',
    behaviour: 'Redirect URIs are compared as text, character by character.',
  },
  {
    id: 'rfc9700-4.11-no-open-redirector',
    source: 'RFC 9700 §4.11',
    behaviour: 'No request makes the gateway lead a browser to an address that nobody registered.',
  },
  {
    id: 'rfc9700-4.11.2-unknown-client',
    source: 'RFC 9700 §4.11.2',
    behaviour:
      'A mistake in the request of a client that nobody ever allowed is a page: until a person decides, no browser is led to it.',
  },
  {
    id: 'rfc9700-4.12-status',
    source: 'RFC 9700 §4.12',
    behaviour: 'The redirect after a form is 303, so that the form does not travel along.',
  },
  {
    id: 'rfc9700-4.2.4-referrer',
    source: 'RFC 9700 §4.2.4',
    behaviour: 'The consent page sends no Referer, and loads nothing from elsewhere.',
  },
  {
    id: 'rfc9700-4.2.4-not-kept',
    source: 'RFC 9700 §4.2.4, §4.3.1',
    behaviour: 'Pages and redirects are not kept by browsers.',
  },
  {
    id: 'rfc8252-7.3-any-port',
    source: 'RFC 8252 §7.3',
    behaviour: 'Of a redirect URI on the loopback interface the port is not compared.',
  },
  {
    id: 'rfc8252-7.3-addresses',
    source: 'RFC 8252 §7.3',
    behaviour: 'Both 127.0.0.1 and [::1] are loopback, and localhost as well (§8.3).',
  },
  {
    id: 'rfc8252-7.3-rest',
    source: 'RFC 8252 §7.3',
    behaviour: 'Everything but the port of a loopback redirect URI is compared.',
  },
  {
    id: 'rfc8252-7.1-private-use',
    source: 'RFC 8252 §7.1',
    behaviour: 'An answer can go to a private-use scheme that the operator allows.',
  },
  { id: 'rfc9207-2-success', source: 'RFC 9207 §2', behaviour: 'An answer with a code carries the issuer in `iss`.' },
  { id: 'rfc9207-2-error', source: 'RFC 9207 §2', behaviour: 'An answer with an error carries the issuer in `iss`.' },
  {
    id: 'rfc9207-2.4-comparable',
    source: 'RFC 9207 §2.4',
    behaviour: '`iss` is identical to the issuer of the metadata, so that a client can refuse every other.',
  },
  {
    id: 'rfc8707-2-foreign',
    source: 'RFC 8707 §2',
    behaviour: 'A resource that is not the MCP endpoint is `invalid_target`.',
  },
  { id: 'rfc8707-2-fragment', source: 'RFC 8707 §2', behaviour: 'A resource with a fragment is `invalid_target`.' },
  { id: 'rfc8707-2-repeated', source: 'RFC 8707 §2', behaviour: '`resource` may be repeated, and every value counts.' },
  { id: 'rfc8707-2-absent', source: 'RFC 8707 §2', behaviour: 'Without a resource, the MCP endpoint is meant.' },
  {
    id: 'mcp-consent-client',
    source: 'MCP Security Best Practices, Consent UI',
    behaviour: 'The page says which client asks, and that no one has verified its name.',
  },
  {
    id: 'mcp-consent-destination',
    source: 'MCP Security Best Practices, Consent UI',
    behaviour: 'The page says where the answer goes.',
  },
  {
    id: 'mcp-consent-loopback',
    source: 'MCP 2026-07-28, Localhost Redirect URI Risks',
    behaviour: 'The page warns where the answer goes to a program on this computer.',
  },
  {
    id: 'mcp-consent-scopes',
    source: 'MCP Security Best Practices, Consent UI',
    behaviour: 'The page says what would be granted: whose services, and whether to write.',
  },
  {
    id: 'mcp-consent-cookie',
    source: 'MCP Security Best Practices, Cookie Security',
    behaviour: 'The cookie is `__Host-`, Secure, HttpOnly and SameSite where the gateway is on https.',
  },
  {
    id: 'mcp-consent-per-client',
    source: 'MCP Security Best Practices, Consent Storage',
    behaviour: 'What was allowed to one client is allowed to no other.',
  },
  {
    id: 'mcp-consent-each-time',
    source: 'MCP Security Best Practices, Confused Deputy Problem',
    behaviour: 'No request is granted without a person: the same client in the same browser is asked again.',
  },
  {
    id: 'mcp-consent-single-use',
    source: 'RFC 6749 §10.10',
    behaviour: 'Of any number of simultaneous uses of one connection code exactly one is granted.',
  },
  {
    id: 'rfc9700-2.6-no-cors',
    source: 'RFC 9700 §2.6',
    behaviour: 'No page of another origin can read what the authorization endpoint answers.',
  },
] as const satisfies readonly Requirement[];
