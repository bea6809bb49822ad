import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DIAGNOSTICS, type Diagnostic, type DiagnosticCode } from '../../codegen/diagnostics.ts';
import { checkTools } from '../../scripts/lab/corpus/check-tools.ts';
import { countOperations } from '../../scripts/lab/corpus/count-operations.ts';
import { decide } from '../../scripts/lab/corpus/decide.ts';
import { toServiceName } from '../../scripts/lab/corpus/layout.ts';
import { neededFiles, oneOfEachVendor, type Source } from '../../scripts/lab/corpus/packages.ts';
import { type CorpusDocument, type Result, runCorpus } from '../../scripts/lab/corpus/run.ts';
import { argument, connector, tool } from '../codegen/emit/fixtures.ts';

const diagnostic = (code: DiagnosticCode, fix: string): Diagnostic => {
  return { code, severity: DIAGNOSTICS[code].severity, file: '', pointer: '', position: null, message: '', fix };
};

describe('counting the operations of a document', () => {
  test.each<[title: string, text: string, want: number | null]>([
    ['JSON', '{"paths": {"/a": {"get": {}, "parameters": []}, "/b": {"put": {}, "x-c": {}}, "x-d": {"get": {}}}}', 2],
    ['YAML', 'paths:\n  /a: { get: {}, delete: {} }\n', 2],
    ['JSON after a byte order mark', '\uFEFF{"paths": {"/a": {"get": {}}}}', 1],
    ['references', '{"paths": {"/a": {"$ref": "#/paths/~1b"}, "/b": {"get": {}, "post": {}}}}', 4],
    ['no paths', '{"openapi": "3.1.0"}', 0],
    ['text that does not parse', '{"paths": ', null],
  ])('reads %s', (_, text, want) => {
    expect(countOperations(text)).toBe(want);
  });
});

describe('the check of tools', () => {
  const defectsOf = (parts: Parameters<typeof tool>[0], operations = 1) =>
    checkTools(connector({ tools: [tool(parts)] }), operations);
  const input = (schema: object) => ({ inputSchema: { type: 'object', additionalProperties: false, ...schema } });

  test('finds nothing in a valid tool', () => {
    expect(defectsOf({ arguments: [argument('q', { required: true })] })).toEqual([]);
  });

  test.each<[title: string, parts: Parameters<typeof tool>[0], want: string]>([
    ['a name', { name: 'notes.list' }, 'its name is no name for a tool'],
    ['a missing title', { title: '' }, 'it has no title'],
    ['a missing description', { description: '' }, 'it has no description'],
    ['a long description', { description: 'a'.repeat(1025) }, 'its description is too long'],
    ['the name of an argument', input({ properties: { 'a b': {} } }), '"a b" is no name for an argument'],
    ['an alternative at the root', input({ oneOf: [{}] }), 'the root of its input schema has oneOf'],
    ['other members', input({ additionalProperties: true }), 'its input schema takes any argument'],
    ['an unknown argument', input({ required: ['q'] }), 'its input schema does not have "q"'],
    ['another root', { outputSchema: { type: 'array' } }, 'the root of its output schema is no object'],
    ['a keyword', input({ properties: { q: { type: 'strin' } } }), 'its input schema does not compile'],
  ])('finds %s', (_, parts, want) => {
    expect(defectsOf(parts)).toEqual([expect.stringContaining(want)]);
  });

  test('finds two tools with one name and an operation that is missing', () => {
    expect(checkTools(connector({ tools: [tool(), tool()] }), 2)).toEqual([
      'there are 2 operations, but 1 are tools or said to be none',
      'notes_list (GET /notes): another tool has its name',
    ]);
  });
});

describe('decisions', () => {
  test('follow the diagnostics', () => {
    const first = decide([
      diagnostic(
        'server-url-invalid',
        'Write `serverVariables: {base_url: {default: https://...}}` into connector.yaml.',
      ),
      diagnostic('operation-refused', ''),
    ]);
    const second = decide([
      diagnostic('profile-refused', 'Do that. Or accept openai/a, gemini/b under profiles.accept, with the reason.'),
      diagnostic('credential-unsupported', ''),
    ]);
    expect([first?.codes, second?.codes]).toEqual([
      ['server-url-invalid'],
      ['credential-unsupported', 'profile-refused'],
    ]);
    const why = 'Seen, and left as it is.';
    expect({ ...first?.config, ...second?.config }).toEqual({
      serverVariables: { base_url: { default: 'https://corpus.example' } },
      profiles: { accept: { 'openai/a': why, 'gemini/b': why } },
      credential: { parts: [{ id: 'token', type: 'bearer', label: 'Access token' }] },
    });
  });

  test.each<[title: string, diagnostics: Diagnostic[]]>([
    ['no diagnostic asks for one', [diagnostic('operation-refused', '')]],
    ['another error remains', [diagnostic('profile-refused', ''), diagnostic('descriptor-unusable', '')]],
  ])('are not made if %s', (_, diagnostics) => {
    expect(decide(diagnostics)).toBeNull();
  });
});

