/** Client metadata (RFC 7591 §2): what a registration may contain, and what it means here. */

import { z } from 'zod';
import { isReservedName } from '../../base/pages/client-name.ts';
import { ALL_SCOPES, readRequestedScopes } from '../../base/principal/permission.ts';
import type { ApplicationType, ClientAuthenticationMethod } from '../../base/store/schema.ts';
import { OAuthError } from '../protocol/error.ts';
import { hasControlCharacter } from '../protocol/form.ts';
import { type DroppedRedirectUri, isLoopbackRedirectUri, selectRedirectUris } from '../protocol/redirect-uri.ts';

const MAX_REDIRECT_URIS = 10;
const MAX_KEYS = 20;
const GRANT_TYPES = ['authorization_code', 'refresh_token'];
const MAX_KEPT_BYTES = 3000;

/** Members of a JWK that only private and symmetric keys have (RFC 7518 §6). */
const PRIVATE_KEY_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k', 'priv'];

/** Directional formatting, which could make a name look like another. */
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

/** Accepts null and empty text as undefined, because some clients send every member. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return z.preprocess((value) => (value === null || value === '' ? undefined : value), schema.optional());
}

function text(maxLength: number) {
  return z
    .string()
    .max(maxLength)
    .refine((value) => value.isWellFormed() && !hasControlCharacter(value) && !BIDI.test(value), 'has odd characters');
}

const webUrl = text(2000).refine((value) => URL.canParse(value) && /^https?:\/\//i.test(value), 'is not a web address');
const names = z.array(text(200)).max(20);

const publicKey = z
  .looseObject({ kty: text(20) })
  .refine((key) => !PRIVATE_KEY_MEMBERS.some((name) => name in key), 'is not a public key');

/** Members that are echoed unchanged. The gateway does not rely on them, so unusable ones are left out (RFC 7591 §3.2.1). */
const DESCRIPTION = {
  client_uri: optional(webUrl).catch(undefined),
  logo_uri: optional(webUrl).catch(undefined),
  tos_uri: optional(webUrl).catch(undefined),
  policy_uri: optional(webUrl).catch(undefined),
  contacts: optional(names).catch(undefined),
  software_id: optional(text(200)).catch(undefined),
  software_version: optional(text(100)).catch(undefined),
};

/** Members that are not named here are ignored (RFC 7591 §2). */
const METADATA = z.object({
  redirect_uris: z.array(z.string()).min(1),
  token_endpoint_auth_method: optional(
    z.enum(['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt']),
  ),
  jwks: optional(z.object({ keys: z.array(publicKey).min(1).max(MAX_KEYS) })),
  jwks_uri: optional(webUrl.refine((value) => /^https:/i.test(value), 'is not https')),
  grant_types: optional(names),
  response_types: optional(names),
  application_type: optional(z.enum(['native', 'web'])),
  client_name: optional(text(200)),
  scope: optional(z.string()).catch(undefined),
  ...DESCRIPTION,
});

/** A registration. `registered` is the metadata of the response, which is complete (RFC 7591 §3.2.1). */
interface ClientMetadata {
  readonly clientName: string | null;
  readonly redirectUris: readonly string[];
  /** Redirect URIs that the client asked for and does not get. */
  readonly droppedRedirectUris: readonly DroppedRedirectUri[];
  readonly applicationType: ApplicationType;
  readonly authenticationMethod: ClientAuthenticationMethod;
  /** JSON Web Key Set of a client that authenticates with `private_key_jwt`. Null if there is none, or it is at `jwksUri`. */
  readonly jwks: unknown;
  readonly jwksUri: string | null;
  /** Space-separated scopes beyond which the client gets none. Null for all. */
  readonly scopes: string | null;
  readonly registered: Readonly<Record<string, unknown>>;
}

interface MetadataRules {
  readonly privateUseSchemes: readonly string[];
  readonly maxRedirectUris?: number;
  readonly maxKeptBytes?: number;
  readonly isAllowed?: (redirectUri: string) => boolean;
  readonly grantTypes?: readonly { readonly name: string }[];
}

/**
 * Reads a registration.
 *
 * Defaults are set here and returned in the response. The method is `none` instead of the `client_secret_basic` of RFC 7591 §2, as its
 * §3.2.1 allows, because a client that leaves it out sends no secret. The type is `native` when a redirect URI has an application's own
 * scheme, or all are loopback. A client that names only `tools:read` is never granted more. Response types and grant types are the same for every client,
 * whatever it asked for; only grant types of modules are for clients that name them.
 *
 * @param rules.maxRedirectUris default: 10.
 * @param rules.maxKeptBytes of the stored metadata. Default: 3,000, which fits into one page of a database.
 * @param rules.grantTypes those of modules. Default: none.
 * @param rules.isAllowed which redirect URIs the operator allows. Default: all that are accepted.
 * A name that imitates the gateway is refused; see `isReservedName`.
 *
 * @throws {OAuthError} `invalid_redirect_uri` or `invalid_client_metadata`, status 400.
 */
