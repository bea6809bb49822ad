import { describe, expect, it } from 'vitest';
import type { ParameterModel } from '../../../../codegen/model/types.ts';
import type { ParameterStyle } from '../../../../codegen/tools/call-model.ts';
import { build, buildOne, operation, parameter, propertiesOf, service } from '../service.ts';

const LIST = { type: 'array', items: { type: 'string' } };
const MAP = { type: 'object', additionalProperties: { type: 'string' } };
const JSON_TYPE = 'application/json';

const inPath = (over: Partial<ParameterModel> & { readonly name?: string }) => ({
  path: `/things/{${over.name ?? 'x'}}`,
  parameters: [parameter(over.name ?? 'x', { in: 'path', ...over })],
});
const inPlace = (place: 'header' | 'cookie' | 'query', over: Partial<ParameterModel>) => ({
  parameters: [parameter('x', { in: place, ...over })],
});

describe('styles of the call', () => {
  it.each<[title: string, over: Parameters<typeof buildOne>[0], want: ParameterStyle | undefined]>([
    ['of a plain path value', inPath({}), undefined],
    ['of a path array', inPath({ schema: LIST }), { style: 'simple', explode: false }],
    ['of a label', inPath({ style: 'label' }), { style: 'label', explode: false }],
    [
      'of an exploded matrix object',
      inPath({ style: 'matrix', explode: true, schema: MAP }),
      { style: 'matrix', explode: true },
    ],
    ['of a path value of any type', inPath({ schema: {} }), { style: 'simple', explode: false }],
    ['of a path document', inPath({ mediaType: JSON_TYPE, schema: { type: 'string' } }), { content: JSON_TYPE }],
    ['of a name that starts with an operator', inPath({ name: '.x' }), { style: 'simple', explode: false }],
    ['of a name that ends with an operator', inPath({ name: 'x*' }), { style: 'simple', explode: false }],
    ['of a plain header', inPlace('header', {}), undefined],
    ['of a header array', inPlace('header', { schema: LIST }), { style: 'simple', explode: false }],
    [
      'of an exploded header object',
      inPlace('header', { explode: true, schema: MAP }),
      { style: 'simple', explode: true },
    ],
    ['of a header document', inPlace('header', { mediaType: 'text/plain' }), { content: 'text/plain' }],
    ['of a plain cookie', inPlace('cookie', {}), undefined],
    ['of a cookie array', inPlace('cookie', { schema: LIST }), { style: 'form', explode: true }],
    ['of a cookie object', inPlace('cookie', { explode: false, schema: MAP }), { style: 'form', explode: false }],
    [
      'of a cookie document',
      inPlace('cookie', { mediaType: 'application/vnd.x+json' }),
      { content: 'application/vnd.x+json' },
    ],
    ['of a query document', inPlace('query', { mediaType: JSON_TYPE, schema: MAP }), { content: JSON_TYPE }],
  ])('%s', (_, over, want) => {
    const { tool } = buildOne(over);
    const [given] = over.parameters ?? [];
    const { path, query, header, cookie } = tool.call.styles;
    expect([path, query, header, cookie].flatMap((styles) => Object.entries(styles))).toEqual(
      want === undefined ? [] : [[given?.name, want]],
    );
    expect(tool.call[given!.in]).toEqual([{ wireName: given!.name, value: { kind: 'argument', name: 'x' } }]);
    expect(tool.arguments[0]?.wire).toEqual({ in: given!.in, name: given!.name });
  });
});

describe('the members of an object in a path', () => {
  it('are sent together', () => {
    const { tool } = buildOne(inPath({ schema: MAP }), {
      tools: {
        shop_get: { operation: 'listThings', arguments: { size: { wire: 'path.x[size]', description: 'Size.' } } },
      },
    });
    expect(tool.call.path).toEqual([
      {
        wireName: 'x',
        value: { kind: 'entries', entries: [{ key: { constant: 'size' }, argument: 'size' }] },
      },
    ]);
  });
});

