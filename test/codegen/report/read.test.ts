import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';
import { createSurfaceReader, ReadError } from '../../../codegen/report/index.ts';
import { locateMember } from '../../../codegen/report/read/locate.ts';
import { readNotExposed } from '../../../codegen/report/read/review-page.ts';
import { readFolder } from '../../../scripts/tools-diff/sides.ts';
import { loadConnectors } from '../../../server/tools/catalogue/connectors.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const files = await readFolder(ROOT);
const surfaces = createSurfaceReader().read(files);
const connectors = await loadConnectors();

describe('committed files', () => {
  test('are read as the values that they export, without running them', () => {
    expect(surfaces.map(({ service }) => service)).toEqual(connectors.map(({ name }) => name));
    for (const [index, connector] of connectors.entries()) {
      const { tools, createClient: _, ...members } = connector;
      expect(surfaces[index]?.members).toEqual({ ...members });
      expect(surfaces[index]?.tools.map((tool) => tool.members)).toEqual(
        tools.map(({ call: __, ...literal }) => literal),
      );
    }
  });

  test('send every argument somewhere, unless it is only checked or names a key', () => {
    for (const tool of surfaces.flatMap((surface) => surface.tools)) {
      const sent = new Set(Object.values(tool.sends).flatMap((one) => (one.kind === 'argument' ? [one.name] : [])));
      const addresses = Object.keys(tool.sends).join(' ');
      const checked = JSON.stringify(tool.members.agreements);
      for (const name of Object.keys(tool.inputSchema.properties as object)) {
        const isUsed = sent.has(name) || addresses.includes(`{${name}}`) || checked.includes(name);
        expect([tool.name, name, isUsed]).toEqual([tool.name, name, true]);
      }
      expect(Object.values(tool.sends).filter(({ kind }) => kind === 'code')).toEqual([]);
      expect(tool.callOptions).not.toHaveProperty('call');
    }
  });
});

const TOOL = `export const x: Tool<Client, Arguments> = {
  name: 'x', title: 'X', description: 'Does x.',
  operation: { id: null, method: 'POST', path: '/x', server: '{base_url}' },
  annotations: { readOnlyHint: false },
  inputSchema: { type: 'object', properties: { ['__proto__']: { type: 'string', minimum: -1.5 } } },
  outputSchema: { type: 'object' },
  surprise: [1, null, true],
  call: (client, args, request) =>
    client.POST('/x', {
      baseUrl: request.baseUrl, fetch: request.fetch, signal: request.signal, parseAs: 'stream',
      headers: { 'Content-Type': 'application/x+json' },
      pathSerializer: request.pathSerializer({ id: { style: 'matrix', explode: true } }),
      querySerializer: request.querySerializer({
        'a.b': { style: 'form', explode: false, allowReserved: true },
        f: { content: 'application/json' },
      }),
      params: {
        path: { id: args.id },
        query: { 'a.b': args['a.b'], f: { [args.column]: args.value, ticker: args.ticker } as Query['f'] },
        header: { version: '2024-01-01' satisfies string, constructor: Object.hasOwn(args, 'c') ? args.c : undefined },
        cookie: request.cookies<Cookie>({ sid: args.sid, ['__proto__']: args.p }, {
          sid: { style: 'form', explode: true },
        }),
      },
      body: request.optionalBody({ kind: 'note' satisfies Body['kind'], text: args.text }) as Body | undefined,
    }),
};
`;

