import { describe, expect, it } from 'vitest';
import { build, buildOne, jsonBody, needs, operation, parameter, service } from '../service.ts';

describe('arguments', () => {
  const parameters = [
    parameter('page_size', { schema: { type: 'integer', minimum: 1, maximum: 100, default: 10 } }),
    parameter('sort', { required: true }),
    parameter('partition', { in: 'header' }),
    parameter('thing_id', { in: 'path' }),
  ];
  const body = jsonBody({
    type: 'object',
    properties: {
      top_k: { type: 'integer', description: 'How many.' },
      query: { type: 'string', description: 'What.' },
    },
    required: ['query'],
  });
  const over = { method: 'POST', path: '/things/{thing_id}', parameters, body } as const;

  it('are path first, then required, then the rest, in the order of the descriptor', () => {
    const { tool, codes } = buildOne(over);
    expect(tool.inputSchema).toEqual({
      type: 'object',
      properties: {
        thingId: { type: 'string', description: 'The thing_id.' },
        sort: { type: 'string', description: 'The sort.' },
        query: { type: 'string', description: 'What.' },
        pageSize: { type: 'integer', description: 'The page_size.', minimum: 1, maximum: 100, default: 10 },
        partition: { type: 'string', description: 'The partition.', minLength: 1 },
        topK: { type: 'integer', description: 'How many.' },
      },
      required: ['thingId', 'sort', 'query'],
      additionalProperties: false,
    });
    expect(Object.keys(tool.inputSchema.properties as object)).toEqual([
      'thingId',
      'sort',
      'query',
      'pageSize',
      'partition',
      'topK',
    ]);
    expect(codes).toEqual([]);
  });

  it('give the place where each value is sent', () => {
    const { tool } = buildOne(over);
    expect(tool.arguments.map(({ name, wire }) => [name, wire])).toEqual([
      ['thingId', { in: 'path', name: 'thing_id' }],
      ['sort', { in: 'query', name: 'sort' }],
      ['query', { in: 'body', mediaType: 'application/json', name: 'query' }],
      ['pageSize', { in: 'query', name: 'page_size' }],
      ['partition', { in: 'header', name: 'partition' }],
      ['topK', { in: 'body', mediaType: 'application/json', name: 'top_k' }],
    ]);
    expect(tool.call).toEqual({
      path: [{ wireName: 'thing_id', value: { kind: 'argument', name: 'thingId' } }],
      query: [
        { wireName: 'page_size', value: { kind: 'argument', name: 'pageSize' } },
        { wireName: 'sort', value: { kind: 'argument', name: 'sort' } },
      ],
      header: [{ wireName: 'partition', value: { kind: 'argument', name: 'partition' } }],
      cookie: [],
      body: {
        kind: 'members',
        mediaType: 'application/json',
        required: true,
        members: [
          { wireName: 'top_k', value: { kind: 'argument', name: 'topK' } },
          { wireName: 'query', value: { kind: 'argument', name: 'query' } },
        ],
      },
      styles: { path: {}, query: {}, header: {}, cookie: {} },
    });
  });

  it('take names, order, texts and constraints from connector.yaml', () => {
    const { tool, codes } = buildOne(over, {
      tools: {
        shop_find: {
          operation: 'listThings',
          arguments: {
            limit: { wire: 'query.page_size', description: 'At most 50.', maximum: 50, required: true },
            topK: { enum: [1, 2] },
          },
        },
      },
    });
    expect(codes).toEqual([]);
    expect(tool.arguments.map(({ name }) => name)).toEqual(['thingId', 'limit', 'sort', 'query', 'topK', 'partition']);
    expect(tool.arguments[1]?.schema).toEqual({
      type: 'integer',
      description: 'At most 50.',
      minimum: 1,
      maximum: 50,
      default: 10,
    });
    expect(tool.arguments[4]?.schema).toEqual({ type: 'integer', description: 'How many.', enum: [1, 2] });
  });

  it('take defaults of the service where the tool has the place, unless the tool overrides them', () => {
    const input = {
      defaults: {
        arguments: {
          limit: { wire: 'query.page_size', description: 'Common words.', maximum: 20 },
          sort: { description: 'Common sort.' },
        },
      },
      tools: { shop_find: { operation: 'listThings', arguments: { limit: { maximum: 5 } } } },
    };
    const { connector, codes } = build(
      service([operation(over), operation({ id: 'other', path: '/other', parameters: [parameter('sort')] })]),
      input,
    );
    expect(codes).toEqual([]);
    const [find, other] = connector.tools;
    expect(find?.arguments.find(({ name }) => name === 'limit')?.schema).toEqual({
      type: 'integer',
      description: 'Common words.',
      minimum: 1,
      maximum: 5,
      default: 10,
    });
    expect(other?.arguments.map(({ name, schema }) => [name, schema.description])).toEqual([['sort', 'Common sort.']]);
  });

  it('leave out what is fixed and omitted, and send what is fixed', () => {
    const { tool, codes } = buildOne(over, {
      tools: {
        shop_find: {
          operation: 'listThings',
          fixed: { 'query.sort': 'asc', 'body.top_k': 3 },
          omit: ['header.partition', 'query.page_size'],
        },
      },
    });
    expect(codes).toEqual([]);
    expect(tool.arguments.map(({ name }) => name)).toEqual(['thingId', 'query']);
    expect(tool.call.query).toEqual([{ wireName: 'sort', value: { kind: 'constant', value: 'asc' } }]);
    expect(tool.call.header).toEqual([]);
    expect(tool.call.body).toEqual({
      kind: 'members',
      mediaType: 'application/json',
      required: true,
      members: [
        { wireName: 'top_k', value: { kind: 'constant', value: 3 } },
        { wireName: 'query', value: { kind: 'argument', name: 'query' } },
      ],
    });
  });

  it('that collide are resolved by place and reported', () => {
    const { tool, problems } = buildOne({
      method: 'PATCH',
      path: '/things/{name}',
      parameters: [parameter('name', { in: 'path' })],
      body: jsonBody({ type: 'object', properties: { name: { type: 'string', description: 'New name.' } } }),
    });
    expect(tool.arguments.map(({ name }) => name)).toEqual(['name', 'bodyName']);
    expect(problems).toEqual([
      {
        code: 'argument-name-collision',
        file: 'specs/shop/openapi.yaml',
        pointer: '/paths/~1things~1{name}/patch',
        message:
          'In shop_list_things, the name name is wanted twice: body.name became bodyName, path.name became name.',
      },
    ]);
  });

  it('never include what the credential sets', () => {
    const { tool } = buildOne(
      {
        parameters: [parameter('x-api-key', { in: 'header', required: true }), parameter('api_key'), parameter('page')],
      },
      {},
      {
        securitySchemes: [
          { id: 'key', type: 'apiKey', in: 'header', name: 'X-API-Key', description: '', pointer: '' },
          { id: 'other', type: 'apiKey', in: 'query', name: 'api_key', description: '', pointer: '' },
        ],
        security: [needs('key'), needs('other')],
      },
    );
    expect(tool.arguments.map(({ name }) => name)).toEqual(['page']);
  });

  it('give the wire name in the description where the argument name differs from it', () => {
    const { tool } = buildOne({ parameters: [parameter('名前', { description: 'Name of the thing.' })] });
    expect(tool.arguments[0]?.name).toMatch(/^arg_/);
    expect(tool.arguments[0]?.schema.description).toBe('Name of the thing. Sent as 名前.');
  });

  it('mention deprecation in the description', () => {
    const { tool } = buildOne({ parameters: [parameter('old', { deprecated: true })] });
    expect(tool.arguments[0]?.schema).toEqual({ type: 'string', description: 'Deprecated. The old.', minLength: 1 });
  });

  it('without any text are one warning per tool', () => {
    const { problems } = buildOne({
      parameters: [parameter('a', { description: '' }), parameter('b', { description: '' })],
    });
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['argument-undescribed', 'shop_list_things does not describe a, b.'],
    ]);
  });
});