describe('schemas of documents', () => {
  it('are strings where a text document has no type', () => {
    const { tool } = buildOne(inPlace('query', { mediaType: 'text/plain', schema: {} }));
    expect(propertiesOf(tool.inputSchema).x).toEqual({ type: 'string', description: 'The x.', minLength: 1 });
  });

  it.each([
    ['an array', LIST, { minItems: 1 }],
    ['an object', MAP, { minProperties: 1 }],
    ['an array that requires more', { ...LIST, minItems: 2 }, { minItems: 2 }],
    ['an array behind a reference', { $ref: '#/components/schemas/List' }, { minItems: 1 }],
    ['a string', { type: 'string' }, {}],
  ])('require at least one element in %s that is required', (_, schema, want) => {
    const { tool } = buildOne(inPath({ schema }), {}, { schemas: { '#/components/schemas/List': LIST } });
    const { minItems, minProperties } = propertiesOf(tool.inputSchema).x ?? {};
    expect({ minItems, minProperties }).toEqual({ minItems: undefined, minProperties: undefined, ...want });
    for (const over of [inPath({ schema: LIST, mediaType: JSON_TYPE }), inPlace('query', { schema: LIST })]) {
      expect(propertiesOf(buildOne(over).tool.inputSchema).x).not.toHaveProperty('minItems');
    }
    const cookie = buildOne(inPlace('cookie', { schema: LIST, required: true }));
    expect(propertiesOf(cookie.tool.inputSchema).x).toMatchObject({ minItems: 1 });
  });

  it('keep null in JSON, which can say it, and nowhere else', () => {
    const schema = { type: ['string', 'null'] };
    const typeOf = (over: Partial<ParameterModel>) =>
      propertiesOf(buildOne(inPlace('query', { schema, ...over })).tool.inputSchema).x?.type;
    expect(typeOf({ mediaType: JSON_TYPE })).toEqual(['string', 'null']);
    expect(typeOf({ mediaType: 'text/plain' })).toBe('string');
    expect(typeOf({})).toBe('string');
  });
});

describe('nested values', () => {
  const nested = { type: 'array', items: { type: 'object' } };
  it.each<[title: string, over: Parameters<typeof buildOne>[0], message: string]>([
    ['a query', inPlace('query', { schema: nested }), 'shop_list_things writes nested values of query.x as JSON.'],
    [
      'a deep object',
      inPlace('query', { style: 'deepObject', schema: { type: 'object', additionalProperties: nested } }),
      'shop_list_things writes nested values of query.x as x[a][b]=.',
    ],
    ['a path', inPath({ schema: nested }), 'shop_list_things writes nested values of path.x as JSON.'],
    ['a cookie', inPlace('cookie', { schema: nested }), 'shop_list_things writes nested values of cookie.x as JSON.'],
  ])('of %s are sent with a warning', (_, over, message) => {
    const { tool, problems } = buildOne(over);
    expect(tool.arguments.map(({ name }) => name)).toEqual(['x']);
    expect(problems.map((problem) => [problem.code, problem.message])).toEqual([['parameter-nested', message]]);
  });

  it('of a JSON document need no warning', () => {
    expect(buildOne(inPlace('query', { mediaType: JSON_TYPE, schema: nested })).codes).toEqual([]);
  });

  it('are not reported where connector.yaml omits the parameter', () => {
    const tools = { shop_list: { operation: 'listThings', description: 'Lists.', omit: ['query.x'] } };
    expect(buildOne(inPlace('query', { schema: nested }), { tools }).codes).toEqual([]);
  });
});

describe('cookies', () => {
  it('are offered, renamed, fixed and left out by their wire addresses', () => {
    const cookie = (name: string) => parameter(name, { in: 'cookie' });
    const { tool, codes } = build(
      service([operation({ parameters: [cookie('sid'), cookie('theme'), cookie('lang'), parameter('lang')] })]),
      {
        tools: {
          shop_list: {
            operation: 'listThings',
            description: 'Lists.',
            fixed: { 'cookie.theme': 'dark' },
            arguments: { session: { wire: 'cookie.sid', description: 'Session.' } },
          },
        },
      },
    );
    expect(codes).toEqual(['argument-name-collision']);
    expect(tool.call.cookie).toEqual([
      { wireName: 'sid', value: { kind: 'argument', name: 'session' } },
      { wireName: 'theme', value: { kind: 'constant', value: 'dark' } },
      { wireName: 'lang', value: { kind: 'argument', name: 'cookieLang' } },
    ]);
    expect(tool.call.query).toEqual([{ wireName: 'lang', value: { kind: 'argument', name: 'lang' } }]);
  });

  it('may not take the names of others where a member of an exploded object is chosen at run time', () => {
    const { tool } = build(
      service([
        operation({
          parameters: [
            parameter('prefs', { in: 'cookie', schema: MAP }),
            parameter('sid', { in: 'cookie' }),
            parameter('q'),
          ],
        }),
      ]),
      {
        tools: {
          shop_list: {
            operation: 'listThings',
            arguments: {
              key: { sent: false, required: true, description: 'Key.', pattern: '^[a-z]{1,9}$' },
              value: { wire: 'cookie.prefs[{key}]', description: 'Value.', required: true },
            },
          },
        },
      },
    );
    expect(propertiesOf(tool.inputSchema).key?.not).toEqual({ enum: ['sid'] });
  });
});