describe('the chosen documents', () => {
  const files = ['api/a/1.json', 'api/a/2.json', 'api/b.json', 'api/c/1.json', 'api/d.json', 'README.md'];

  test('are one per vendor for some vendors, and stay the same when others are added or removed', () => {
    const two = oneOfEachVendor(files, 2);
    expect(two.map((file) => file.split('/')[1]?.replace('.json', ''))).toHaveLength(2);
    expect(oneOfEachVendor(files, 4).slice(0, 2)).toEqual(two);
    expect(oneOfEachVendor(files, 9)).toHaveLength(4);
    expect(oneOfEachVendor(two, 2)).toEqual(two);
  });

  test('are unpacked with only the files that they refer to', () => {
    const source: Source = {
      package: 'p',
      version: '1.0.0',
      integrity: '',
      choose: () => [
        { file: 'a/main.yaml', rootFolder: 'a' },
        { file: 'b/one.json', overlay: 'b/over.yaml' },
      ],
    };
    const all = ['a/main.yaml', 'a/sub/part.yaml', 'b/one.json', 'b/two.json', 'b/over.yaml', 'LICENSE', 'index.js'];
    expect(neededFiles(source, all)).toEqual([
      'a/main.yaml',
      'a/sub/part.yaml',
      'b/one.json',
      'b/over.yaml',
      'LICENSE',
    ]);
  });
});

const ACTIONS = '[{ target: $.paths, remove: true }]';

test('a run generates each document as its own service, compiles all together, and reports problems', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'corpus-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const head = 'openapi: 3.1.0\ninfo: { title: Notes, version: "1" }\n';
  const paths = 'paths: { /a: { get: { summary: Gets a, responses: { "200": { description: Done. } } } } }\n';
  await writeFile(path.join(folder, 'good.yaml'), `${head}servers: [{ url: "https://a.example" }]\n${paths}`);
  await writeFile(path.join(folder, 'relative.yaml'), `${head}servers: [{ url: /v1 }]\n${paths}`);
  await writeFile(
    path.join(folder, 'old.yaml'),
    `swagger: "2.0"\ninfo: { title: Old, version: "1" }\nhost: a.example\n${paths}`,
  );
  await writeFile(path.join(folder, 'parts.yaml'), `${head}paths: { /a: { $ref: ./part.yaml } }\n`);
  await writeFile(
    path.join(folder, 'part.yaml'),
    'get: { summary: Gets a, responses: { "200": { description: Done. } } }\n',
  );
  await writeFile(
    path.join(folder, 'overlay.yaml'),
    `overlay: 1.0.0\ninfo: { title: A, version: "1" }\nactions: ${ACTIONS}\n`,
  );
  const documents: CorpusDocument[] = ['good.yaml', 'relative.yaml', 'old.yaml', 'parts.yaml', 'none.yaml'].map(
    (name) => {
      const file = path.join(folder, name === 'none.yaml' ? 'good.yaml' : name);
      const parts = name === 'parts.yaml' ? { rootFolder: folder } : {};
      const changed = name === 'none.yaml' ? { overlay: path.join(folder, 'overlay.yaml') } : {};
      return { name, id: name, file, ...parts, ...changed };
    },
  );
  const results: Result[] = [];
  await runCorpus(documents, (result) => results.push(result));
  expect(
    results.map(({ document, outcome, typeErrors }) => [
      document.name,
      outcome.tools,
      outcome.decided,
      outcome.errors,
      [...outcome.defects, ...typeErrors],
    ]),
  ).toEqual([
    ['good.yaml', 1, [], [], []],
    ['relative.yaml', 1, ['server-url-invalid'], [], []],
    ['old.yaml', 1, [], [], []],
    ['parts.yaml', 1, ['server-url-invalid'], [], []],
    ['none.yaml', 0, [], [expect.stringMatching(/^descriptor-unusable at line /)], []],
  ]);
});

test('names of services are valid and do not depend on the rest of the corpus', () => {
  expect(toServiceName('3.0/json/Link Example!.json')).toMatch(/^link-example-[0-9a-f]{4}$/);
  expect(toServiceName('2.json')).toMatch(/^x2-[0-9a-f]{4}$/);
});