describe('query styles', () => {
  it.each([
    ['a plain value needs none', { schema: { type: 'string' } }, {}],
    [
      'an exploded array',
      { schema: { type: 'array', items: { type: 'string' } } },
      { x: { style: 'form', explode: true, allowReserved: false } },
    ],
    [
      'a comma-joined array',
      { explode: false, schema: { type: 'array', items: { type: 'string' } } },
      { x: { style: 'form', explode: false, allowReserved: false } },
    ],
    [
      'a pipe-delimited array behind a reference',
      { style: 'pipeDelimited', explode: false, schema: { $ref: '#/components/schemas/Ids' } },
      { x: { style: 'pipeDelimited', explode: false, allowReserved: false } },
    ],
    [
      'a deep object',
      { style: 'deepObject', schema: { type: 'object', properties: { gte: { type: 'string' } } } },
      { x: { style: 'deepObject', explode: true, allowReserved: false } },
    ],
    [
      'one value or many',
      { schema: { anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }] } },
      { x: { style: 'form', explode: true, allowReserved: false } },
    ],
    ['reserved characters', { allowReserved: true }, { x: { style: 'form', explode: true, allowReserved: true } }],
    ['a value of any type', { schema: {} }, { x: { style: 'form', explode: true, allowReserved: false } }],
  ])('%s', (_title, over, want) => {
    const schemas = { '#/components/schemas/Ids': { type: 'array', items: { type: 'integer' } } };
    const { tool } = buildOne({ parameters: [parameter('x', over)] }, {}, { schemas });
    expect(tool.call.styles.query).toEqual(want);
  });
});

