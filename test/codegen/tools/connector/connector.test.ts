import { describe, expect, it, test } from 'vitest';
import type { Method, SecurityAlternative, SecuritySchemeModel } from '../../../../codegen/model/types.ts';
import { isStreamMediaType } from '../../../../codegen/tools/body/media-types.ts';
import { isStream } from '../../../../server/call/upstream/answer.ts';
import { build, buildOne, jsonBody, needs, operation, parameter, propertiesOf, service } from '../service.ts';

const get = operation({ id: 'getThing', path: '/things/{id}', parameters: [parameter('id', { in: 'path' })] });
const list = operation({ id: 'listThings' });
const remove = operation({
  id: 'removeThing',
  method: 'DELETE',
  path: '/things/{id}',
  parameters: [parameter('id', { in: 'path' })],
});

describe('exposure', () => {
  it('is every operation without connector.yaml, sorted by name', () => {
    const { connector, codes } = build(service([remove, list, get]));
    expect(connector.tools.map(({ name }) => name)).toEqual([
      'shop_get_thing',
      'shop_list_things',
      'shop_remove_thing',
    ]);
    expect(connector.notExposed).toEqual([]);
    expect(codes).toEqual([]);
  });

  it('leaves out what connector.yaml excludes, with its reason', () => {
    const { connector, codes } = build(service([list, get]), { notExposed: { 'get /things/{id}': 'Not useful.' } });
    expect(connector.tools.map(({ name }) => name)).toEqual(['shop_list_things']);
    expect(connector.notExposed).toEqual([
      { method: 'GET', path: '/things/{id}', id: 'getThing', reason: 'Not useful.', by: 'connector.yaml' },
    ]);
    expect(codes).toEqual([]);
  });

  it('allows several tools on one operation', () => {
    const { connector } = build(service([list]), {
      tools: { shop_new: { operation: 'listThings' }, shop_all: { operation: 'GET /things' } },
    });
    expect(connector.tools.map(({ name }) => name)).toEqual(['shop_all', 'shop_new']);
  });

  it('of only listed operations reports the others once', () => {
    const { connector, problems } = build(service([list, get, remove]), {
      expose: 'listed',
      tools: { shop_list: { operation: 'listThings' } },
      notExposed: { getThing: 'Not useful.' },
    });
    expect(connector.tools.map(({ name }) => name)).toEqual(['shop_list']);
    expect(connector.notExposed.map(({ id, reason }) => [id, reason])).toEqual([
      ['removeThing', 'connector.yaml exposes listed operations only.'],
      ['getThing', 'Not useful.'],
    ]);
    expect(problems.map(({ code, pointer, message }) => [code, pointer, message])).toEqual([
      ['operation-unlisted', '/expose', 'Neither tools nor notExposed name 1 operations: removeThing.'],
    ]);
  });

  it('of a selection says nothing of the others, and offers the optional arguments that it names', () => {
    const many = operation({
      id: 'addThing',
      method: 'POST',
      parameters: ['dry', 'page', 'trace', 'size'].map((name) => parameter(name, { required: name === 'dry' })),
      body: jsonBody({ type: 'object', required: ['name'], properties: { name: {}, note: {}, tag: {}, rest: {} } }),
    });
    const config = {
      tools: { shop_add: { operation: 'addThing', arguments: { note: {}, label: { wire: 'body.tag' } } } },
      defaults: { arguments: { page: { description: 'The page.' } }, fixed: { 'query.trace': 'no' } },
    };
    const argumentsOf = (expose: string) => {
      const { connector, codes } = build(service([many, remove]), { ...config, expose });
      return [(connector.tools[0]?.arguments ?? []).map(({ name }) => name).toSorted(), codes];
    };
    const offered = ['dry', 'label', 'name', 'note', 'page'];
    expect(argumentsOf('selection')).toEqual([offered, ['argument-undescribed']]);
    expect(argumentsOf('listed')).toEqual([
      [...offered, 'rest', 'size'],
      expect.arrayContaining(['operation-unlisted', 'argument-undescribed']),
    ]);
  });

  it.each<[string, object, string, string, string | undefined]>([
    [
      'an unknown operationId',
      { tools: { a: { operation: 'listThngs' } } },
      'config-operation-unknown',
      '/tools/a/operation',
      'Did you mean listThings? If the service no longer has it, remove it here.',
    ],
    [
      'an unknown path',
      { notExposed: { 'GET /thing': 'x' } },
      'config-operation-unknown',
      '/notExposed/GET ~1thing',
      'Did you mean GET /things? If the service no longer has it, remove it here.',
    ],
    [
      'a tool for an excluded operation',
      { tools: { a: { operation: 'GET /things' } }, notExposed: { listThings: 'x' } },
      'config-exposure-conflict',
      '/tools/a',
      undefined,
    ],
  ])('reports %s', (_title, input, code, pointer, fix) => {
    const { problems } = build(service([list, get]), input as Record<string, unknown>);
    expect(problems.map((problem) => [problem.code, problem.file, problem.pointer, problem.fix])).toEqual([
      [code, 'specs/shop/connector.yaml', pointer, fix],
    ]);
  });
});

