/** The OAuth 2.0 rules of a service, from its descriptor or its connector, and the scopes that its operations then require. */

import type { OAuth2Rules } from '../../server/contract/index.ts';
import type { SandboxDescriptor, SandboxOperation, SandboxRequirement } from '../descriptor/operations.ts';
import { isObject, type JsonObject } from '../json.ts';

/** The connector's rules; a rule that a descriptor cannot express is null, and the sandbox then accepts every variant. */
export interface SandboxOAuthRules extends Omit<OAuth2Rules, 'clientAuthentication' | 'pkce'> {
  readonly clientAuthentication: OAuth2Rules['clientAuthentication'] | null;
  /** True if it is required, false if it is ignored, null if it is checked when the client uses it. */
  readonly pkce: boolean | null;
}

/** The connector's declarations about OAuth 2.0. */
export interface ConnectorOAuth {
  readonly rules: readonly SandboxOAuthRules[];
  /** Alternative sets of scopes for an operation, by `METHOD /path` in the descriptor. */
  readonly scopes: Readonly<Record<string, readonly (readonly string[])[]>>;
  /** True if the service also accepts a bearer key. */
  readonly takesKeys: boolean;
}

/** Rules of a service that follows RFC 6749 without extras. Flow, endpoints and client authentication are added. */
export const PLAIN_RULES: Omit<
  OAuth2Rules,
  'flow' | 'authorizationUrl' | 'tokenUrl' | 'clientAuthentication' | 'pkce'
> = {
  refreshUrl: null,
  revocationUrl: null,
  issuer: null,
  scopes: [],
  scopeSeparator: ' ',
  scopeParameter: 'scope',
  authorizeParameters: {},
  tokenParameters: {},
  tokenRequest: 'form',
  answer: { accessToken: '/access_token', refreshToken: '/refresh_token', expiresIn: '/expires_in', scope: '/scope' },
  expiresInSeconds: null,
  prefix: 'Bearer ',
  refreshTokenIdleSeconds: null,
};

const FLOWS = { authorizationCode: 'authorization_code', clientCredentials: 'client_credentials' } as const;

/** One entry for each flow of each `oauth2` scheme (OpenAPI 3.1 §4.8.28) with a token endpoint. */
export function buildOAuthRules(securitySchemes: Readonly<Record<string, JsonObject>>): SandboxOAuthRules[] {
  return Object.values(securitySchemes)
    .filter(({ type }) => type === 'oauth2')
    .flatMap(({ flows }) =>
      Object.entries(FLOWS).flatMap(([name, flow]) => {
        const declared = isObject(flows) ? flows[name] : undefined;
        return isObject(declared) && typeof declared.tokenUrl === 'string' ? [toRules(flow, declared)] : [];
      }),
    );
}

/** Every scope that the descriptor's flows list or the connector asks for; null if the descriptor lists none. */
export function buildKnownScopes(
  securitySchemes: Readonly<Record<string, JsonObject>>,
  oauth: ConnectorOAuth | null,
): ReadonlySet<string> | null {
  const flows = Object.values(securitySchemes).flatMap((scheme) => (isObject(scheme.flows) ? [scheme.flows] : []));
  const lists = flows.flatMap((each) => Object.values(each)).flatMap((flow) => (isObject(flow) ? [flow.scopes] : []));
  const names = lists.flatMap((scopes) => (isObject(scopes) ? Object.keys(scopes) : []));
  const commonScopes = oauth?.rules.flatMap(({ scopes }) => scopes) ?? [];
  const operationScopes = Object.values(oauth?.scopes ?? {}).flat(2);
  return names.length === 0 ? null : new Set([...names, ...commonScopes, ...operationScopes]);
}

/** The path of an endpoint, the part of its URL that the sandbox keeps. The host may contain templates. */
export function toEndpointPath(url: string): string {
  return new URL(url.replaceAll(/[{}]/g, ''), 'http://sandbox.invalid').pathname;
}

function toRules(flow: OAuth2Rules['flow'], declared: JsonObject): SandboxOAuthRules {
  const textOf = (name: string): string | null => {
    const value = declared[name];
    return typeof value === 'string' ? value : null;
  };
  return {
    ...PLAIN_RULES,
    flow,
    authorizationUrl: flow === 'authorization_code' ? textOf('authorizationUrl') : null,
    tokenUrl: String(declared.tokenUrl),
    refreshUrl: textOf('refreshUrl'),
    clientAuthentication: null,
    pkce: null,
  };
}

const TOKEN_SCHEME = 'connector access token';
const KEY_SCHEME = 'connector key';

/**
 * The connector's scopes of a tool replace the `oauth2` alternatives of its operation, or are added if it has none. If the
 * descriptor declares no security scheme, a bearer key becomes an alternative too. An operation without a tool keeps its `oauth2`
 * alternatives, and one that the descriptor opens with `security: []` stays open.
 */
export function addConnectorSecurity(descriptor: SandboxDescriptor, oauth: ConnectorOAuth | null): SandboxDescriptor {
  if (oauth === null) return descriptor;
  const hasNoSchemes = Object.keys(descriptor.securitySchemes).length === 0;
  const hasOAuth = (requirement: SandboxRequirement): boolean =>
    Object.keys(requirement).some((scheme) => descriptor.securitySchemes[scheme]?.type === 'oauth2');
  const complete = (operation: SandboxOperation): SandboxOperation => {
    const { security, method, path } = operation;
    const connectorScopes = oauth.scopes[`${method} ${path}`];
    const isOpen = security.length === 0 && !hasNoSchemes;
    if (isOpen || (connectorScopes === undefined && security.some(hasOAuth))) return operation;
    const otherAlternatives = security.filter((requirement) => !hasOAuth(requirement));
    const keys = hasNoSchemes && oauth.takesKeys ? [{ [KEY_SCHEME]: [] }] : [];
    const tokens = (connectorScopes ?? [[]]).map((scopes) => ({ [TOKEN_SCHEME]: scopes }));
    return { ...operation, security: [...otherAlternatives, ...tokens, ...keys] };
  };
  return {
    ...descriptor,
    securitySchemes: {
      ...descriptor.securitySchemes,
      [TOKEN_SCHEME]: { type: 'oauth2' },
      [KEY_SCHEME]: { type: 'http', scheme: 'bearer' },
    },
    operations: descriptor.operations.map(complete),
  };
}