describe('dynamic names', () => {
  const filters = parameter('filters', { schema: { type: 'object', additionalProperties: { type: 'string' } } });
  const over = { parameters: [filters, parameter('per_page'), parameter('Limit')] };
  const scheme = { id: 'key', type: 'apiKey', in: 'query', name: 'api_key', description: '', pointer: '' } as const;
  const options = { securitySchemes: [scheme], security: [needs('key')] };
  const column = { sent: false, required: true, description: 'Column.', pattern: '^[A-Za-z_]{1,20}$' };
  const value = { wire: 'query.filters[{column}]', description: 'Value.', required: true };
  const withArguments = (args: object) => ({ tools: { shop_filter: { operation: 'listThings', arguments: args } } });

  it('become entries whose key is an argument', () => {
    const ticker = { wire: 'query.filters[ticker]', description: 'Ticker.' };
    const { tool, problems } = buildOne(over, withArguments({ column, value, ticker }), options);
    expect(problems).toEqual([]);
    expect(tool.call.query[0]).toEqual({
      wireName: 'filters',
      value: {
        kind: 'entries',
        entries: [
          { key: { argument: 'column' }, argument: 'value' },
          { key: { constant: 'ticker' }, argument: 'ticker' },
        ],
      },
    });
    expect(tool.call.styles.query).toEqual({ filters: { style: 'form', explode: true, allowReserved: false } });
    expect(tool.arguments.map(({ name, required, wire }) => [name, required, wire])).toEqual([
      ['column', true, null],
      ['value', true, null],
      ['ticker', false, null],
      ['perPage', false, { in: 'query', name: 'per_page' }],
      ['limit', false, { in: 'query', name: 'Limit' }],
    ]);
  });

  it('reject names of other parameters, fixed keys and the credential that the pattern allows', () => {
    const ticker = { wire: 'query.filters[ticker]', description: 'Ticker.' };
    const { tool } = buildOne(over, withArguments({ column, value, ticker }), options);
    expect(tool.arguments[0]?.schema).toEqual({
      type: 'string',
      description: 'Column.',
      pattern: '^[A-Za-z_]{1,20}$',
      not: {
        enum: ['API_KEY', 'LIMIT', 'Limit', 'PER_PAGE', 'TICKER', 'api_key', 'limit', 'per_page', 'ticker'],
      },
    });
  });

  it('keep the names that connector.yaml already rejects', () => {
    const own = { ...column, schema: { type: 'string', not: { enum: ['secret'] } } };
    const { tool } = buildOne({ parameters: [filters] }, withArguments({ column: own, value }), options);
    expect(tool.arguments[0]?.schema.not).toEqual({ enum: ['API_KEY', 'api_key', 'secret'] });
  });

  it('need no list of rejected names where the pattern excludes them', () => {
    const own = { ...column, pattern: '^[a-z]+\\.eq$' };
    const { tool } = buildOne(over, withArguments({ column: own, value }), options);
    expect(tool.arguments[0]?.schema.not).toBeUndefined();
  });

  it.each<[string, object, string]>([
    ['an optional name', { column: { ...column, required: undefined }, value }, 'is optional'],
    ['a name without a pattern', { column: { ...column, pattern: undefined }, value }, 'no `pattern`'],
    ['an open pattern', { column: { ...column, pattern: '[a-z]+' }, value }, 'not anchored'],
    ['a pattern with an escaped end', { column: { ...column, pattern: '^[a-z]+\\$' }, value }, 'not anchored'],
    ['a pattern with a loose alternative', { column: { ...column, pattern: '^a|b$' }, value }, 'not anchored'],
    [
      'a pattern for the empty name',
      { column: { ...column, pattern: '^[a-z]*$' }, value },
      'lets the empty name through',
    ],
    ['a name that is not an argument', { value }, 'no argument of the tool'],
    ['a name that is itself sent', { column: { wire: 'query.per_page' }, value }, 'is sent itself'],
  ])('report %s', (_title, args, words) => {
    const { problems } = buildOne(over, withArguments(JSON.parse(JSON.stringify(args))), options);
    expect(problems.map(({ code }) => code)).toContain('config-dynamic-name');
    expect(problems.find(({ code }) => code === 'config-dynamic-name')?.message).toContain(words);
  });
});