describe('places of connector.yaml that do not exist', () => {
  const over = {
    path: '/things/{id}',
    method: 'POST',
    parameters: [parameter('id', { in: 'path' }), parameter('page_size'), parameter('sort', { required: true })],
    body: jsonBody({ type: 'object', properties: { name: { type: 'string', description: 'N.' } } }),
  } as const;
  const tool = (rest: object) => ({ tools: { shop_make: { operation: 'listThings', ...rest } } });

  it.each<[string, object, string, string, string]>([
    [
      'an argument',
      tool({ arguments: { pageSze: { description: 'x' } } }),
      'config-argument-unknown',
      '/tools/shop_make/arguments/pageSze',
      'pageSize',
    ],
    [
      'a wire place',
      tool({ arguments: { size: { wire: 'query.pagesize' } } }),
      'config-wire-unknown',
      '/tools/shop_make/arguments/size/wire',
      'query.page_size',
    ],
    [
      'a fixed place',
      tool({ fixed: { 'body.nme': 1 } }),
      'config-wire-unknown',
      '/tools/shop_make/fixed/body.nme',
      'body.name',
    ],
    [
      'an omitted place',
      tool({ omit: ['query.sorted'] }),
      'config-wire-unknown',
      '/tools/shop_make/omit/0',
      'query.sort',
    ],
    ['a required omission', tool({ omit: ['query.sort'] }), 'config-required-omitted', '/tools/shop_make/omit/0', ''],
    [
      'a key of a string',
      tool({ arguments: { x: { wire: 'query.page_size[a]', description: 'X.' } } }),
      'config-wire-unknown',
      '/tools/shop_make/arguments/x/wire',
      'brackets',
    ],
    [
      'a default that no tool uses',
      { defaults: { arguments: { nope: { description: 'x' } } } },
      'config-unused',
      '/defaults/arguments/nope',
      '',
    ],
    [
      'a default place that no tool uses',
      { defaults: { fixed: { 'query.nope': 1 } } },
      'config-unused',
      '/defaults/fixed/query.nope',
      '',
    ],
    [
      'a default omission that no tool uses',
      { defaults: { omit: ['query.nope'] } },
      'config-unused',
      '/defaults/omit/0',
      '',
    ],
    ['a verify tool', { verify: { tool: 'shop_list' } }, 'config-verify', '/verify/tool', 'shop_list_things'],
    [
      'a security scheme',
      { credential: { schemes: ['tokn'] } },
      'config-scheme-unknown',
      '/credential/schemes/0',
      'token',
    ],
    ['a label', { credential: { labels: { tokn: 'x' } } }, 'config-scheme-unknown', '/credential/labels/tokn', 'token'],
    [
      'a server variable',
      { serverVariables: { base: { env: 'X' } } },
      'config-server-variable',
      '/serverVariables/base',
      'base_url',
    ],
  ])('%s is a problem that suggests the nearest', (_title, input, code, pointer, fix) => {
    const { problems } = buildOne(over, input as Record<string, unknown>);
    expect(problems.map((problem) => [problem.code, problem.pointer])).toEqual([[code, pointer]]);
    expect(problems[0]?.fix ?? '').toContain(fix);
  });

  it.each<[string, object]>([
    ['two arguments in one place', { arguments: { a: { wire: 'query.sort' }, b: { wire: 'query.sort' } } }],
    [
      'an object and one of its keys',
      { arguments: { a: { wire: 'query.where' }, b: { wire: 'query.where[x]', description: 'X.' } } },
    ],
    [
      'one key of an object and the object',
      { arguments: { b: { wire: 'query.where[x]', description: 'X.' }, a: { wire: 'query.where' } } },
    ],
    [
      'two arguments for one key',
      { arguments: { a: { wire: 'query.where[x]', description: 'X.' }, b: { wire: 'query.where[x]' } } },
    ],
  ])('%s are a problem', (_title, rest) => {
    const where = parameter('where', { schema: { type: 'object' } });
    expect(buildOne({ ...over, parameters: [...over.parameters, where] }, tool(rest)).codes).toEqual([
      'config-wire-conflict',
    ]);
  });

  it.each<[string, object, string]>([
    ['a pattern on a number', { pageSize: { pattern: '^a$' } }, '/tools/shop_make/arguments/pageSize/pattern'],
    ['a minimum on a string', { sort: { minimum: 1 } }, '/tools/shop_make/arguments/sort/minimum'],
    ['a value of another type', { sort: { enum: ['a', 1] } }, '/tools/shop_make/arguments/sort/enum'],
    ['a default of another type', { pageSize: { default: 'a' } }, '/tools/shop_make/arguments/pageSize/default'],
    ['an unknown type', { sort: { schema: { type: 'text' } } }, '/tools/shop_make/arguments/sort/schema/type'],
    [
      'a member that is no schema',
      { sort: { schema: { properties: { a: 5 } } } },
      '/tools/shop_make/arguments/sort/schema/properties/a',
    ],
    [
      'a reference that leads nowhere',
      { sort: { schema: { items: { $ref: '#/nope' } } } },
      '/tools/shop_make/arguments/sort/schema/items/$ref',
    ],
    [
      'a broken pattern in a schema',
      { sort: { schema: { type: 'string', pattern: '(' } } },
      '/tools/shop_make/arguments/sort/schema',
    ],
  ])('%s is a problem', (_title, args, pointer) => {
    const numbers = {
      ...over,
      parameters: [
        parameter('id', { in: 'path' }),
        parameter('page_size', { schema: { type: 'integer' } }),
        parameter('sort', { required: true }),
      ],
    };
    const { problems } = buildOne(numbers, tool({ arguments: args }));
    expect(problems.map((problem) => [problem.code, problem.pointer])).toEqual([['config-constraint', pointer]]);
  });
});

