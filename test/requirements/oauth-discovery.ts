/** Discovery and the resource server: how a client finds the authorization server, and how it uses its tokens. */

import type { Requirement } from './requirement.ts';

export const DISCOVERY = [
  {
    id: 'rfc9728-2-resource',
    source: 'RFC 9728 §2',
    behaviour: '`resource` is the URL of the MCP endpoint, the same string everywhere.',
  },
  {
    id: 'rfc9728-2-authorization-servers',
    source: 'RFC 9728 §2',
    behaviour:
      '`authorization_servers` names the issuer of the authorization server, exactly as its own metadata does.',
  },
  {
    id: 'rfc9728-2-scopes',
    source: 'RFC 9728 §2',
    behaviour: '`scopes_supported` names the scopes that a client can ask for.',
  },
  {
    id: 'rfc9728-2-bearer-methods',
    source: 'RFC 9728 §2',
    behaviour: '`bearer_methods_supported` says that tokens travel in the header only.',
  },
  {
    id: 'rfc9728-3.1-location',
    source: 'RFC 9728 §3.1',
    behaviour: 'The metadata is at the well-known path that is put before the path of the resource.',
  },
  {
    id: 'rfc9728-3.2-json',
    source: 'RFC 9728 §3.2',
    behaviour: 'The metadata is answered with 200 as `application/json`.',
  },
  {
    id: 'rfc9728-3.2-no-empty-members',
    source: 'RFC 9728 §3.2',
    behaviour: 'Members without a value are left out: none is null, and no list is empty.',
  },
  {
    id: 'rfc9728-3.3-identical',
    source: 'RFC 9728 §3.3',
    behaviour: 'The `resource` of the metadata is identical to the URL that the client began with.',
  },
  {
    id: 'rfc9728-5.1-challenge',
    source: 'RFC 9728 §5.1',
    behaviour: 'The challenge of a 401 says in `resource_metadata` where the metadata is.',
  },
  { id: 'rfc8414-2-issuer', source: 'RFC 8414 §2', behaviour: 'The issuer is a URL without query and fragment.' },
  { id: 'rfc8414-2-endpoints', source: 'RFC 8414 §2', behaviour: 'The endpoints that the metadata names exist.' },
  {
    id: 'rfc8414-2-grant-types',
    source: 'RFC 8414 §2',
    behaviour: 'The grant types that the metadata names are those that the token endpoint knows.',
  },
  {
    id: 'rfc8414-2-response-types',
    source: 'RFC 8414 §2',
    behaviour: 'The response types that the metadata names are those that the authorization endpoint knows.',
  },
  {
    id: 'rfc8414-2-authentication-methods',
    source: 'RFC 8414 §2',
    behaviour: 'Every client authentication method that the metadata names works at the token endpoint.',
  },
  {
    id: 'rfc8414-2-pkce',
    source: 'RFC 8414 §2',
    behaviour: '`code_challenge_methods_supported` is there and names S256, without which MCP clients refuse.',
  },
  {
    id: 'rfc8414-3-location',
    source: 'RFC 8414 §3',
    behaviour: 'The metadata is at the root of the origin, because the issuer has no path.',
  },
  {
    id: 'rfc8414-3.2-json',
    source: 'RFC 8414 §3.2',
    behaviour: 'The metadata is answered with 200 as `application/json`.',
  },
  {
    id: 'rfc8414-3.2-no-empty-members',
    source: 'RFC 8414 §3.2',
    behaviour: 'Members without a value are left out: none is null, and no list is empty.',
  },
  {
    id: 'rfc8414-3.3-identical',
    source: 'RFC 8414 §3.3',
    behaviour: 'The `issuer` of the metadata is identical to the issuer that the client looked for.',
  },
  {
    id: 'rfc9207-3-advertised',
    source: 'RFC 9207 §3',
    behaviour: 'The metadata says that authorization responses carry `iss`.',
  },
  {
    id: 'mcp-discovery-root',
    source: 'MCP 2026-07-28, Protected Resource Metadata Discovery',
    behaviour: 'The metadata of the resource is at the root well-known path too.',
  },
  {
    id: 'mcp-discovery-next',
    source: 'MCP 2026-07-28, Authorization Server Metadata Discovery',
    behaviour: 'A well-known address where nothing is answers 404, so that a client tries the next one.',
  },
  {
    id: 'mcp-discovery-browser',
    source: 'MCP 2026-07-28, Authorization Server Discovery',
    behaviour: 'A client in a browser can read both documents, and any protocol version may be named.',
  },
  {
    id: 'mcp-no-offline-access',
    source: 'MCP 2026-07-28, Refresh Tokens',
    behaviour:
      'Neither the challenge nor the metadata of the resource names `offline_access`; the authorization server does.',
  },
  {
    id: 'mcp-url-is-enough',
    source: 'MCP 2026-07-28, Authorization Flow Steps',
    behaviour: 'A client that knows only the URL gets to a tool call.',
  },
  {
    id: 'rfc6750-2.1-header',
    source: 'RFC 6750 §2.1',
    behaviour: 'A token in the `Authorization` header is accepted, whatever the case of the scheme.',
  },
  { id: 'rfc6750-2.2-form', source: 'RFC 6750 §2.2', behaviour: 'A token in a form is not accepted.' },
  { id: 'rfc6750-2.3-query', source: 'RFC 6750 §2.3', behaviour: 'A token in the query string is refused.' },
  {
    id: 'rfc6750-3-challenge',
    source: 'RFC 6750 §3',
    behaviour: 'A request without a good token gets a challenge of the scheme Bearer.',
  },
  {
    id: 'rfc6750-3-quoting',
    source: 'RFC 6750 §3',
    behaviour: 'Parameters of a challenge hold nothing that would end a quoted string.',
  },
  {
    id: 'rfc6750-3.1-no-code',
    source: 'RFC 6750 §3.1',
    behaviour: 'The challenge of a request without credentials has no error code.',
  },
  {
    id: 'rfc6750-3.1-invalid-request',
    source: 'RFC 6750 §3.1',
    behaviour: 'Malformed credentials are 400 `invalid_request`.',
  },
  {
    id: 'rfc6750-3.1-invalid-token',
    source: 'RFC 6750 §3.1',
    behaviour: 'A token that is unknown, revoked or expired is 401 `invalid_token`.',
  },
  {
    id: 'rfc6750-3.1-insufficient-scope',
    source: 'RFC 6750 §3.1',
    behaviour: 'A token whose scopes do not suffice is 403 `insufficient_scope`, with the scopes that would.',
  },
  {
    id: 'mcp-token-every-request',
    source: 'MCP 2026-07-28, Token Requirements',
    behaviour: 'Every request needs a token of its own, also after others have been answered.',
  },
  {
    id: 'mcp-token-before-method',
    source: 'MCP 2026-07-28, Token Handling',
    behaviour: 'Requests of every method are authenticated, before anything else about them is refused.',
  },
  {
    id: 'mcp-token-audience',
    source: 'MCP 2026-07-28, Token Audience Binding and Validation',
    behaviour: 'A token that was issued for another resource is refused.',
  },
  {
    id: 'mcp-token-expiry',
    source: 'MCP 2026-07-28, Token Handling',
    behaviour: 'A token expires at its time, not before and not after.',
  },
  {
    id: 'mcp-token-no-passthrough',
    source: 'MCP 2026-07-28, Access Token Privilege Restriction',
    behaviour: 'The token of the client never travels to an upstream.',
  },
  {
    id: 'mcp-scope-challenge',
    source: 'MCP 2026-07-28, Scope Selection Strategy',
    behaviour: 'The challenge of a 401 names the scopes of everyday use, which clients then ask for.',
  },
  {
    id: 'mcp-scope-whole-operation',
    source: 'MCP 2026-07-28, Scope Challenge Handling',
    behaviour: 'The challenge of a 403 names every scope that the operation needs, those that the token has included.',
  },
  {
    id: 'mcp-scope-step-up',
    source: 'MCP 2026-07-28, Step-Up Authorization Flow',
    behaviour: 'After a 403 a client can get the scopes that it lacks, and go on.',
  },
  {
    id: 'mcp-scope-narrows-tools',
    source: 'MCP 2026-07-28, Tools',
    behaviour: 'A token that may only read does not list tools that write.',
  },
  {
    id: 'mcp-challenge-readable',
    source: 'MCP 2026-07-28, Protected Resource Metadata Discovery',
    behaviour: 'A page of an allowed origin can read the challenge.',
  },
  {
    id: 'mcp-scope-hierarchy',
    source: 'MCP 2026-07-28, Step-Up Authorization Flow',
    behaviour: 'A token that may write may read as well, although it does not say so.',
  },
  {
    id: 'mcp-token-not-logged',
    source: 'MCP 2026-07-28, Token Theft',
    behaviour: 'No token reaches the log, wherever a client puts it.',
  },
  {
    id: 'mcp-https',
    source: 'MCP 2026-07-28, Communication Security',
    behaviour: 'Every endpoint is https, except on this machine: other public addresses do not start.',
  },
] as const satisfies readonly Requirement[];
