/** The credential that a first `connector.yaml` proposes for an MCP server. */

import { withoutUndefined } from '../../../codegen/json.ts';
import { httpsUrl } from '../../../codegen/load/config-values.ts';
import type { CredentialConfig, OAuth2Config } from '../../../codegen/load/credential-config.ts';
import type { LiveCredential } from './live-server.ts';

/** The proposal as `connector.yaml` has it, and what is left to decide. */
export interface ProposedCredential {
  readonly config: Partial<CredentialConfig>;
  readonly question: string;
}

const ACCOUNT = 'account';

/** @param address of the server, which tokens are asked for (RFC 8707). */
export function proposeCredential(live: LiveCredential, address: string, title: string): ProposedCredential {
  if (live.kind === 'open') {
    return { config: { schemes: [] }, question: 'the server answered without a credential. Is it open to everyone?' };
  }
  const oauth2 = toOAuth2(live.oauth, address);
  if (oauth2 !== null) {
    return {
      config: {
        parts: [{ id: ACCOUNT, type: 'oauth2', label: `${title} account` }],
        oauth2: { [ACCOUNT]: oauth2 },
      },
      question:
        'these endpoints are what the server and its authorization server say of themselves. Are they of the vendor? If so: utg upstream-client register --service <service>. Which scopes do agents need?',
    };
  }
  if (live.header !== null) {
    return {
      config: { parts: [{ id: 'key', type: 'header', name: live.header, label: `${title} key` }] },
      question: 'users enter this key. What do they call it, and where do they find it? (help, url)',
    };
  }
  return {
    config: { parts: [{ id: 'token', type: 'bearer', label: `${title} access token` }] },
    question:
      'no OAuth 2.0 with https endpoints was found, so users enter an access token. Where do they get one that lasts? (help, url)',
  };
}

/** Null without metadata whose endpoints could be used: only https ones are. */
function toOAuth2(oauth: LiveCredential['oauth'], address: string): OAuth2Config | null {
  const metadata = oauth?.authorizationServerMetadata;
  const authorizationUrl = toHttps(metadata?.authorization_endpoint);
  const tokenUrl = toHttps(metadata?.token_endpoint);
  if (metadata === undefined || authorizationUrl === undefined || tokenUrl === undefined) return null;
  const resource = oauth?.resourceMetadata?.resource ?? address;
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return withoutUndefined({
    authorizationUrl,
    tokenUrl,
    revocationUrl: toHttps('revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined),
    // Where the server does not send `iss`, asking for it would refuse every sign-in (RFC 9207 §3).
    issuer: sendsIssuer(metadata) ? toHttps(metadata.issuer) : undefined,
    clientAuthentication: toAuthentication(methods),
    scopes: toScopes(oauth?.resourceMetadata?.scopes_supported),
    authorizeParameters: { resource },
    tokenParameters: { resource },
  });
}

function sendsIssuer(metadata: object): boolean {
  return (
    'authorization_response_iss_parameter_supported' in metadata &&
    metadata.authorization_response_iss_parameter_supported === true
  );
}

function toHttps(url: unknown): string | undefined {
  return httpsUrl.safeParse(url).data;
}

function toAuthentication(methods: readonly string[]): NonNullable<OAuth2Config['clientAuthentication']> {
  if (methods.includes('none')) return 'none';
  return methods.includes('client_secret_basic') ? 'basic' : 'body';
}

/** More than a few say everything that the server has, not what a tool needs. */
const MAX_SCOPES = 10;

/** Scopes as RFC 6749 §3.3 writes them, but for the comma, which separates them at some servers. */
function toScopes(scopes: readonly string[] | undefined): string[] | undefined {
  const usable = (scopes ?? []).filter((name) => /^[!#-+\--[\]-~]+$/.test(name));
  return usable.length === 0 || usable.length > MAX_SCOPES ? undefined : usable;
}