describe('hints', () => {
  it.each<[Method, readonly boolean[]]>([
    ['GET', [true, false, true, true]],
    ['HEAD', [true, false, true, true]],
    ['OPTIONS', [true, false, true, true]],
    ['POST', [false, false, false, true]],
    ['PUT', [false, true, true, true]],
    ['PATCH', [false, true, false, true]],
    ['DELETE', [false, true, true, true]],
  ])('of %s', (method, want) => {
    const { tool } = buildOne({ id: 'things', summary: 'Things', method });
    const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations;
    expect([readOnlyHint, destructiveHint, idempotentHint, openWorldHint]).toEqual(want);
    expect(tool.hintReason).toBeNull();
  });

  const withHints = (method: Method, hints: object) =>
    buildOne({ id: 'things', summary: 'Things', method }, { tools: { shop_do: { operation: 'things', hints } } });

  it('differ with a reason', () => {
    const { tool, codes } = withHints('POST', { readOnlyHint: true, idempotentHint: true, reason: 'A search.' });
    expect(codes).toEqual([]);
    expect(tool.annotations).toEqual({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    });
    expect(tool.hintReason).toBe('A search.');
  });

  it('that equal the default are a problem', () => {
    const { problems } = withHints('POST', { readOnlyHint: false, destructiveHint: true, reason: 'x' });
    expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual([
      ['config-hint-unchanged', '/tools/shop_do/hints/readOnlyHint'],
    ]);
  });

  it.each<[string, Method, string, object, boolean]>([
    ['a GET that is said to write', 'GET', 'remindUser', { readOnlyHint: false }, false],
    ['a GET whose word destroys, and that is said to read', 'GET', 'deleteCache', { readOnlyHint: true }, true],
    [
      'a GET that is said to write and to be repeatable',
      'GET',
      'remind',
      { readOnlyHint: false, idempotentHint: true },
      true,
    ],
    ['a DELETE that is said to write', 'DELETE', 'deleteThing', { destructiveHint: false }, true],
  ])('say that calls can be repeated by the effect that is in force: %s', (_title, method, id, hints, want) => {
    const over = { id, summary: '', method, path: `/${id.toLowerCase()}` };
    const { tool, codes } = buildOne(over, { tools: { shop_do: { operation: id, hints: { ...hints, reason: 'x' } } } });
    expect(codes).not.toContain('config-hint-unchanged');
    expect(tool.annotations.idempotentHint).toBe(want);
  });

  it('that contradict each other are a problem', () => {
    expect(withHints('DELETE', { readOnlyHint: true, reason: 'x' }).codes).toEqual(['config-hint-contradiction']);
  });
});

