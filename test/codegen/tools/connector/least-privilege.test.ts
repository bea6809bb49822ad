import { describe, expect, test } from 'vitest';
import type { OperationModel, SecurityAlternative, SecuritySchemeModel } from '../../../../codegen/model/types.ts';
import { build, needs, operation, parameter, service } from '../service.ts';

const inHeader = (id: string, description = ''): SecuritySchemeModel => ({
  id,
  type: 'apiKey',
  in: 'header',
  name: `X-${id}`,
  description,
  pointer: `/s/${id}`,
});
const bearer = (id: string): SecuritySchemeModel => ({ id, type: 'bearer', description: '', pointer: `/s/${id}` });
const mutualTls: SecuritySchemeModel = {
  id: 'tls',
  type: 'unsupported',
  kind: 'mutualTLS',
  description: '',
  pointer: '/s/tls',
};

const at = (path: string, security: readonly SecurityAlternative[], over: Partial<OperationModel> = {}) =>
  operation({ id: `get_${path}`, path: `/${path}`, security, declaresSecurity: true, ...over });

function credentialOf(
  securitySchemes: readonly SecuritySchemeModel[],
  operations: readonly OperationModel[],
  { security = [], credential = {}, servers }: { readonly [member: string]: unknown } = {},
) {
  const options = { securitySchemes, security: security as readonly SecurityAlternative[] };
  const model = service(operations, { ...options, ...(servers === undefined ? {} : { servers: servers as never }) });
  const { connector, problems } = build(model, { credential: credential as object });
  const { parts, alternatives = [], extras = [] } = connector.credential;
  const idsOf = (kind: { readonly parts: readonly { readonly id: string }[] }) => kind.parts.map(({ id }) => id);
  return {
    kinds: [{ parts }, ...alternatives].map(idsOf),
    extras: extras.map(idsOf),
    extra: Object.fromEntries(connector.tools.map(({ name, extra }) => [name.replace('shop_get_', ''), extra])),
    sent: Object.fromEntries(
      connector.tools.map(({ name, credential: sent }) => [name.replace('shop_get_', ''), sent]),
    ),
    problems,
  };
}

const orders = <Value>(values: readonly Value[]): readonly (readonly Value[])[] => [values, values.toReversed()];