export function parseClientMetadata(body: unknown, rules: MetadataRules): ClientMetadata {
  const parsed = METADATA.safeParse(body);
  const maxRedirectUris = rules.maxRedirectUris ?? MAX_REDIRECT_URIS;
  if (!parsed.success) throw toOAuthError(parsed.error);
  const metadata = parsed.data;
  if (metadata.client_name !== undefined && isReservedName(metadata.client_name)) throw reservedName();
  const more = rules.grantTypes?.map(({ name }) => name) ?? [];
  requireMember('grant_types', metadata.grant_types, 'authorization_code');
  requireMember('response_types', metadata.response_types, 'code');
  const { accepted: redirectUris, dropped } = selectRedirectUris(metadata.redirect_uris, rules.privateUseSchemes, {
    isAllowed: rules.isAllowed,
    most: maxRedirectUris,
  });

  const applicationType = metadata.application_type ?? (isNative(redirectUris) ? 'native' : 'web');
  const authenticationMethod = metadata.token_endpoint_auth_method ?? 'none';
  const keys: Keys = authenticationMethod === 'private_key_jwt' ? requireKeys(metadata) : {};
  checkKeptBytes([metadata.client_name, redirectUris, keys.jwks, keys.jwks_uri], rules.maxKeptBytes ?? MAX_KEPT_BYTES);
  const scope = readRequestedScopes(metadata.scope ?? '').join(' ');
  const described = (Object.keys(DESCRIPTION) as (keyof typeof DESCRIPTION)[]).filter(
    (name) => metadata[name] !== undefined,
  );
  return {
    clientName: metadata.client_name ?? null,
    redirectUris,
    droppedRedirectUris: dropped,
    applicationType,
    authenticationMethod,
    jwks: keys.jwks ?? null,
    jwksUri: keys.jwks_uri ?? null,
    scopes: scope === ALL_SCOPES ? null : scope,
    registered: {
      client_name: metadata.client_name,
      redirect_uris: redirectUris,
      token_endpoint_auth_method: authenticationMethod,
      ...keys,
      grant_types: [...GRANT_TYPES, ...more.filter((name) => metadata.grant_types?.includes(name))],
      response_types: ['code'],
      application_type: applicationType,
      scope,
      ...Object.fromEntries(described.map((name) => [name, metadata[name]])),
    },
  };
}

function isNative(redirectUris: readonly string[]): boolean {
  return redirectUris.some((uri) => !/^https?:/i.test(uri)) || redirectUris.every(isLoopbackRedirectUri);
}

function requireMember(name: string, values: readonly string[] | undefined, needed: string): void {
  if (values === undefined || values.length === 0 || values.includes(needed)) return;
  throw new OAuthError(400, 'invalid_client_metadata', `${name} must hold ${needed}.`);
}

type Keys = Pick<z.output<typeof METADATA>, 'jwks' | 'jwks_uri'>;

/** The keys are in the metadata or at a URL, not both (RFC 7591 §2). */
function requireKeys({ jwks, jwks_uri }: Keys): Keys {
  if (jwks !== undefined && jwks_uri === undefined) return { jwks };
  if (jwks === undefined && jwks_uri !== undefined) return { jwks_uri };
  throw new OAuthError(400, 'invalid_client_metadata', 'private_key_jwt needs either jwks or jwks_uri.');
}

function checkKeptBytes(kept: readonly unknown[], max: number): void {
  if (Buffer.byteLength(JSON.stringify(kept)) <= max) return;
  const description = `client_name, redirect_uris and keys have more than ${max} bytes together. Publish keys at a jwks_uri instead.`;
  throw new OAuthError(400, 'invalid_client_metadata', description);
}

function reservedName(): OAuthError {
  const description =
    'client_name looks like a name or a statement of the gateway. Use the name of your application, without words such as "operator", "itself" or "approved by".';
  return new OAuthError(400, 'invalid_client_metadata', description);
}

function toOAuthError(error: z.ZodError): OAuthError {
  const name = error.issues[0]?.path[0];
  if (name === 'redirect_uris') {
    return new OAuthError(400, 'invalid_redirect_uri', 'redirect_uris must be a list of texts, with at least one.');
  }
  const description = name === undefined ? 'The body must be a JSON object.' : `${String(name)} cannot be used.`;
  return new OAuthError(400, 'invalid_client_metadata', description);
}