describe('a tool file', () => {
  const file = 'generated/x/tools/x.ts';
  const [surface] = createSurfaceReader().read(new Map([[file, TOOL]]));
  const [tool] = surface?.tools ?? [];

  test('keeps members that the report has never heard of', () => {
    expect(tool?.members.surprise).toEqual([1, null, true]);
  });

  test('may have a member called __proto__', () => {
    const properties = tool?.inputSchema.properties as object;
    expect(Object.getOwnPropertyDescriptor(properties, '__proto__')?.value).toEqual({ type: 'string', minimum: -1.5 });
  });

  test('tells what goes where', () => {
    expect(tool?.sends).toEqual({
      'path.id': { kind: 'argument', name: 'id' },
      'query.a.b': { kind: 'argument', name: 'a.b' },
      'query.f[{column}]': { kind: 'argument', name: 'value' },
      'query.f[ticker]': { kind: 'argument', name: 'ticker' },
      'header.version': { kind: 'constant', value: '2024-01-01' },
      'header.constructor': { kind: 'argument', name: 'c' },
      'cookie.sid': { kind: 'argument', name: 'sid' },
      'cookie.__proto__': { kind: 'argument', name: 'p' },
      'body.kind': { kind: 'constant', value: 'note' },
      'body.text': { kind: 'argument', name: 'text' },
    });
    expect(tool?.bodyType).toBe('application/x+json');
    expect(tool?.callOptions).toEqual({});
  });

  test('tells how each parameter is written', () => {
    expect(tool?.styles).toEqual({
      'path.id': 'matrix, exploded',
      'query.a.b': 'form, joined, reserved characters as they are',
      'query.f': 'application/json',
      'cookie.sid': 'form, exploded',
    });
  });

  test.each([
    ['a style with a member that nobody knows', "{ style: 'matrix', explode: true }", "{ style: 'matrix', depth: 2 }"],
    ['styles that are no literal', "{ id: { style: 'matrix', explode: true } }", 'STYLES'],
    ['another argument', 'explode: true } })', "explode: true } }, 'strict')"],
  ])('keeps the source text of %s', (_, from, to) => {
    const [changed] = createSurfaceReader().read(new Map([[file, TOOL.replace(from, to)]]));
    expect(changed?.tools[0]?.callOptions.pathSerializer).toContain(to);
    const cookies = TOOL.replace("sid: { style: 'form', explode: true }", '...STYLES');
    const [other] = createSurfaceReader().read(new Map([[file, cookies]]));
    expect(other?.tools[0]?.callOptions['params.cookie']).toContain('...STYLES');
  });

  const written = "headers: { 'Content-Type': 'application/x+json' }";
  const body = "request.optionalBody({ kind: 'note' satisfies Body['kind'], text: args.text }) as Body | undefined";
  const withBody = (options: string, value = body) => {
    const text = TOOL.replace(written, options).replace(body, value);
    return createSurfaceReader().read(new Map([[file, text]]))[0]?.tools[0];
  };

  test.each<[title: string, options: string, value: string | undefined, type: string, styles: Record<string, string>]>([
    [
      'a form',
      "headers: { 'Content-Type': 'application/x-www-form-urlencoded' }, bodySerializer: request.formBody({ text: { style: 'deepObject', explode: true, allowReserved: false } })",
      undefined,
      'application/x-www-form-urlencoded',
      { 'body.text': 'deepObject, exploded' },
    ],
    [
      'a multipart form',
      "headers: { 'Content-Type': null }, bodySerializer: request.multipartBody({ note: { contentType: 'text/csv' } })",
      "{ note: args.note, a: request.file(args.a, 'a') as Body['a'], b: request.file(args.b, 'b', ['image/png', 'image/*']) as Body['b'] }",
      'multipart/form-data',
      { 'body.note': 'text/csv', 'body.a': 'a file', 'body.b': 'a file (image/png, image/*)' },
    ],
    [
      'a multipart form as one argument',
      "headers: { 'Content-Type': null }, bodySerializer: request.multipartBody({})",
      "request.files(args.body, 'body', { a: ['image/png'] }) as Body",
      'multipart/form-data',
      { 'body.a': 'a file (image/png)' },
    ],
    [
      'a text',
      "headers: { 'Content-Type': 'text/csv' }, bodySerializer: request.textBody",
      'args.body as unknown as Body',
      'text/csv, text as it is',
      {},
    ],
    [
      'bytes',
      "headers: { 'Content-Type': 'application/zip' }, bodySerializer: request.binaryBody",
      "request.bytes(args.body, 'body') as Body",
      'application/zip, bytes',
      {},
    ],
    [
      'bytes of a range of types',
      "headers: { 'Content-Type': null }, bodySerializer: request.binaryBody",
      "request.file(args.body, 'body', ['image/*']) as Body",
      'image/*, bytes',
      {},
    ],
    ['JSON', 'baseUrl: request.baseUrl', '{ text: args.text }', 'application/json', {}],
  ])('tells that a body is %s', (_title, options, value, type, styles) => {
    const read = withBody(options, value);
    expect(read?.bodyType).toBe(type);
    expect(Object.fromEntries(Object.entries(read?.styles ?? {}).filter(([name]) => name.startsWith('body')))).toEqual(
      styles,
    );
    expect(read?.callOptions).toEqual({});
  });

  test('tells what a file is made of', () => {
    const options = "headers: { 'Content-Type': null }, bodySerializer: request.multipartBody({})";
    const read = withBody(
      options,
      "{ a: request.file({ data: args.d, name: 'n' }, 'd') as Body['a'], b: request.file({ data: '' }, 'b') }",
    );
    expect(Object.fromEntries(Object.entries(read?.sends ?? {}).filter(([name]) => name.startsWith('body')))).toEqual({
      'body.a[data]': { kind: 'argument', name: 'd' },
      'body.a[name]': { kind: 'constant', value: 'n' },
      'body.b': { kind: 'constant', value: { data: '' } },
    });
  });

  test.each([
    ['a header that nobody knows', "headers: { 'X-A': '1' }", 'headers'],
    ['a serializer that nobody knows', 'bodySerializer: request.otherBody({})', 'bodySerializer'],
    ['styles that are no literal', 'bodySerializer: request.formBody(STYLES)', 'bodySerializer'],
  ])('keeps the source text of %s', (_title, options, name) => {
    expect(Object.keys(withBody(options)?.callOptions ?? {})).toContain(name);
  });

  test('is told from a file that is none', () => {
    const read = (text: string) => () => createSurfaceReader().read(new Map([[file, text]]));
    expect(read('export const x = 1;')).toThrow(ReadError);
    expect(read('export const x = { name: process.exit(1) };')).toThrow('generated/x/tools/x.ts is not a tool file.');
  });

  test('gives the line of a place, or of what is nearest to it', () => {
    expect(locateMember(file, TOOL, [])).toBe(1);
    expect(locateMember(file, TOOL, ['operation', 'path'])).toBe(3);
    expect(locateMember(file, TOOL, ['outputSchema', 'properties', 'gone'])).toBe(6);
  });
});