describe('the credential of least privilege', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  const pairs: [string, SecuritySchemeModel, SecuritySchemeModel][] = [
    ['the name of a scheme', inHeader('userKey'), inHeader('adminKey')],
    ['the name of a scheme that is one of an organisation', inHeader('Pat'), inHeader('OrgToken')],
    ['the name of a scheme with few rights', inHeader('publishableKey'), inHeader('secretKey')],
    ['the name of a scheme that only reads', inHeader('readOnlyKey'), inHeader('writeKey')],
    ['the name of a scheme with all rights', inHeader('limited'), inHeader('fullAccessKey')],
    ['the description of a scheme', inHeader('keyA'), inHeader('keyB', 'The key of an administrator.')],
    ['what a scheme opens in addition', inHeader('keyA'), inHeader('keyB')],
    ['what a bearer opens in addition to a key', inHeader('keyA'), bearer('tokenB')],
  ];

  test.each(pairs)('is chosen by %s, in any order of schemes and alternatives', (_, weak, strong) => {
    for (const schemes of orders([weak, strong])) {
      for (const either of orders([needs(weak.id), needs(strong.id)])) {
        const operations = [...names.map((name) => at(name, either)), at('all', [needs(strong.id)])];
        const { kinds, extras, sent, extra, problems } = credentialOf(schemes, operations, { security: either });
        expect(kinds).toEqual([[weak.id]]);
        expect(extras).toEqual([[strong.id]]);
        expect(extra).toEqual({
          ...Object.fromEntries(names.map((name) => [name, undefined])),
          all: expect.any(String),
        });
        expect(sent.all?.flat() ?? [strong.id]).toEqual([strong.id]);
        expect(names.map((name) => sent[name])).toEqual(names.map(() => undefined));
        expect(problems).toEqual([]);
      }
    }
  });

  test('asks for a powerful scheme only if a tool needs it', () => {
    const either = [needs('adminKey'), needs('userKey')];
    const operations = [at('a', either), at('b', either)];
    const { kinds, extras } = credentialOf([inHeader('adminKey'), inHeader('userKey')], operations, {
      security: either,
    });
    expect({ kinds, extras }).toEqual({ kinds: [['userKey']], extras: [] });
  });

  test('asks for nothing that the operations with tools do not accept', () => {
    const { kinds, extras } = credentialOf([inHeader('key')], [at('a', [])], { security: [needs('key')] });
    expect({ kinds, extras }).toEqual({ kinds: [[]], extras: [] });
  });

  test('prefers the scheme that more operations accept among equal ones', () => {
    const schemes = [inHeader('rare'), inHeader('usual')];
    const operations = [
      at('a', [needs('rare'), needs('usual')]),
      at('b', [needs('usual')]),
      at('c', [needs('usual')]),
      at('d', [needs('usual')]),
    ];
    expect(credentialOf(schemes, operations)).toMatchObject({ kinds: [['usual']], extras: [] });
  });

  test('follows the order of the descriptor among schemes that open the same', () => {
    for (const [first = '', second = ''] of orders(['red', 'blue'])) {
      const either = [needs(first), needs(second)];
      const { kinds } = credentialOf([inHeader('red'), inHeader('blue')], [at('a', either), at('b', either)]);
      expect(kinds).toEqual([[first]]);
    }
  });

  test('takes several user credentials rather than one of an administrator', () => {
    for (const either of orders([needs('admin'), needs('user', 'team')])) {
      const schemes = [inHeader('admin'), inHeader('user'), inHeader('team')];
      expect(credentialOf(schemes, [at('a', either), at('b', either)])).toMatchObject({
        kinds: [['user', 'team']],
        extras: [],
      });
    }
  });

  test('takes the powerful scheme where no weaker one can be sent', () => {
    const operations = [at('a', [needs('user')]), at('b', [needs('user')]), at('c', [needs('tls'), needs('admin')])];
    const { extras, sent } = credentialOf([mutualTls, inHeader('admin'), inHeader('user')], operations);
    expect(extras).toEqual([['admin']]);
    expect(sent.c).toEqual([['admin']]);
  });

  test('is joined by an extra of connector.yaml that is for another alternative than the weakest', () => {
    const schemes = [inHeader('user'), inHeader('plan'), inHeader('owner')];
    const operations = [...names.map((name) => at(name, [needs('user')])), at('all', [needs('plan'), needs('owner')])];
    const credential = { extras: [{ label: 'Owner', schemes: ['owner'] }] };
    const { kinds, extra, problems } = credentialOf(schemes, operations, { credential, security: [needs('user')] });
    expect({ kinds, problems }).toEqual({ kinds: [['user']], problems: [] });
    expect(extra.all).toBe('Owner');
  });

  test("is connector.yaml's where that names a scheme", () => {
    const either = [needs('userKey'), needs('adminKey')];
    const credential = { schemes: ['adminKey'] };
    const schemes = [inHeader('userKey'), inHeader('adminKey')];
    const { kinds, sent } = credentialOf(schemes, [at('a', either)], { credential });
    expect({ kinds, sent }).toEqual({ kinds: [['adminKey']], sent: { a: undefined } });
  });
});

