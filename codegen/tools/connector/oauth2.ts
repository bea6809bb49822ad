/** OAuth 2.0 rules of an upstream: from its descriptor, overridden by connector.yaml. */

import type { OAuth2Config } from '../../load/credential-config.ts';
import type { OAuth2FlowModel, SecuritySchemeModel } from '../../model/types.ts';
import type { OAuth2Rules } from '../types.ts';

type OAuth2Scheme = Extract<SecuritySchemeModel, { readonly type: 'oauth2' }>;

/** Parameters that the gateway sets in each request (RFC 6749, RFC 7636). */
const GATEWAY_PARAMETERS = {
  authorizeParameters: [
    'client_id',
    'redirect_uri',
    'response_type',
    'state',
    'code_challenge',
    'code_challenge_method',
  ],
  tokenParameters: 'client_id client_secret code code_verifier grant_type redirect_uri refresh_token'.split(' '),
} as const;

/** Why there are no rules: a sentence without its subject, and the key of connector.yaml that fixes it. */
export interface OAuth2Fault {
  readonly text: string;
  readonly key: keyof OAuth2Config;
}

/** The address of a service. */
export interface Site {
  /** Resolves relative URLs of the descriptor (OpenAPI 3.1 §4.6). Null if there is none. */
  readonly baseUrl: string | null;
  /** Server variables that each connection fills. */
  readonly connectionVariables: readonly string[];
}

/**
 * Returns the rules of a scheme, or of a part of connector.yaml that no scheme describes.
 *
 * @param scheme null if everything comes from connector.yaml.
 */
export function toOAuth2Rules(
  scheme: OAuth2Scheme | null,
  config: OAuth2Config,
  { baseUrl, connectionVariables }: Site,
): { readonly rules: OAuth2Rules } | { readonly fault: OAuth2Fault } {
  const flow = config.flow ?? scheme?.flows[0]?.flow ?? 'authorization_code';
  const declared = scheme?.flows.find((candidate) => candidate.flow === flow);
  const urls = {
    authorizationUrl: flow === 'authorization_code' ? urlOf('authorizationUrl', config, declared, baseUrl) : null,
    tokenUrl: urlOf('tokenUrl', config, declared, baseUrl),
    refreshUrl: urlOf('refreshUrl', config, declared, baseUrl),
  };
  const { authorizationUrl, tokenUrl, refreshUrl } = urls;
  const endpoints = ENDPOINTS.map((key) => findEndpointFault(key, urls[key], flow, connectionVariables));
  const fault = [...endpoints, findParameterFault(config)].find((candidate) => candidate !== null);
  if (fault !== undefined) return { fault };
  return {
    rules: {
      flow,
      authorizationUrl,
      tokenUrl: tokenUrl ?? '',
      refreshUrl: refreshUrl === tokenUrl ? null : refreshUrl,
      ...overridden(DEFAULTS, config),
      answer: overridden(DEFAULTS.answer, config.answer ?? {}),
    },
  };
}

const ENDPOINTS = ['authorizationUrl', 'tokenUrl', 'refreshUrl'] as const;

/** In the order of the emitted rules (RFC 6749, RFC 7636). */
const DEFAULTS: Omit<OAuth2Rules, 'flow' | (typeof ENDPOINTS)[number]> = {
  revocationUrl: null,
  issuer: null,
  scopes: [],
  scopeSeparator: ' ',
  scopeParameter: 'scope',
  authorizeParameters: {},
  tokenParameters: {},
  clientAuthentication: 'basic',
  tokenRequest: 'form',
  answer: {
    accessToken: '/access_token',
    refreshToken: '/refresh_token',
    expiresIn: '/expires_in',
    scope: '/scope',
  },
  expiresInSeconds: null,
  prefix: 'Bearer ',
  refreshTokenIdleSeconds: null,
  pkce: true,
};

/** The defaults, in their order, with the values that are given. */
function overridden<Values extends object>(defaults: Values, given: Readonly<Record<string, unknown>>): Values {
  const entries = Object.entries(defaults).map(([name, value]) => [name, given[name] ?? value]);
  return Object.fromEntries(entries) as Values;
}

function urlOf(
  name: (typeof ENDPOINTS)[number],
  config: OAuth2Config,
  declared: OAuth2FlowModel | undefined,
  baseUrl: string | null,
): string | null {
  const url = config[name] ?? declared?.[name] ?? null;
  if (url === null || URL.canParse(url) || baseUrl === null) return url;
  // A parser would write a variable of the host in lower case.
  if (baseUrl.includes('{')) return url.startsWith('/') ? baseUrl.replace(/(?<=\w:\/\/[^/]*)\/.*$/, '') + url : url;
  return URL.canParse(url, `${baseUrl}/`) ? new URL(url, `${baseUrl}/`).href : url;
}

/** A variable as labels of a host whose owner is fixed: tokens and the secret of the client go there. */
const FIXED_OWNER_HOST = /^https:\/\/(?:[a-z0-9-]+\.)*\{([^{}]+)\}(?:\.[a-z0-9-]+){2,}(?=[:/?]|$)[^{}]*$/i;

/** RFC 6749 §3.1 and §3.2 require TLS and no fragment. */
function findEndpointFault(
  key: (typeof ENDPOINTS)[number],
  url: string | null,
  flow: OAuth2Rules['flow'],
  connectionVariables: readonly string[],
): OAuth2Fault | null {
  if (url === null) {
    const isNeeded = key === 'tokenUrl' || (key === 'authorizationUrl' && flow === 'authorization_code');
    return isNeeded ? { text: `has no ${key}`, key } : null;
  }
  const reason = reasonAgainst(url, connectionVariables);
  return reason === null ? null : { text: `has the ${key} ${url}, ${reason}`, key };
}

function reasonAgainst(url: string, connectionVariables: readonly string[]): string | null {
  const { protocol, hash, username } = URL.canParse(url) ? new URL(url) : { protocol: '', hash: '', username: '' };
  if (protocol === '') return 'which is no absolute URL';
  if (protocol !== 'https:') return 'which is not https';
  if (hash !== '' || username !== '') return 'with a fragment or a user name';
  if (!url.includes('{')) return null;
  const [, variable] = FIXED_OWNER_HOST.exec(url) ?? [];
  if (variable === undefined) return 'whose variable could name any host';
  return connectionVariables.includes(variable) ? null : 'whose variable no user is asked for';
}

function findParameterFault(config: OAuth2Config): OAuth2Fault | null {
  for (const key of ['authorizeParameters', 'tokenParameters'] as const) {
    const reserved: readonly string[] =
      key === 'tokenParameters'
        ? GATEWAY_PARAMETERS[key]
        : [...GATEWAY_PARAMETERS[key], config.scopeParameter ?? 'scope'];
    const name = Object.keys(config[key] ?? {}).find((parameter) => reserved.includes(parameter));
    if (name !== undefined) return { text: `sets ${name} under ${key}, which the gateway sets itself`, key };
  }
  return null;
}
