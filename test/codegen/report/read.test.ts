import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { generate } from '../../../codegen/generate.ts';
import { createSurfaceReader, ReadError } from '../../../codegen/report/index.ts';
import { locateMember, readNotExposed } from '../../../codegen/report/read/index.ts';
import { readFolder } from '../../../scripts/tools-diff/generated-files.ts';
import { loadConnectors } from '../../../server/call/tools/catalogue/connectors.ts';
import { pathArguments } from '../../../server/call/upstream/index.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const files = await readFolder(ROOT);
const surfaces = createSurfaceReader().read(files);
const connectors = await loadConnectors();

describe('committed files', () => {
  test('are read as the values that they export, without running them', () => {
    expect(surfaces.map(({ service }) => service)).toEqual(connectors.map(({ name }) => name));
    for (const [index, connector] of connectors.entries()) {
      const { tools, synonyms: _, skills, ...members } = connector;
      expect(surfaces[index]?.members).toEqual(members);
      expect(surfaces[index]?.skills).toEqual(skills);
      expect(surfaces[index]?.tools.map((tool) => tool.members)).toEqual(
        tools.map(({ request: _, ...literal }) => literal),
      );
      expect(surfaces[index]?.tools.map((tool) => tool.pathArguments)).toEqual(tools.map(pathArguments));
    }
  });

  test('send every argument, unless it is only checked, names a key or is for the gateway', () => {
    for (const tool of surfaces.flatMap((surface) => surface.tools)) {
      const sent = new Set(Object.values(tool.sends).flatMap((one) => (one.kind === 'argument' ? [one.name] : [])));
      const addresses = Object.keys(tool.sends).join(' ');
      const checked = JSON.stringify([tool.members.agreements ?? [], tool.members.gatewayArguments ?? []]);
      for (const name of Object.keys(tool.inputSchema.properties as object)) {
        const isUsed = sent.has(name) || addresses.includes(`{${name}}`) || checked.includes(name);
        expect([tool.name, name, isUsed]).toEqual([tool.name, name, true]);
      }
      expect(tool.callOptions).toEqual({});
    }
  });
});

const BODY = "{ mediaType: 'application/x+json', members: { kind: { constant: 'note' }, text: 'text' } }";
const TOOL = `export const x: Tool = {
  name: 'x', title: 'X', description: 'Does x.',
  operation: { id: null, method: 'POST', path: '/x', server: '{base_url}' },
  annotations: { readOnlyHint: false },
  inputSchema: { type: 'object', properties: { ['__proto__']: { type: 'string', minimum: -1.5 } } },
  request: {
    path: { id: { argument: 'id', style: 'matrix', explode: true }, version: 'version' },
    query: {
      'a.b': { argument: 'a.b', style: 'form', explode: false, allowReserved: true },
      f: { entries: { '{column}': 'value', ticker: 'ticker' }, content: 'application/json' },
    },
    header: { version: { constant: '2024-01-01' }, constructor: 'c' },
    cookie: { sid: { argument: 'sid', style: 'form', explode: true }, ['__proto__']: 'p' },
    body: ${BODY},
  } satisfies RequestOf<paths['/x']['post'], 'application/x+json'>,
  outputSchema: { type: 'object' },
  surprise: [1, null, true],
};
`;

