import { describe, expect, test } from 'vitest';
import { toMetadata } from '../../server/base/http/challenge.ts';
import { toServerMetadata } from '../../server/identity/oauth/metadata.ts';
import { IDENTITY_ASSERTION } from '../../server/modules/identity-assertions/exchange.ts';
import { verifies } from '../requirements/verifies.ts';

const RESOURCE_METADATA = `{
  "resource": "https://tools.example.com/api/mcp/unified",
  "authorization_servers": [
    "https://tools.example.com"
  ],
  "scopes_supported": [
    "tools:read",
    "tools:write"
  ],
  "bearer_methods_supported": [
    "header"
  ],
  "resource_name": "Unified Tool Gateway"
}`;

const SERVER_METADATA = `{
  "issuer": "https://tools.example.com",
  "authorization_endpoint": "https://tools.example.com/api/mcp/oauth/authorize",
  "token_endpoint": "https://tools.example.com/api/mcp/oauth/token",
  "registration_endpoint": "https://tools.example.com/api/mcp/oauth/register",
  "revocation_endpoint": "https://tools.example.com/api/mcp/oauth/revoke",
  "scopes_supported": [
    "tools:read",
    "tools:write",
    "offline_access"
  ],
  "response_types_supported": [
    "code"
  ],
  "response_modes_supported": [
    "query"
  ],
  "grant_types_supported": [
    "authorization_code",
    "refresh_token",
    "urn:ietf:params:oauth:grant-type:jwt-bearer"
  ],
  "authorization_grant_profiles_supported": [
    "urn:ietf:params:oauth:grant-profile:id-jag"
  ],
  "token_endpoint_auth_methods_supported": [
    "none",
    "client_secret_post",
    "client_secret_basic",
    "private_key_jwt"
  ],
  "token_endpoint_auth_signing_alg_values_supported": [
    "ES256",
    "RS256",
    "PS256",
    "Ed25519",
    "EdDSA"
  ],
  "revocation_endpoint_auth_methods_supported": [
    "none",
    "client_secret_post",
    "client_secret_basic",
    "private_key_jwt"
  ],
  "revocation_endpoint_auth_signing_alg_values_supported": [
    "ES256",
    "RS256",
    "PS256",
    "Ed25519",
    "EdDSA"
  ],
  "code_challenge_methods_supported": [
    "S256"
  ],
  "authorization_response_iss_parameter_supported": true
}`;

const ISSUER = 'https://tools.example.com';

describe('metadata documents', () => {
  test('the protected resource metadata is exactly this', () => {
    verifies('rfc9728-2-resource');
    const document = toMetadata({ issuer: ISSUER, path: '/api/mcp/unified' });
    expect(JSON.stringify(document, null, 2)).toBe(RESOURCE_METADATA);
  });

  test('the authorization server metadata is exactly this', () => {
    verifies('rfc8414-2-pkce', 'rfc9207-3-advertised', 'mcp-ema-advertised');
    const documentWhere = (clientDocuments: boolean) => {
      const options = { clientDocuments, registration: 'open', grantTypes: [IDENTITY_ASSERTION] } as const;
      return JSON.stringify(toServerMetadata(ISSUER, options), null, 2);
    };
    expect(documentWhere(false)).toBe(SERVER_METADATA);
    const taken = documentWhere(true);
    expect(taken).toBe(SERVER_METADATA.replace(/\n}$/, ',\n  "client_id_metadata_document_supported": true\n}'));
  });
});