describe('agreements', () => {
  const over = {
    path: '/{vendor}/{table}',
    parameters: [parameter('vendor', { in: 'path' }), parameter('table', { in: 'path' })],
  };
  const withCode = (code: object) => ({ tools: { shop_read: { operation: 'listThings', arguments: { code } } } });

  it('check an argument that is not sent', () => {
    const code = { sent: false, mustEqual: '{vendor}/{table}', required: true, description: 'VENDOR/TABLE.' };
    const { tool, codes } = buildOne(over, withCode(code));
    expect(codes).toEqual([]);
    expect(tool.agreements).toEqual([{ argument: 'code', template: '{vendor}/{table}' }]);
    expect(tool.inputSchema.required).toEqual(['vendor', 'table', 'code']);
    expect(tool.arguments[2]).toEqual({
      name: 'code',
      required: true,
      schema: { type: 'string', description: 'VENDOR/TABLE.' },
      wire: null,
    });
  });

  it.each<[string, object, string, string]>([
    ['an unknown argument', { sent: false, mustEqual: '{vendr}/{table}' }, 'config-agreement', '{vendr}'],
    ['itself', { sent: false, mustEqual: '{code}' }, 'config-agreement', 'must equal itself'],
    ['no condition', { sent: false }, 'config-argument-unused', 'names no key'],
  ])('report a check against %s', (_title, code, want, words) => {
    const { problems } = buildOne(over, withCode({ description: 'x', ...code }));
    expect(problems.map(({ code: found }) => found)).toEqual([want]);
    expect(problems[0]?.message).toContain(words);
  });
});
