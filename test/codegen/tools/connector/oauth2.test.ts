import { describe, expect, it } from 'vitest';
import { connectorConfigSchema } from '../../../../codegen/load/connector-config.ts';
import type { OperationModel, SecurityAlternative, SecuritySchemeModel } from '../../../../codegen/model/types.ts';
import type { CredentialPart } from '../../../../codegen/tools/types.ts';
import { answer, build, needs, operation, service } from '../service.ts';

type OAuth2Scheme = Extract<SecuritySchemeModel, { type: 'oauth2' }>;

const CODE = {
  flow: 'authorization_code',
  authorizationUrl: 'https://login.shop.example/authorize',
  tokenUrl: 'https://login.shop.example/token',
  refreshUrl: null,
} as const;
const oauth = (over: Partial<OAuth2Scheme> = {}): OAuth2Scheme => ({
  id: 'oauth',
  type: 'oauth2',
  kind: 'oauth2',
  flows: [CODE],
  scopes: ['read', 'write'],
  description: '',
  pointer: '/s/oauth',
  ...over,
});
const key: SecuritySchemeModel = { id: 'key', type: 'bearer', description: 'Under Settings.', pointer: '/s/key' };
const RULES = {
  flow: 'authorization_code',
  authorizationUrl: 'https://login.shop.example/authorize',
  tokenUrl: 'https://login.shop.example/token',
  refreshUrl: null,
  revocationUrl: null,
  issuer: null,
  scopes: [],
  scopeSeparator: ' ',
  scopeParameter: 'scope',
  authorizeParameters: {},
  tokenParameters: {},
  clientAuthentication: 'basic',
  tokenRequest: 'form',
  answer: { accessToken: '/access_token', refreshToken: '/refresh_token', expiresIn: '/expires_in', scope: '/scope' },
  expiresInSeconds: null,
  prefix: 'Bearer ',
  refreshTokenIdleSeconds: null,
  pkce: true,
};

const withScopes = (...scopes: string[]): SecurityAlternative => [{ id: 'oauth', scopes }];
const list = (security: readonly SecurityAlternative[], over: Partial<OperationModel> = {}) =>
  operation({ security, ...over });
const one = (scheme: OAuth2Scheme, security: readonly SecurityAlternative[] = [withScopes()]) =>
  service([list(security)], { securitySchemes: [scheme, key], security: [] });
const rulesOf = (part: CredentialPart | undefined) => (part?.type === 'oauth2' ? part.oauth2 : null);

describe('OAuth 2.0 of a descriptor', () => {
  it('becomes a part with the defaults of RFC 6749', () => {
    const { connector, problems } = build(one(oauth()));
    expect(problems).toEqual([]);
    expect(connector.credential).toEqual({
      parts: [{ id: 'oauth', type: 'oauth2', label: 'Account', name: null, oauth2: RULES }],
      help: '',
      url: null,
    });
    expect(connector.tools).toHaveLength(1);
  });

  it('prefers the authorization code to client credentials, and uses either where connector.yaml says so', () => {
    const client = { ...CODE, flow: 'client_credentials', authorizationUrl: null } as const;
    const both = one(oauth({ flows: [CODE, client] }));
    expect(rulesOf(build(both).connector.credential.parts[0])).toMatchObject({ flow: 'authorization_code' });
    const { connector } = build(both, { credential: { oauth2: { oauth: { flow: 'client_credentials' } } } });
    expect(rulesOf(connector.credential.parts[0])).toMatchObject({
      flow: 'client_credentials',
      authorizationUrl: null,
    });
    expect(rulesOf(build(one(oauth({ flows: [client] }))).connector.credential.parts[0])?.flow).toBe(
      'client_credentials',
    );
  });

  it('resolves relative URLs against the base URL', () => {
    const flow = { ...CODE, authorizationUrl: '/oauth/authorize', tokenUrl: '/oauth/token', refreshUrl: '/refresh' };
    const model = one(oauth({ flows: [flow] }));
    expect(rulesOf(build(model).connector.credential.parts[0])).toMatchObject({
      authorizationUrl: 'https://shop.example/oauth/authorize',
      tokenUrl: 'https://shop.example/oauth/token',
      refreshUrl: 'https://shop.example/refresh',
    });
    const { connector } = build(model, { serverVariables: { base_url: { default: 'https://eu.example/v1' } } });
    expect(rulesOf(connector.credential.parts[0])?.tokenUrl).toBe('https://eu.example/oauth/token');
  });

  it('refreshes at the token URL where the refresh URL is the same', () => {
    const { connector } = build(one(oauth({ flows: [{ ...CODE, refreshUrl: CODE.tokenUrl }] })));
    expect(rulesOf(connector.credential.parts[0])?.refreshUrl).toBeNull();
  });

  it.each<[string, Partial<OAuth2Scheme>, string]>([
    ['without a supported flow', { kind: 'oauth2 with the flow implicit alone', flows: [] }, 'oauth2 with the flow'],
    ['without a token URL', { flows: [{ ...CODE, tokenUrl: null }] }, 'oauth2 that has no tokenUrl'],
    [
      'over http',
      { flows: [{ ...CODE, tokenUrl: 'http://shop.example/token' }] },
      'oauth2 that has the tokenUrl http://shop.example/token, which is not https',
    ],
    [
      'with a user name in a URL',
      { flows: [{ ...CODE, authorizationUrl: 'https://me@shop.example' }] },
      'with a fragment or a user name',
    ],
  ])('%s excludes its operations, and the warning says what connector.yaml can add', (_, over, words) => {
    const { connector, problems } = build(one(oauth(over)));
    expect(connector.tools).toEqual([]);
    expect(problems.map(({ code }) => code)).toEqual(['credential-unsupported']);
    expect(problems[0]?.message).toContain(words);
    expect(problems[0]?.fix).toContain('credential: { oauth2: { oauth: {');
    const { authorizationUrl, tokenUrl } = CODE;
    const completed = build(one(oauth(over)), { credential: { oauth2: { oauth: { authorizationUrl, tokenUrl } } } });
    expect(completed.problems).toEqual([]);
    expect(rulesOf(completed.connector.credential.parts[0])).toEqual(RULES);
  });
});