describe('descriptions of a tool', () => {
  it.each<[string, Parameters<typeof buildOne>[0], string, string]>([
    [
      'summary and description',
      { summary: 'List things', description: 'Newest first.' },
      'List things',
      'List things.\n\nNewest first.',
    ],
    [
      'a description that begins with the summary',
      { summary: 'List things.', description: 'List things, newest first' },
      'List things',
      'List things, newest first.',
    ],
    ['a summary only', { summary: 'List things' }, 'List things', 'List things.'],
    ['a description only', { summary: '', description: 'Newest first.' }, 'List things', 'Newest first.'],
    ['a deprecated operation', { deprecated: true }, 'List things', 'Deprecated by the upstream. List things.'],
    ['hostile characters', { summary: 'List\u0000 \u202ethings\r\n' }, 'List things', 'List things.'],
  ])('come from %s', (_title, over, title, description) => {
    const { tool, codes } = buildOne(over);
    expect(tool.title).toBe(title);
    expect(tool.description).toBe(description);
    expect(codes).toEqual([]);
  });

  it('that are missing are a warning, and give method and path', () => {
    const { tool, problems } = buildOne({ id: null, summary: '', path: '/things' });
    expect(tool.title).toBe('Get things');
    expect(tool.description).toBe('Get things: GET /things.');
    expect(problems).toEqual([
      {
        code: 'operation-undescribed',
        file: 'specs/shop/openapi.yaml',
        pointer: '/paths/~1things/get',
        message: 'GET /things (shop_list_things) has no summary and no description.',
      },
    ]);
  });

  it('of a descriptor are cut after a sentence, those of connector.yaml never', () => {
    const long = 'One sentence. '.repeat(200);
    expect(buildOne({ summary: '', description: long }).tool.description.length).toBeLessThanOrEqual(1024);
    const own = long.trim();
    expect(buildOne({}, { tools: { shop_list: { operation: 'listThings', description: own } } }).tool.description).toBe(
      own,
    );
  });
});