describe('a tool file', () => {
  const file = 'generated/x/tools/x.ts';
  const [surface] = createSurfaceReader().read(new Map([[file, TOOL]]));
  const [tool] = surface?.tools ?? [];

  test('keeps members that the report does not know', () => {
    expect(tool?.members.surprise).toEqual([1, null, true]);
  });

  test.each([
    ['a server', ", server: '{base_url}'"],
    ['settings that a cursor does not use', ', queryParameter: null, more: null'],
  ])('is read alike with and without %s', (_, written) => {
    const index =
      "export const x: GeneratedConnector = { name: 'x', servers: [{ url: '{base_url}' }, { url: '{other}' }] };";
    const page = "page: { argument: 'after', next: '/next', queryParameter: null, more: null },";
    const text = TOOL.replace('surprise:', `${page}\n  surprise:`);
    const read = (tool: string) =>
      createSurfaceReader().read(new Map([['generated/x/index.ts', index]]).set(file, tool))[0]?.tools;
    expect(text).toContain(written);
    expect(read(text.replace(written, ''))).toEqual(read(text));
    expect(read(text)?.[0]?.operation?.server).toBe('{base_url}');
  });

  test('may have a member named __proto__', () => {
    const properties = tool?.inputSchema.properties as object;
    expect(Object.getOwnPropertyDescriptor(properties, '__proto__')?.value).toEqual({ type: 'string', minimum: -1.5 });
  });

  test('shows where each value is sent', () => {
    expect(tool?.sends).toEqual({
      'path.id': { kind: 'argument', name: 'id' },
      'path.version': { kind: 'argument', name: 'version' },
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
    expect(tool?.pathArguments).toEqual(['version']);
    expect(tool?.bodyType).toBe('application/x+json');
    expect(tool?.callOptions).toEqual({});
  });

  test('shows the style of each parameter', () => {
    expect(tool?.styles).toEqual({
      'path.id': 'matrix, exploded',
      'query.a.b': 'form, joined, reserved characters as they are',
      'query.f': 'application/json',
      'cookie.sid': 'form, exploded',
    });
  });

  const changed = (from: string, to: string) => {
    expect(TOOL).toContain(from);
    return createSurfaceReader().read(new Map([[file, TOOL.replace(from, to)]]))[0]?.tools[0];
  };

  test.each([
    ['a style with an unknown member', "style: 'matrix'", 'depth: 2', { 'path.id.depth': '2' }],
    [
      'an unknown place',
      'header: {',
      'trailer: {',
      { trailer: '{"constructor":"c","version":{"constant":"2024-01-01"}}' },
    ],
    [
      'a body with additional members',
      "'application/x+json', members",
      "'application/x+json', gzip: true, members",
      { 'body.gzip': 'true' },
    ],
    ['a request that is code', "constructor: 'c'", 'constructor: NAME', { request: expect.stringContaining('NAME') }],
  ])('keeps unknown parts: %s', (_, from, to, want) => {
    expect(changed(from, to)?.callOptions).toMatchObject(want);
  });

  test.each<[title: string, body: string, type: string, styles: Record<string, string>]>([
    [
      'a form',
      "{ mediaType: 'application/x-www-form-urlencoded', as: 'form', members: { text: { argument: 'text', style: 'deepObject', explode: true } } }",
      'application/x-www-form-urlencoded',
      { 'body.text': 'deepObject, exploded' },
    ],
    [
      'a multipart form',
      "{ mediaType: 'multipart/form-data', as: 'multipart', optional: true, members: { note: { argument: 'note', contentType: 'text/csv' }, a: { argument: 'a', file: [] }, b: { argument: 'b', file: ['image/png', 'image/*'] } } }",
      'multipart/form-data',
      { 'body.note': 'text/csv', 'body.a': 'a file', 'body.b': 'a file (image/png, image/*)' },
    ],
    [
      'a multipart form as one argument',
      "{ mediaType: 'multipart/form-data', as: 'multipart', argument: 'body', parts: { a: { file: ['image/png'] } } }",
      'multipart/form-data',
      { 'body.a': 'a file (image/png)' },
    ],
    ['text', "{ mediaType: 'text/csv', as: 'text', argument: 'body' }", 'text/csv, text as it is', {}],
    ['bytes', "{ mediaType: 'application/zip', as: 'bytes', argument: 'body' }", 'application/zip, bytes', {}],
    ['bytes of a range of types', "{ mediaType: 'image/*', as: 'file', argument: 'body' }", 'image/*, bytes', {}],
    ['JSON', "{ mediaType: '*/*', members: { text: 'text' } }", 'application/json', {}],
  ])('recognises a body as %s', (_title, body, type, styles) => {
    const read = changed(BODY, body);
    expect(read?.bodyType).toBe(type);
    expect(Object.fromEntries(Object.entries(read?.styles ?? {}).filter(([name]) => name.startsWith('body')))).toEqual(
      styles,
    );
    expect(read?.callOptions).toEqual({});
  });

  test('shows the parts of a file argument', () => {
    const members = "{ a: { entries: { data: 'd' }, file: [] }, b: { constant: { data: '' }, file: [] } }";
    const read = changed(BODY, `{ mediaType: 'multipart/form-data', as: 'multipart', members: ${members} }`);
    expect(Object.fromEntries(Object.entries(read?.sends ?? {}).filter(([name]) => name.startsWith('body')))).toEqual({
      'body.a[data]': { kind: 'argument', name: 'd' },
      'body.b': { kind: 'constant', value: { data: '' } },
    });
  });

  test('is rejected in the format of an older codegen, with instructions', () => {
    const older = TOOL.replace(
      '  request: {',
      "  call: (client, args, request) => client.POST('/x', {}),\n  requests: {",
    );
    expect(() => createSurfaceReader().read(new Map([[file, older]]))).toThrow(
      'generated/x/tools/x.ts is in the form of an older codegen, whose calls were code, and cannot be compared. Copy specs/ of that side into a folder, run `npm run codegen -- --root <folder>`, and compare with --base-dir <folder>.',
    );
  });

  test('is distinguished from other files', () => {
    const read = (text: string) => () => createSurfaceReader().read(new Map([[file, text]]));
    expect(read('export const x = 1;')).toThrow(ReadError);
    expect(read('export const x = { name: process.exit(1) };')).toThrow('generated/x/tools/x.ts is not a tool file.');
  });

  test('gives the line of a place, or of its nearest parent', () => {
    expect(locateMember(file, TOOL, [])).toBe(1);
    expect(locateMember(file, TOOL, ['operation', 'path'])).toBe(3);
    expect(locateMember(file, TOOL, ['outputSchema', 'properties', 'gone'])).toBe(16);
  });
});

describe('the page for reviewers', () => {
  test.each(['refused-operations', 'hostile-text', 'minimal'])(
    'lists the operations without a tool: %s',
    async (name) => {
      const { files: emitted, services } = await generate({ root: path.join(ROOT, 'test/golden', name) });
      for (const { connector, name: service } of services) {
        const page = emitted.find((file) => file.path === `generated/${service}/TOOLS.md`)?.text ?? '';
        const want = connector?.notExposed.map(({ method, path: at, reason }) => ({
          method,
          path: at,
          reason,
          isOutside: false,
        }));
        expect(readNotExposed(page)).toEqual(want);
      }
    },
  );

  test('may name a method of lower-case letters and a hyphen', () => {
    const page = '\n## Not exposed\n\n| `m-Search /a` | Old. | connector.yaml |\n';
    expect(readNotExposed(page)).toEqual([{ method: 'm-Search', path: '/a', reason: 'Old.', isOutside: false }]);
  });

  test('may contain markup in a path and in a reason', () => {
    const row = '| ``GET /a\\|b/{`id`}`` | Old; use &lt;b&gt; \\*c\\*\\_d \\| e. | connector.yaml |';
    const page = `# T\n\n## Not exposed\n\n| Operation | Why it has no tool | Decided by |\n| --- | --- | --- |\n${row}\n\n## Tools`;
    expect(readNotExposed(page)).toEqual([
      { method: 'GET', path: '/a|b/{`id`}', reason: 'Old; use <b> *c*_d | e.', isOutside: false },
    ]);
    expect(readNotExposed(readFileSync(path.join(ROOT, 'generated/crm/TOOLS.md'), 'utf8'))).toEqual([]);
  });
});