describe('the page for reviewers', () => {
  test.each(['refused-operations', 'hostile-text', 'minimal'])(
    'gives back the operations without a tool: %s',
    async (name) => {
      const { files: emitted, services } = await generate({ root: path.join(ROOT, 'test/golden', name) });
      for (const { connector, name: service } of services) {
        const page = emitted.find((file) => file.path === `generated/${service}/TOOLS.md`)?.text ?? '';
        const want = connector?.notExposed.map(({ method, path: at, reason }) => ({ method, path: at, reason }));
        expect(readNotExposed(page)).toEqual(want);
      }
    },
  );

  test('may hold markup in a path and in a reason', () => {
    const row = '| ``GET /a\\|b/{`id`}`` | Old; use &lt;b&gt; \\*c\\*\\_d \\| e. | connector.yaml |';
    const page = `# T\n\n## Not exposed\n\n| Operation | Why it has no tool | Decided by |\n| --- | --- | --- |\n${row}\n\n## Tools`;
    expect(readNotExposed(page)).toEqual([{ method: 'GET', path: '/a|b/{`id`}', reason: 'Old; use <b> *c*_d | e.' }]);
    expect(readNotExposed(readFileSync(path.join(ROOT, 'generated/crm/TOOLS.md'), 'utf8'))).toEqual([]);
  });
});