describe('credential', () => {
  const scheme = (id: string, over: object): SecuritySchemeModel =>
    ({ id, type: 'bearer', description: '', pointer: `/s/${id}`, ...over }) as SecuritySchemeModel;
  const bearer = scheme('token', { description: 'Make one under Settings.' });
  const header = scheme('key', { type: 'apiKey', in: 'header', name: 'X-Key' });
  const query = scheme('param', { type: 'apiKey', in: 'query', name: 'api_key' });
  const cookie = scheme('cookie', { type: 'apiKey', in: 'cookie', name: 'sid' });
  const basic = scheme('basic', { type: 'basic' });
  const oauth = scheme('oauth', { type: 'unsupported', kind: 'oauth2' });
  const odd = scheme('odd', { type: 'apiKey', in: 'cookie', name: 's;id' });
  const securitySchemes = [bearer, header, query, cookie, odd, basic, oauth];

  it.each<[string, readonly SecurityAlternative[], readonly unknown[]]>([
    ['a bearer token', [needs('token')], [{ id: 'token', type: 'bearer', label: 'Access token', name: null }]],
    ['a header', [needs('key')], [{ id: 'key', type: 'header', label: 'API key', name: 'X-Key' }]],
    ['a query parameter', [needs('param')], [{ id: 'param', type: 'query', label: 'API key', name: 'api_key' }]],
    ['a cookie', [needs('cookie')], [{ id: 'cookie', type: 'cookie', label: 'API key', name: 'sid' }]],
    ['a password', [needs('basic')], [{ id: 'basic', type: 'basic', label: 'User name and password', name: null }]],
    [
      'the first alternative that can be sent',
      [needs('oauth'), [], needs('key'), needs('token')],
      [{ id: 'key', type: 'header', label: 'API key', name: 'X-Key' }],
    ],
    [
      'all schemes of one alternative',
      [needs('key', 'param')],
      [
        { id: 'key', type: 'header', label: 'API key', name: 'X-Key' },
        { id: 'param', type: 'query', label: 'API key', name: 'api_key' },
      ],
    ],
    ['nothing for an open service', [], []],
  ])('is %s', (_title, security, parts) => {
    const { connector } = build(service([{ ...list, security }], { securitySchemes, security }));
    expect(connector.credential.parts).toEqual(parts);
    expect(connector.tools).toHaveLength(1);
  });

  it('sets the cookie parameter of its name, which no name chosen at run time may take', () => {
    const map = { type: 'object', additionalProperties: { type: 'string' } };
    const parameters = [
      parameter('sid', { in: 'cookie', required: true }),
      parameter('prefs', { in: 'cookie', schema: map }),
    ];
    const model = service([{ ...list, parameters, security: [needs('cookie')] }], {
      securitySchemes,
      security: [needs('cookie')],
    });
    const args = {
      key: { sent: false, required: true, description: 'Key.', pattern: '^[a-z]{1,9}$' },
      value: { wire: 'cookie.prefs[{key}]', description: 'Value.', required: true },
    };
    const { tool } = build(model, { tools: { shop_list: { operation: 'listThings', arguments: args } } });
    expect(tool.arguments.map(({ name }) => name)).toEqual(['key', 'value']);
    expect(propertiesOf(tool.inputSchema).key?.not).toEqual({ enum: ['sid'] });
  });

  it('takes texts from connector.yaml, else from the schemes', () => {
    const model = service([list], { securitySchemes, security: [needs('token')] });
    expect(build(model).connector.credential).toMatchObject({ help: 'Make one under Settings.', url: null });
    const credential = { labels: { token: 'Shop token' }, help: 'Ask.', url: 'https://shop.example/keys' };
    expect(build(model, { credential }).connector.credential).toEqual({
      parts: [{ id: 'token', type: 'bearer', label: 'Shop token', name: null }],
      help: 'Ask.',
      url: 'https://shop.example/keys',
    });
  });

  it('includes what only some operations need', () => {
    const operations = [
      { ...list, security: [needs('token')] },
      { ...get, security: [needs('key')] },
    ];
    const { connector } = build(service(operations, { securitySchemes, security: [needs('token')] }));
    expect(connector.credential.parts.map(({ id }) => id)).toEqual(['token', 'key']);
    expect(connector.tools).toHaveLength(2);
  });

  it.each<[string, readonly SecurityAlternative[], string, string]>([
    ['of an unsupported kind', [needs('oauth')], '/s/oauth', 'oauth (oauth2)'],
    ['in a cookie that HTTP cannot carry', [needs('odd')], '/s/odd', 'odd (an API key in a cookie)'],
  ])('%s excludes the operations that need it, with one warning', (_title, security, pointer, words) => {
    const operations = [
      ...[list, operation({ id: 'list_a', path: '/a' }), operation({ id: 'list_b', path: '/b' })].map((one) => ({
        ...one,
        security: [needs('token')],
      })),
      { ...get, security },
      { ...remove, security },
    ];
    const { connector, problems } = build(service(operations, { securitySchemes, security: [needs('token')] }));
    expect(connector.tools.map(({ name }) => name)).toEqual(['shop_list_a', 'shop_list_b', 'shop_list_things']);
    expect(connector.notExposed.map(({ by }) => by)).toEqual(['codegen', 'codegen']);
    expect(problems.map((problem) => [problem.code, problem.pointer])).toEqual([['credential-unsupported', pointer]]);
    expect(problems[0]?.message).toContain(`2 operations need ${words}`);
  });

  it('that would set the same header is an extra of the operations that need it', () => {
    const operations = [
      { ...list, security: [needs('token')] },
      { ...get, security: [needs('token')] },
      { ...remove, security: [needs('basic')] },
    ];
    const { connector, problems } = build(service(operations, { securitySchemes, security: [needs('token')] }));
    expect(problems).toEqual([]);
    expect(connector.credential.parts.map(({ id }) => id)).toEqual(['token']);
    expect(connector.credential.extras).toMatchObject([{ parts: [{ id: 'basic', type: 'basic' }] }]);
    const [extra] = connector.credential.extras ?? [];
    expect(connector.tools.map((tool) => tool.extra)).toEqual([undefined, undefined, extra?.label]);
    const decided = build(service(operations, { securitySchemes, security: [needs('token')] }), {
      credential: { schemes: ['token'], extras: [{ label: 'Owner', schemes: ['basic'] }] },
    });
    expect(decided.problems).toEqual([]);
    expect(decided.connector.tools.map((tool) => tool.extra)).toEqual([undefined, undefined, 'Owner']);
    const none = build(service(operations, { securitySchemes, security: [needs('token')] }), {
      credential: { extras: [] },
    });
    expect(none.connector.tools).toHaveLength(2);
    expect(none.connector.notExposed[0]?.reason).toContain('needs the credential basic');
  });

  it.each([
    ['a reading tool that needs it', 'shop_list_things', null],
    [
      'a tool that does not need it',
      'shop_list_others',
      'shop_list_others does not need Owner: it is not a test of it.',
    ],
    ['a tool that changes data', 'shop_make_thing', 'shop_make_thing changes data: it is not a test of a credential.'],
    ['no tool', 'shop_nothing', 'There is no tool shop_nothing.'],
  ])('is verified by what connector.yaml names for it: %s', (_, tool, problem) => {
    const operations = [
      { ...list, security: [needs('basic')] },
      operation({ id: 'listOthers', path: '/others', security: [needs('token')] }),
      operation({
        id: 'makeThing',
        summary: 'Make a thing',
        path: '/others',
        method: 'POST',
        security: [needs('basic')],
      }),
    ];
    const { connector, problems } = build(service(operations, { securitySchemes, security: [needs('token')] }), {
      credential: { schemes: ['token'], extras: [{ label: 'Owner', schemes: ['basic'], verify: { tool } }] },
    });
    expect(problems.map(({ message }) => message)).toEqual(problem === null ? [] : [problem]);
    if (problem === null) expect(connector.credential.extras?.[0]?.verify).toEqual({ tool, arguments: {} });
    else expect(problems[0]).toMatchObject({ code: 'config-verify', pointer: '/credential/extras/0/verify/tool' });
  });

  it('of connector.yaml is taken as it is', () => {
    const model = service([{ ...list, security: [needs('oauth')] }], { securitySchemes, security: [needs('oauth')] });
    const parts = [{ id: 'pat', type: 'bearer', label: 'Personal token' }];
    const { connector, codes } = build(model, { credential: { parts } });
    expect(codes).toEqual([]);
    expect(connector.tools).toHaveLength(1);
    expect(connector.credential.parts).toEqual([{ id: 'pat', type: 'bearer', label: 'Personal token', name: null }]);
    expect(build(model, { credential: { schemes: [] } }).connector).toMatchObject({
      credential: { parts: [] },
      tools: [{}],
    });
  });

  it('that is not described is a warning', () => {
    const model = service([list], { securitySchemes: [], security: [] });
    expect(build(model).codes).toEqual(['credential-absent']);
    expect(build(model, { credential: { schemes: [] } }).codes).toEqual([]);
  });
});