describe('the credential that a tool is sent with', () => {
  const schemes = [inHeader('key'), inHeader('team')];
  const withKey = at('needing', [needs('key')]);

  test.each<[string, readonly SecurityAlternative[]]>([
    ['an empty requirement', []],
    ['only the alternative without a scheme', [needs()]],
  ])('is none for %s', (_, security) => {
    expect(credentialOf(schemes, [withKey, at('open', security)]).sent).toEqual({ needing: undefined, open: [] });
    const decided = { credential: { schemes: ['key'] } };
    expect(credentialOf(schemes, [withKey, at('open', security)], decided).sent.open).toEqual([]);
    const described = { credential: { parts: [{ id: 'own', type: 'bearer', label: 'Token' }] } };
    expect(credentialOf(schemes, [withKey, at('open', security)], described).sent.open).toEqual([]);
  });

  test('is none for an operation without a requirement, if others have one', () => {
    const open = operation({ id: 'get_open', path: '/open' });
    expect(credentialOf(schemes, [withKey, open], { credential: { schemes: ['key'] } }).sent.open).toEqual([]);
  });

  test('is reported if connector.yaml names it and no operation is sent it', () => {
    const decided = { credential: { schemes: ['key', 'team'] } };
    expect(credentialOf(schemes, [at('open', [])], decided).problems).toMatchObject([
      {
        code: 'credential-unsent',
        pointer: '/credential',
        message: 'key and team is not sent to the operation with a tool.',
      },
    ]);
    expect(credentialOf(schemes, [withKey, at('other', [])], decided).problems).toMatchObject([
      { code: 'credential-unsent', message: 'team is not sent to any of the 2 operations with a tool.' },
    ]);
  });

  test('is that of connector.yaml if the descriptor declares no requirement at all', () => {
    const open = operation({ id: 'get_open', path: '/open' });
    const closed = at('closed', []);
    const { sent } = credentialOf([], [open, closed], {
      credential: { parts: [{ id: 'own', type: 'bearer', label: 'Token' }] },
    });
    expect(sent).toEqual({ open: undefined, closed: [] });
  });

  test('is sent where it is optional, unless it is powerful', () => {
    const admin = inHeader('admin');
    for (const optional of orders([needs(), needs('key')])) {
      expect(credentialOf(schemes, [withKey, at('optional', optional)]).sent.optional).toBeUndefined();
    }
    for (const optional of orders([needs(), needs('admin')])) {
      const operations = [at('needing', [needs('admin')]), at('optional', optional)];
      expect(credentialOf([admin], operations).sent.optional).toEqual([]);
    }
  });

  test('is without the parts that only other operations need', () => {
    const both = at('both', [needs('key', 'team')]);
    const { kinds, sent } = credentialOf(schemes, [withKey, both, at('more', [needs('key', 'team')])]);
    expect(kinds).toEqual([['key', 'team']]);
    expect(sent).toEqual({ needing: [['key']], both: undefined, more: undefined });
  });

  test('has the secret of a parameter that the operation requires itself', () => {
    const parameters = [parameter('X-key', { in: 'header', required: true })];
    const operations = [withKey, at('open', [], { parameters })];
    expect(credentialOf(schemes, operations).sent.open).toBeUndefined();
  });

  test('is part of an extra with the fewest schemes that open the operation', () => {
    const main = [1, 2, 3, 4, 5, 6].map((number) => at(`m${number}`, [needs('main')]));
    const operations = [...main, at('pair', [needs('key', 'team')]), at('single', [needs('key')])];
    const { extras, sent } = credentialOf([inHeader('main'), ...schemes], operations);
    expect(extras).toEqual(expect.arrayContaining([['key'], ['key', 'team']]));
    expect(sent).toMatchObject({ pair: [['key', 'team']], single: [['key']] });
  });
});

describe('the credential on another host', () => {
  const host = (name: string, url: string) => ({
    url: `{${name}}`,
    variables: [{ name, default: url }],
    pointer: '/servers',
  });
  const servers = [
    host('base_url', 'https://shop.example/v1'),
    host('same_base_url', 'https://shop.example/v2'),
    host('other_base_url', 'https://other.example'),
  ];
  const onEach = (security: readonly SecurityAlternative[]) => [
    at('main', security, { server: '{base_url}' }),
    at('same', security, { server: '{same_base_url}' }),
    at('other', security, { server: '{other_base_url}' }),
  ];

  test('is sent if the descriptor declares it for the operation there', () => {
    const { sent } = credentialOf([inHeader('key')], onEach([needs('key')]), { servers });
    expect(sent).toEqual({ main: undefined, same: undefined, other: undefined });
  });

  test('is not sent if only connector.yaml describes it', () => {
    const operations = onEach([]).map(({ declaresSecurity: _, ...one }) => one);
    const credential = { parts: [{ id: 'own', type: 'bearer', label: 'Token' }] };
    const { sent } = credentialOf([], operations, { servers, credential });
    expect(sent).toEqual({ main: undefined, same: undefined, other: [] });
  });

  test('is not joined by what connector.yaml adds to every kind', () => {
    const credential = { also: [{ id: 'added', type: 'header', name: 'X-Added', label: 'Added' }] };
    const { sent } = credentialOf([inHeader('key')], onEach([needs('key')]), { servers, credential });
    expect(sent).toEqual({ main: undefined, same: undefined, other: [['key']] });
  });
});