describe('kinds of credential', () => {
  const both = [needs('key'), withScopes('read')];
  const kindsOf = (model: ReturnType<typeof service>, config: Readonly<Record<string, unknown>> = {}) => {
    const { connector, problems } = build(model, config);
    const { parts, alternatives = [] } = connector.credential;
    const kinds = [parts, ...alternatives.map((kind) => kind.parts)];
    return { kinds: kinds.map((kind) => kind.map(({ id }) => id)), problems, connector };
  };
  const securitySchemes = [oauth(), key];

  it('are both where every operation accepts either, the first of the descriptor first', () => {
    const { kinds, connector } = kindsOf(service([list(both)], { securitySchemes, security: [] }));
    expect(kinds).toEqual([['key'], ['oauth']]);
    expect(connector.credential.alternatives?.[0]?.label).toBe('Account');
    expect(connector.tools[0]?.scopes).toEqual([['read']]);
  });

  it('are one where the other does not cover every operation', () => {
    const operations = [list(both), list([needs('key')], { id: 'other', path: '/other' })];
    const { kinds, problems } = kindsOf(service(operations, { securitySchemes, security: [] }));
    expect(kinds).toEqual([['key']]);
    expect(problems.map(({ code, pointer, message }) => [code, pointer, message])).toEqual([
      ['credential-partial', '/s/oauth', 'oauth is enough for 1 of 2 operations, not for GET /other.'],
    ]);
  });

  it('prefer the one that covers more operations', () => {
    const operations = [list(both), list([withScopes('read')], { id: 'other', path: '/other' })];
    const { kinds, connector } = kindsOf(service(operations, { securitySchemes, security: [] }));
    expect(kinds).toEqual([['oauth']]);
    expect(connector.tools).toHaveLength(2);
  });

  it('depend only on exposed operations', () => {
    const operations = [list(both), list([needs('key')], { id: 'other', path: '/other' })];
    const config = { notExposed: { other: 'Not useful.' } };
    expect(kindsOf(service(operations, { securitySchemes, security: [] }), config).kinds).toEqual([['key'], ['oauth']]);
  });

  it('are those of connector.yaml where it lists them', () => {
    const model = service([list(both)], { securitySchemes, security: [] });
    const alternatives = [{ label: 'API key', schemes: ['key'], help: 'Ask.', url: 'https://shop.example/keys' }];
    const credential = { label: 'Shop account', schemes: ['oauth'], alternatives };
    const { kinds, connector, problems } = kindsOf(model, { credential });
    expect(problems).toEqual([]);
    expect(kinds).toEqual([['oauth'], ['key']]);
    expect(connector.credential).toMatchObject({ label: 'Shop account', alternatives: [{ help: 'Ask.' }] });
    expect(kindsOf(model, { credential: { alternatives: [] } }).kinds).toEqual([['key']]);
  });

  it.each<[string, object, string, string]>([
    [
      'set one header twice',
      { schemes: ['key'], alternatives: [{ label: 'Both', schemes: ['key', 'oauth'] }] },
      'config-credential /credential/alternatives/0',
      'The parts key and oauth of the credential both write the header authorization.',
    ],
    [
      'include all parts of an earlier one',
      { schemes: ['key'], alternatives: [{ label: 'Key', schemes: ['key'] }] },
      'config-credential /credential/alternatives/0',
      'This kind of credential has all parts of an earlier one, so no connection could be of this kind.',
    ],
    [
      'be empty next to others',
      { schemes: ['key'], alternatives: [{ label: 'None', schemes: [] }] },
      'config-credential /credential/alternatives/0',
      'A kind of credential without parts stands next to others.',
    ],
    [
      'name an unknown scheme',
      { schemes: ['key'], alternatives: [{ label: 'A', schemes: ['oath'] }] },
      'config-scheme-unknown /credential/alternatives/0/schemes/0',
      'The descriptor has no security scheme oath.',
    ],
  ])('of connector.yaml may not %s', (_, credential, place, message) => {
    const { problems } = kindsOf(service([list(both)], { securitySchemes, security: [] }), { credential });
    expect(problems.map((problem) => `${problem.code} ${problem.pointer}`)).toContain(place);
    expect(problems.map((problem) => problem.message)).toContain(message);
  });
});