describe('servers', () => {
  const variableOf = (name: string, value: string) => ({ name, default: value, description: '' });

  it.each([
    ['shop', 'base_url', 'SHOP_BASE_URL'],
    ['shop', 'shop_base_url', 'SHOP_BASE_URL'],
    ['usage-billing', 'region', 'USAGE_BILLING_REGION'],
    ['shop', 'shopRegion', 'SHOP_REGION'],
    ['shop', 'shops_url', 'SHOP_SHOPS_URL'],
  ])('of %s: %s is set by %s', (name, variable, want) => {
    const url = `{${variable}}`;
    const servers = [{ url, variables: [variableOf(variable, 'https://shop.example')], pointer: '/servers/0' }];
    const { connector } = build(service([{ ...list, server: url }], { name, servers }));
    expect(connector.servers[0]?.variables[0]?.env).toBe(want);
  });

  const servers = [
    {
      url: '{shop_base_url}',
      variables: [variableOf('shop_base_url', 'https://shop.example/api/v3')],
      pointer: '/servers/0',
    },
    { url: '{root_url}', variables: [variableOf('root_url', 'https://shop.example')], pointer: '/paths/~1a/servers/0' },
    {
      url: '{unused_url}',
      variables: [variableOf('unused_url', 'https://unused.example')],
      pointer: '/paths/~1b/servers/0',
    },
  ];
  const operations = [
    { ...list, server: '{shop_base_url}' },
    { ...get, server: '{root_url}' },
  ];

  it('are those that tools use, with the settings of connector.yaml', () => {
    const { connector, codes } = build(service(operations, { servers }), {
      serverVariables: {
        shop_base_url: { env: 'SHOP_URL', default: 'https://other.example' },
        root_url: { derive: { from: 'shop_base_url', removeSuffix: '/api/v3' } },
      },
    });
    expect(codes).toEqual([]);
    expect(connector.servers).toEqual([
      {
        url: '{shop_base_url}',
        variables: [{ name: 'shop_base_url', env: 'SHOP_URL', default: 'https://other.example', derive: null }],
      },
      {
        url: '{root_url}',
        variables: [
          {
            name: 'root_url',
            env: 'SHOP_ROOT_URL',
            default: 'https://shop.example',
            derive: { from: 'shop_base_url', removeSuffix: '/api/v3' },
          },
        ],
      },
    ]);
  });

  it.each<[string, object, string]>([
    [
      'a variable derived from itself',
      { root_url: { derive: { from: 'root_url', removeSuffix: '/a' } } },
      '/serverVariables/root_url/derive/from',
    ],
    [
      'a variable derived from a derived one',
      {
        shop_base_url: { derive: { from: 'unused_url', removeSuffix: '/a' } },
        root_url: { derive: { from: 'shop_base_url', removeSuffix: '/a' } },
      },
      '/serverVariables/root_url/derive/from',
    ],
    ['two variables under one name', { root_url: { env: 'SHOP_BASE_URL' } }, '/serverVariables'],
  ])('report %s', (_title, serverVariables, pointer) => {
    const { problems } = build(service(operations, { servers }), { serverVariables });
    expect(problems.map((problem) => [problem.code, problem.pointer])).toEqual([['config-server-variable', pointer]]);
  });

  it.each(['/api', '', 'ftp://shop.example', 'https://shop.example?x=1', 'https://{region}.example'])(
    'reject the URL %s',
    (value) => {
      const bad = [{ url: '{base_url}', variables: [variableOf('base_url', value)], pointer: '/servers/0' }];
      const { problems } = build(service([list], { servers: bad }));
      expect(problems.map(({ code, pointer }) => [code, pointer])).toEqual([['server-url-invalid', '/servers/0']]);
      expect(
        build(service([list], { servers: bad }), { serverVariables: { base_url: { default: 'https://a.example' } } })
          .codes,
      ).toEqual([]);
    },
  );

  it.each(['/api', '', 'ftp://shop.example', 'https://{region}.example'])(
    'exclude the operation that uses the URL %s',
    (value) => {
      const bad = [
        { url: '{base_url}', variables: [variableOf('base_url', 'https://shop.example')], pointer: '/servers/0' },
        { url: '{files_url}', variables: [variableOf('files_url', value)], pointer: '/paths/~1files/get/servers/0' },
      ];
      const files = operation({ id: 'listFiles', path: '/files', server: '{files_url}' });
      const { connector, problems } = build(service([list, files], { servers: bad }));
      expect(connector.tools.map(({ name }) => name)).toEqual(['shop_list_things']);
      expect(connector.servers.map(({ url }) => url)).toEqual(['{base_url}']);
      expect(connector.notExposed.map(({ path, reason }) => [path, reason])).toEqual([
        ['/files', `Not supported yet: it has no server: {files_url} is ${value || 'empty'} by default.`],
      ]);
      expect(problems.map(({ code, pointer, fix }) => [code, pointer, fix])).toEqual([
        [
          'operation-server-invalid',
          '/paths/~1files/get',
          'Write `serverVariables: {files_url: {default: https://...}}` into connector.yaml.',
        ],
      ]);
      const told = build(service([list, files], { servers: bad }), {
        serverVariables: { files_url: { default: 'https://files.example' } },
      });
      expect([told.codes, told.connector.tools.length]).toEqual([[], 2]);
    },
  );
});

