import { expect, test } from 'vitest';
import { answer, build, needs, operation, service } from '../service.ts';

const at = (url: string, value = '') => {
  const variables = [...url.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => ({ name, default: value }));
  return service([operation({ server: url })], { servers: [{ url, variables, pointer: '/servers/0' }] });
};
const LABEL = 'https://{tenant}.shop.example/v2';
const problemsOf = ({ problems }: ReturnType<typeof build>) => problems.map(({ code, fix }) => [code, fix ?? '']);

test('a variable that each user fills becomes a public part of every kind of credential', () => {
  const ask = { label: 'Workspace', help: 'In the address of your shop.' };
  const alternatives = [{ label: 'Key', parts: [{ id: 'key', type: 'query', label: 'Key', name: 'key' }] }];
  const { connector, problems } = build(at(LABEL), {
    serverVariables: { tenant: { ask } },
    credential: { schemes: ['token'], alternatives, help: 'Ask for a token.' },
  });
  const pattern = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?';
  const tenant = { id: 'tenant', type: 'server', label: 'Workspace', name: 'tenant', isPublic: true, pattern };
  expect(problems).toEqual([]);
  expect(connector.servers[0]?.variables[0]).toMatchObject({ name: 'tenant', asked: true });
  expect(connector.credential.parts).toEqual([tenant, expect.objectContaining({ id: 'token' })]);
  expect(connector.credential.help).toBe('In the address of your shop.\n\nAsk for a token.');
  expect(connector.credential.alternatives?.[0]?.parts).toEqual([tenant, expect.objectContaining({ id: 'key' })]);
});

test.each([
  ['a value with a scheme', 'https://{tenantDomain}/api/v2', { tenantDomain: { default: 'https://acme' } }],
  ['a value with a path', 'https://{tenantDomain}/api/v2', { tenantDomain: { default: 'acme.example/x' } }],
  ['a value with a user', 'https://{tenantDomain}/api/v2', { tenantDomain: { default: 'me@acme.example' } }],
  ['a placeholder', 'https://{tenantDomain}/api/v2', { tenantDomain: { default: '{TENANT}.acme.example' } }],
])('%s as a host is refused, with a fix that leads to a host', (_, url, serverVariables) => {
  const [[code, fix] = []] = problemsOf(build(at(url), { serverVariables }));
  expect(code).toBe('server-url-invalid');
  expect(fix).toContain('without a scheme');
  expect(fix).not.toContain('https://');
});

test.each([
  ['the whole URL', '{base_url}', {}, 'overlay'],
  ['a port', 'https://shop.example:{port}', {}, 'overlay'],
  ['the whole host without a pattern', 'https://{host}/v2', {}, 'pattern'],
])('no user is asked for %s', (_, url, more, fix) => {
  const name = /\{(\w+)\}/.exec(url)?.[1] ?? '';
  const built = build(at(url), { serverVariables: { [name]: { ask: { label: 'Place', ...more } } } });
  expect(problemsOf(built)).toContainEqual(['config-server-variable', expect.stringContaining(fix)]);
});

const signIn = (tokenUrl: string, serverVariables: object) => {
  const flow = { flow: 'authorization_code', authorizationUrl: '/authorize', tokenUrl, refreshUrl: null } as const;
  const scheme = {
    id: 'oauth',
    type: 'oauth2',
    kind: 'oauth2',
    flows: [flow],
    scopes: [],
    description: '',
    pointer: '',
  } as const;
  const model = {
    ...at(LABEL),
    securitySchemes: [scheme],
    security: [needs('oauth')],
    operations: [operation({ server: LABEL, security: [needs('oauth')] })],
  };
  return build(model, { serverVariables });
};
const ASKED = { tenant: { ask: { label: 'Workspace' } } };

test('a sign-in at the place of the user keeps its variable, also where the descriptor has a relative URL', () => {
  const [, part] = signIn('https://{tenant}.shop.example/token', ASKED).connector.credential.parts;
  const urls = {
    authorizationUrl: 'https://{tenant}.shop.example/authorize',
    tokenUrl: 'https://{tenant}.shop.example/token',
  };
  expect(part).toMatchObject({ type: 'oauth2', oauth2: urls });
});

test.each([
  ['could be any host', 'https://{tenant}/token', ASKED, 'could name any host'],
  ['could be any host under a top-level domain', 'https://{tenant}.example/token', ASKED, 'could name any host'],
  ['is asked of no one', 'https://{realm}.shop.example/token', ASKED, 'no user is asked for'],
])('a token endpoint that %s is refused, because it gets the secret of the client', (_, url, variables, problem) => {
  const { connector, problems } = signIn(url, variables);
  expect(connector.credential.parts.map(({ type }) => type)).toEqual(['server']);
  expect(problems.map(({ message }) => message).join()).toContain(problem);
});

test('an id of each account is asked for with the credential, and no tool takes it', () => {
  const account = { id: 'accountId', type: 'query', name: 'account', label: 'Account ID' };
  const parameters = [{ ...operation().parameters[0], ...{ name: 'account', in: 'query', required: true } }];
  const model = service([operation({ parameters: parameters as never, responses: [answer({ type: 'object' })] })]);
  const also = [{ ...account, secret: false, pattern: '[0-9]+' }];
  const { connector, tool } = build(model, { credential: { also } });
  expect(tool.arguments).toEqual([]);
  expect(connector.credential.parts).toEqual([
    { ...account, isPublic: true, pattern: '[0-9]+' },
    expect.objectContaining({ id: 'token', type: 'bearer' }),
  ]);
});