describe('OAuth 2.0 of connector.yaml', () => {
  const bare = service([list([])], { securitySchemes: [], security: [] });
  const part = { id: 'account', type: 'oauth2', label: 'Shop account' };
  const { authorizationUrl, tokenUrl } = CODE;

  it('is added for a descriptor that declares none', () => {
    const own = {
      authorizationUrl,
      tokenUrl,
      revocationUrl: 'https://login.shop.example/revoke',
      issuer: 'https://login.shop.example',
      scopes: ['offline_access'],
      scopeSeparator: ',',
      scopeParameter: 'user_scope',
      authorizeParameters: { access_type: 'offline' },
      tokenParameters: { audience: 'shop' },
      clientAuthentication: 'body',
      tokenRequest: 'json',
      answer: { accessToken: '/user/token' },
      expiresInSeconds: 3600,
      prefix: 'Token token=',
      refreshTokenIdleSeconds: 86_400,
      pkce: false,
    };
    const { connector, problems } = build(bare, { credential: { parts: [part], oauth2: { account: own } } });
    expect(problems).toEqual([]);
    expect(connector.credential.parts).toEqual([
      { ...part, name: null, oauth2: { ...RULES, ...own, answer: { ...RULES.answer, accessToken: '/user/token' } } },
    ]);
  });

  it('of a part replaces a scheme of another kind, in every kind of credential', () => {
    const model = service([list([needs('key')])], { securitySchemes: [key], security: [] });
    const other = { id: 'other', type: 'bearer', label: 'Key' };
    const credential = {
      parts: [other],
      alternatives: [{ label: 'Account', parts: [{ ...part, id: 'key' }] }],
      oauth2: { key: { authorizationUrl, tokenUrl } },
    };
    const { connector, problems } = build(model, { credential });
    expect(problems).toEqual([]);
    expect(connector.credential.alternatives?.[0]?.parts).toEqual([{ ...part, id: 'key', name: null, oauth2: RULES }]);
  });

  it.each<[string, object, string, string]>([
    [
      'without a token URL',
      { authorizationUrl },
      'account has no tokenUrl.',
      'Write `tokenUrl: https://...` at credential.oauth2.account.',
    ],
    [
      'without an authorization URL',
      { tokenUrl },
      'account has no authorizationUrl.',
      'Write `authorizationUrl: https://...` at credential.oauth2.account.',
    ],
    [
      'that sets a parameter of the gateway',
      { authorizationUrl, tokenUrl, authorizeParameters: { state: 'x' } },
      'account sets state under authorizeParameters, which the gateway sets itself.',
      'Remove it from authorizeParameters.',
    ],
  ])('%s is rejected with a fix', (_, account, message, fix) => {
    const { problems } = build(bare, { credential: { parts: [part], oauth2: { account } } });
    expect(problems.map((problem) => `${problem.code} ${problem.pointer} ${problem.message}`)).toEqual([
      `config-oauth2 /credential/oauth2/account ${message}`,
    ]);
    expect(problems[0]?.fix).toBe(fix);
  });

  it.each<[string, object, string]>([
    ['for a scheme that does not exist', { oath: {} }, 'The descriptor has no security scheme oath.'],
    ['for a scheme of another kind', { key: {} }, 'The security scheme key is bearer, not OAuth 2.0.'],
    ['for a scheme that no operation requires', { oauth: {} }, 'No kind of credential has the security scheme oauth.'],
  ])('is rejected %s', (_, oauth2, message) => {
    const model = service([list([needs('key')])], { securitySchemes: [oauth(), key], security: [] });
    const { problems } = build(model, { credential: { oauth2 } });
    expect(problems.map((problem) => [problem.code, problem.message])).toEqual([['config-scheme-unknown', message]]);
  });

  it.each([
    ['an endpoint over http', { tokenUrl: 'http://shop.example' }],
    ['scopes in one string', { scopes: ['read write'] }],
    ['a lifetime of zero seconds', { expiresInSeconds: 0 }],
    ['a prefix with a line break', { prefix: 'Bearer\n' }],
  ])('may not have %s', (_, own) => {
    expect(connectorConfigSchema.safeParse({ credential: { oauth2: { oauth: own } } }).success).toBe(false);
  });
});