describe('verify', () => {
  const model = service([get, remove]);
  it('is a call with arguments that the tool accepts', () => {
    const { connector, codes } = build(model, { verify: { tool: 'shop_get_thing', arguments: { id: 'a' } } });
    expect(codes).toEqual([]);
    expect(connector.verify).toEqual({ tool: 'shop_get_thing', arguments: { id: 'a' } });
  });

  it.each<[string, object, string]>([
    ['a tool that changes data', { tool: 'shop_remove_thing', arguments: { id: 'a' } }, '/verify/tool'],
    ['an unknown argument', { tool: 'shop_get_thing', arguments: { id: 'a', idd: 'b' } }, '/verify/arguments/idd'],
    ['a missing argument', { tool: 'shop_get_thing' }, '/verify/arguments'],
    ['a wrong value', { tool: 'shop_get_thing', arguments: { id: 1 } }, '/verify/arguments'],
  ])('rejects %s', (_title, verify, pointer) => {
    const { problems } = build(model, { verify });
    expect(problems.map((problem) => [problem.code, problem.pointer])).toEqual([['config-verify', pointer]]);
  });
});

describe('what approvals know of a tool', () => {
  const model = service([get, remove]);
  const tools = (preview: object) => ({
    tools: { shop_remove_thing: { operation: 'removeThing', effect: 'pay', approval: 'required', preview } },
  });
  const removed = ({ connector }: ReturnType<typeof build>) =>
    connector.tools.find(({ name }) => name === 'shop_remove_thing');

  it('is in the tool as connector.yaml says it, and absent otherwise', () => {
    const preview = { tool: 'shop_get_thing', arguments: { id: 'id' } };
    const built = build(model, tools(preview));
    expect(built.codes).toEqual([]);
    expect(removed(built)).toMatchObject({ effect: 'pay', approval: 'required', preview });
    expect(removed(build(model))).toMatchObject({ effect: undefined, approval: undefined, preview: undefined });
  });

  it.each<[string, object, string]>([
    ['an unknown tool', { tool: 'shop_get_thin' }, 'tool'],
    ['a tool that changes data', { tool: 'shop_remove_thing', arguments: { id: 'id' } }, 'tool'],
    [
      'an argument that the reading tool lacks',
      { tool: 'shop_get_thing', arguments: { id: 'id', x: 'id' } },
      'arguments/x',
    ],
    ['an argument that the tool itself lacks', { tool: 'shop_get_thing', arguments: { id: 'x' } }, 'arguments/id'],
    ['a missing argument', { tool: 'shop_get_thing' }, 'arguments'],
  ])('rejects a preview with %s', (_title, preview, pointer) => {
    const { problems } = build(model, tools(preview));
    expect(problems.map((problem) => [problem.code, problem.pointer])).toEqual([
      ['config-preview', `/tools/shop_remove_thing/preview/${pointer}`],
    ]);
  });
});

