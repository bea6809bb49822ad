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
  scheme: Pick<OAuth2Scheme, 'flows'> | null,
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
  const fault =
    findEndpointFault(urls, flow) ?? findVariableFault(urls, connectionVariables) ?? findParameterFault(config);
  if (fault !== null) return { fault };
  const { answer = {} } = config;
  return {
    rules: {
      flow,
      authorizationUrl,
      tokenUrl: tokenUrl ?? '',
      refreshUrl: refreshUrl === tokenUrl ? null : refreshUrl,
      revocationUrl: config.revocationUrl ?? null,
      issuer: config.issuer ?? null,
      scopes: config.scopes ?? [],
      scopeSeparator: config.scopeSeparator ?? ' ',
      scopeParameter: config.scopeParameter ?? 'scope',
      authorizeParameters: config.authorizeParameters ?? {},
      tokenParameters: config.tokenParameters ?? {},
      clientAuthentication: config.clientAuthentication ?? 'basic',
      tokenRequest: config.tokenRequest ?? 'form',
      answer: {
        accessToken: answer.accessToken ?? '/access_token',
        refreshToken: answer.refreshToken ?? '/refresh_token',
        expiresIn: answer.expiresIn ?? '/expires_in',
        scope: answer.scope ?? '/scope',
      },
      expiresInSeconds: config.expiresInSeconds ?? null,
      prefix: config.prefix ?? 'Bearer ',
      refreshTokenIdleSeconds: config.refreshTokenIdleSeconds ?? null,
      pkce: config.pkce ?? true,
    },
  };
}

function urlOf(
  name: 'authorizationUrl' | 'tokenUrl' | 'refreshUrl',
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

/** RFC 6749 §3.1 and §3.2 require TLS and no fragment. */
function findEndpointFault(
  urls: Readonly<Record<'authorizationUrl' | 'tokenUrl' | 'refreshUrl', string | null>>,
  flow: OAuth2Rules['flow'],
): OAuth2Fault | null {
  for (const key of ['authorizationUrl', 'tokenUrl', 'refreshUrl'] as const) {
    const url = urls[key];
    const isNeeded = key === 'tokenUrl' || (key === 'authorizationUrl' && flow === 'authorization_code');
    if (url === null) {
      if (isNeeded) return { text: `has no ${key}`, key };
      continue;
    }
    const { protocol, hash, username } = URL.canParse(url) ? new URL(url) : { protocol: '', hash: '', username: '' };
    if (protocol === '') return { text: `has the ${key} ${url}, which is no absolute URL`, key };
    if (protocol !== 'https:') return { text: `has the ${key} ${url}, which is not https`, key };
    if (hash !== '' || username !== '') return { text: `has the ${key} ${url}, with a fragment or a user name`, key };
  }
  return null;
}

/** A variable as labels of a host whose owner is fixed: tokens and the secret of the client go there. */
const FIXED_OWNER_HOST = /^https:\/\/(?:[a-z0-9-]+\.)*\{([^{}]+)\}(?:\.[a-z0-9-]+){2,}(?=[:/?]|$)[^{}]*$/i;

function findVariableFault(
  urls: Readonly<Record<'authorizationUrl' | 'tokenUrl' | 'refreshUrl', string | null>>,
  connectionVariables: readonly string[],
): OAuth2Fault | null {
  for (const key of ['authorizationUrl', 'tokenUrl', 'refreshUrl'] as const) {
    const url = urls[key];
    if (url === null || !url.includes('{')) continue;
    const [, name] = FIXED_OWNER_HOST.exec(url) ?? [];
    if (name === undefined) return { text: `has the ${key} ${url}, whose variable could name any host`, key };
    if (!connectionVariables.includes(name))
      return { text: `has the ${key} ${url}, whose variable no user is asked for`, key };
  }
  return null;
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