describe('scopes of a tool', () => {
  const scopesOf = (security: readonly SecurityAlternative[], config: object = {}) =>
    build(one(oauth(), security), { credential: { schemes: ['oauth'] }, ...config }).connector.tools[0]?.scopes;

  it.each<[string, readonly SecurityAlternative[], readonly (readonly string[])[]]>([
    ['are those of its operation, sorted', [withScopes('write', 'read')], [['read', 'write']]],
    ['are alternatives where it has several', [withScopes('read'), withScopes('write')], [['read'], ['write']]],
    ['are none of an administrator where others do', [withScopes('shop.admin'), withScopes('read')], [['read']]],
    ['are those of an administrator alone', [withScopes('shop.admin')], [['shop.admin']]],
    ['leave out sets that contain another', [withScopes('read', 'write'), withScopes('read')], [['read']]],
    ['are empty where one alternative needs none', [withScopes('read'), withScopes()], []],
    ['are empty where another credential is needed', [needs('key')], []],
  ])('%s', (_, security, want) => {
    expect(scopesOf(security)).toEqual(want);
  });

  const tools = (scopes: unknown) => ({ tools: { shop_list: { operation: 'listThings', scopes } } });
  it('are those of connector.yaml, else of the descriptor, else of the defaults', () => {
    const defaults = { scopes: ['write'] };
    expect(scopesOf([withScopes('read')], tools(['write', 'read']))).toEqual([['read', 'write']]);
    expect(scopesOf([withScopes('read')], tools([['write'], ['read']]))).toEqual([['write'], ['read']]);
    expect(scopesOf([withScopes('read')], { ...tools([]), defaults })).toEqual([]);
    expect(scopesOf([withScopes('read')], { defaults })).toEqual([['read']]);
    expect(scopesOf([withScopes()], { defaults })).toEqual([['write']]);
  });

  it('that the scheme does not list are a warning', () => {
    const { problems } = build(one(oauth()), tools(['raed']));
    expect(problems).toEqual([
      {
        code: 'scope-unlisted',
        file: 'specs/shop/connector.yaml',
        pointer: '/tools/shop_list/scopes',
        message: 'oauth does not list the scope raed, which is needed by shop_list.',
      },
    ]);
    expect(build(one(oauth({ scopes: [] })), tools(['raed'])).problems).toEqual([]);
  });

  it('that no tool requires are an error', () => {
    const model = service([list([needs('key')])], { securitySchemes: [key], security: [] });
    expect(build(model, tools(['read'])).codes).toEqual(['config-scopes']);
    expect(build(one(oauth(), [withScopes('read')]), { defaults: { scopes: ['read'] } }).codes).toEqual([
      'config-scopes',
    ]);
  });
});

describe('account', () => {
  const me = { type: 'object', properties: { user: { type: 'object', properties: { name: { type: 'string' } } } } };
  const model = service([list([], { responses: [answer(me)] })], { securitySchemes: [], security: [] });
  const accountOf = (account: object) => build(model, { credential: { schemes: [] }, account });

  it('consists of a tool, its arguments and the place of the name', () => {
    const { connector, problems } = accountOf({ tool: 'shop_list_things', name: ['/user/name'] });
    expect(problems).toEqual([]);
    expect(connector.account).toEqual({ tool: 'shop_list_things', arguments: {}, name: ['/user/name'] });
  });

  it.each<[string, object, string]>([
    ['tool', { tool: 'shop_list', name: ['/user/name'] }, '/account/tool There is no tool shop_list.'],
    [
      'argument',
      { tool: 'shop_list_things', arguments: { x: 1 }, name: ['/user/name'] },
      '/account/arguments/x shop_list_things has no argument x.',
    ],
    [
      'place',
      { tool: 'shop_list_things', name: ['/user/mail'] },
      '/account/name/0 The answer of shop_list_things has no /user/mail: there is no mail.',
    ],
  ])('names a %s that exists', (_, account, want) => {
    const { problems } = accountOf(account);
    expect(problems.map(({ code, pointer, message }) => `${code} ${pointer} ${message}`)).toEqual([
      `config-account ${want}`,
    ]);
  });
});