describe('the connector', () => {
  it('takes its own texts from connector.yaml, else from the descriptor', () => {
    const model = service([list], { title: ' Shop  API ', description: 'Sells\u0007 things.' });
    expect(build(model).connector).toMatchObject({
      name: 'shop',
      title: 'Shop API',
      description: 'Sells things.',
      categories: [],
    });
    const input = { title: 'The shop', description: 'Ours.', categories: ['Retail'] };
    expect(build(model, input).connector).toMatchObject(input);
  });

  it('does not depend on the order of the operations', () => {
    const operations = [list, get, remove, operation({ id: 'list_things', path: '/other' })];
    const model = service(operations);
    const turned = { ...model, operations: model.operations.toReversed() };
    expect(JSON.stringify(build(turned).connector)).toBe(JSON.stringify(build(model).connector));
  });

  it('has the error rules', () => {
    const errors = { message: ['/detail'], inSuccess: '/error' };
    expect(build(service([list]), { errors }).connector.errors).toEqual({
      message: ['/detail'],
      code: [],
      details: [],
      invalidCredential: [],
      inSuccess: '/error',
    });
    expect(build(service([list])).connector.errors.inSuccess).toBeNull();
  });
});

test.each([
  'text/event-stream',
  'application/jsonl; charset=utf-8',
  'application/json-seq',
  'application/geo+json-seq',
  'application/json',
  'application/x-ndjson',
  'text/plain',
  'multipart/form-data',
])('codegen describes %s as a stream exactly where the gateway reads one', (mediaType) => {
  expect(isStreamMediaType(mediaType)).toBe(isStream(mediaType));
});

test('the output schema of events has the schema of their data, wherever the descriptor puts it', () => {
  const note = { type: 'object', properties: { id: { type: 'integer' } } };
  const json = { type: 'string', contentMediaType: 'application/json', contentSchema: { $ref: '#/note' } };
  const event = {
    type: 'object',
    properties: { event: { type: 'string' } },
    oneOf: [{ properties: { event: { const: 'note' }, data: json } }, { $ref: '#/text' }],
  };
  const text = { properties: { event: { const: 'ping' } } };
  const contents = [{ mediaType: 'text/event-stream', schema: null, itemSchema: { $ref: '#/event' }, pointer: '' }];
  const schemas = { '#/event': event, '#/note': note, '#/text': text };
  const { tools } = buildOne({ responses: [{ status: '200', headers: [], contents }] }, {}, { schemas }).connector;
  const outputSchema = tools[0]?.outputSchema ?? {};
  expect(propertiesOf(outputSchema)).toMatchObject({
    items: { items: { properties: { event: {}, data: { properties: { id: { type: ['integer', 'null'] } } } } } },
    streamEnded: { type: ['boolean', 'null'] },
  });
});
