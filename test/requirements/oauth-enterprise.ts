/**
 * Enterprise-managed authorization: which assertions of an identity provider become tokens, for which user, and how
 * often.
 */

import type { Requirement } from './requirement.ts';

export const ENTERPRISE = [
  {
    id: 'mcp-ema-advertised',
    source: 'MCP Enterprise-Managed Authorization §6',
    behaviour: 'The metadata names the grant type and the grant profile `urn:ietf:params:oauth:grant-profile:id-jag`.',
  },
  {
    id: 'mcp-ema-confidential',
    source: 'MCP Enterprise-Managed Authorization §5, §7.5.1',
    behaviour: 'Only clients that authenticate exchange assertions; public ones are `unauthorized_client`.',
  },
  {
    id: 'mcp-ema-type',
    source: 'MCP Enterprise-Managed Authorization §5.1 (ID-JAG §4.4.1)',
    behaviour: 'A JWT whose type is not `oauth-id-jag+jwt` is refused.',
  },
  {
    id: 'mcp-ema-algorithms',
    source: 'MCP Enterprise-Managed Authorization §7.4.1',
    behaviour: 'Algorithms outside of a short list are refused: `none`, and every symmetric one.',
  },
  {
    id: 'mcp-ema-signature',
    source: 'MCP Enterprise-Managed Authorization §7.4.1',
    behaviour: 'An assertion that the key of its issuer did not sign is refused.',
  },
  {
    id: 'mcp-ema-key-rotation',
    source: 'MCP Enterprise-Managed Authorization §7.4.1',
    behaviour: 'An unknown key makes the gateway fetch the keys again, at most every 30 seconds.',
  },
  {
    id: 'mcp-ema-audience',
    source: 'MCP Enterprise-Managed Authorization §7.4.1, §7.6.2',
    behaviour: 'An assertion whose only audience is not the issuer of the metadata is `invalid_grant`.',
  },
  {
    id: 'mcp-ema-resource',
    source: 'MCP Enterprise-Managed Authorization §7.6.2',
    behaviour: 'An assertion for another resource is `invalid_grant`; one without a resource is for the only one.',
  },
  {
    id: 'mcp-ema-client',
    source: 'MCP Enterprise-Managed Authorization §5.1 (ID-JAG §4.4.1)',
    behaviour: 'An assertion for another client than the authenticated one is `invalid_grant`.',
  },
  {
    id: 'mcp-ema-claims',
    source: 'MCP Enterprise-Managed Authorization §4.3 (ID-JAG §3.1)',
    behaviour:
      'An assertion needs `sub`, `aud`, `client_id`, `jti`, `iat` and `exp`, and none that this server cannot keep.',
  },
  {
    id: 'mcp-ema-lifetime',
    source: 'MCP Enterprise-Managed Authorization §7.4.2',
    behaviour: 'An assertion is refused outside of its time, and when that is longer than 20 minutes.',
  },
  {
    id: 'mcp-ema-single-use',
    source: 'MCP Enterprise-Managed Authorization §7.4.2',
    behaviour: 'An assertion is taken once, whichever nodes are asked and however often at the same time.',
  },
  {
    id: 'mcp-ema-scopes',
    source: 'MCP Enterprise-Managed Authorization §7.2.1',
    behaviour: 'What is granted is what the assertion and the request both name.',
  },
  {
    id: 'mcp-ema-own-users',
    source: 'MCP Enterprise-Managed Authorization §4.3 (ID-JAG §6)',
    behaviour: 'An issuer speaks for users of the partner that registered it, and of no other.',
  },
  {
    id: 'mcp-ema-known-users',
    source: 'MCP Enterprise-Managed Authorization §5.1',
    behaviour: 'A user that has connected nothing is `invalid_grant`, and does not come into being.',
  },
  {
    id: 'mcp-ema-access-token',
    source: 'MCP Enterprise-Managed Authorization §5.1, §5.2',
    behaviour: 'The access token is for the MCP endpoint, and the answer names its scope.',
  },
  {
    id: 'mcp-ema-no-refresh-token',
    source: 'MCP Enterprise-Managed Authorization §5.2 (ID-JAG §4.4.3)',
    behaviour: 'There is no refresh token: the client asks its identity provider again.',
  },
  {
    id: 'mcp-ema-issuer-removed',
    source: 'MCP Enterprise-Managed Authorization §7.5.4',
    behaviour: 'Removing an issuer revokes at once what it vouched for.',
  },
  {
    id: 'mcp-ema-not-logged',
    source: 'MCP Enterprise-Managed Authorization §7.4.2, §7.4.3',
    behaviour: 'Assertions and the email addresses in them reach neither the log nor the audit trail.',
  },
  {
    id: 'mcp-ema-client-flow',
    source: 'MCP Enterprise-Managed Authorization §2',
    behaviour: 'A client goes from the URL and a sign-in at its identity provider to a tool call, without a page.',
  },
] as const satisfies readonly Requirement[];
