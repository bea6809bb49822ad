import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DIAGNOSTICS, type Diagnostic, type DiagnosticCode } from '../../codegen/diagnostics.ts';
import { checkTools } from '../../scripts/lab/corpus/check-tools.ts';
import { countOperations } from '../../scripts/lab/corpus/count-operations.ts';
import { decide, mergeAnswers } from '../../scripts/lab/corpus/decide.ts';
import { describeDocument } from '../../scripts/lab/corpus/document.ts';
import { toServiceName } from '../../scripts/lab/corpus/layout.ts';
import { failedOutcome, type Outcome } from '../../scripts/lab/corpus/outcome.ts';
import { type CorpusDocument, type Result, runCorpus } from '../../scripts/lab/corpus/run.ts';
import { neededFiles, oneOfEachVendor, type Source } from '../../scripts/lab/corpus/sources/packages.ts';
import { toPage } from '../../scripts/lab/corpus/table.ts';
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
    expect(JSON.parse(mergeAnswers([first, second].filter((one) => one !== null)))).toEqual({
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

const outcome = (parts: Partial<Outcome>): Outcome => ({ ...failedOutcome('', 0), defects: [], ...parts });
const result = (name: string, parts: Partial<Outcome>, typeErrors: readonly string[] = []): Result => {
  const compiles = !name.includes('yaml');
  return { document: { name, id: name, file: name, compiles }, outcome: outcome(parts), typeErrors };
};

test('the page has one row for twins with equal results, reasons without names, and totals', () => {
  const refused = {
    'Not supported yet: it needs the credential a.': 1,
    'Not supported yet: it needs the credential b.': 2,
    'The descriptor is wrong here: GET /a does not declare {b}.': 1,
  };
  const schemas = { found: 4, valid: 4 };
  const twin = { version: '3.0.1', isValid: true, operations: 6, tools: 2, refused, bytes: 9, schemas };
  const invalid = {
    version: '2.0',
    isValid: false,
    operations: 3,
    tools: 2,
    bytes: 9,
    schemas: { found: 4, valid: 3 },
  };
  const page = toPage('# Title', [
    {
      title: 'some-package 1.0.0',
      results: [
        result('json/a.json', twin),
        result('yaml/a.yaml', twin),
        result('b.json', { operations: 1, errors: { 'openapi-invalid': 2 }, decided: ['x'] }),
        result('c.json', invalid, ['generated/c/index.ts(1,1): error TS1']),
      ],
    },
  ]);
  const totals =
    '4 documents, 16 operations, 6 tools. 1 of the documents are invalid; 1 of these give tools, 2 for 3 operations.';
  expect(page.split('\n')).toEqual([
    '# Title',
    '',
    '## All packages',
    '',
    totals,
    '',
    '## some-package 1.0.0',
    '',
    totals,
    '',
    '| Document | Version | Valid | Operations | Tools | Without a tool | Decided in connector.yaml | Errors | `tsc` | Schemas |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    '| `*/a.*` | 3.0.1 | yes | 6 | 2 | 3 needs another credential; 1 wrong in the descriptor |  |  | clean | 4 |',
    '| `b.json` |  |  | 1 | 0 |  | `x` | 2 `openapi-invalid` |  |  |',
    '| `c.json` | 2.0 | no | 3 | 2 |  |  |  | 1 errors | 3 of 4 |',
    '',
  ]);
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

test('a validator of the published schemas describes a document', async () => {
  const info = '"info": {"title": "A", "version": "1"}';
  const described = (text: string) => describeDocument(text);
  expect(await described(`{"openapi": "3.0.1", ${info}, "paths": {}}`)).toEqual({ version: '3.0.1', isValid: true });
  expect(await described(`{"openapi": "3.0.1", ${info}}`)).toEqual({ version: '3.0.1', isValid: false });
  expect(await described('openapi: 3.2.0\ninfo: { title: A, version: "1" }\npaths: {}\n')).toMatchObject({
    isValid: true,
  });
  expect(await described('swagger: 2.0\n')).toMatchObject({ version: '2', isValid: false });
  expect(await described('{"openapi": ')).toEqual({ version: '', isValid: null });
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
      return { name, id: name, file, compiles: true, ...parts, ...changed };
    },
  );
  const lines: string[] = [];
  const results = await runCorpus(
    documents,
    () => {},
    (line) => lines.push(line),
  );
  expect(
    results.map(({ document, outcome, typeErrors }) => [
      document.name,
      outcome.tools,
      outcome.decided,
      outcome.errors,
      [...outcome.defects, ...typeErrors],
    ]),
  ).toEqual([
    ['good.yaml', 1, [], {}, []],
    ['relative.yaml', 1, ['server-url-invalid'], {}, []],
    ['old.yaml', 1, [], {}, []],
    ['parts.yaml', 1, ['server-url-invalid'], {}, []],
    ['none.yaml', 0, [], { 'descriptor-unusable': 1 }, []],
  ]);
  expect(lines).toEqual([expect.stringMatching(/^tsc: 4 services in .* 0 errors$/)]);
});

test('names of services are valid and do not depend on the rest of the corpus', () => {
  expect(toServiceName('3.0/json/Link Example!.json')).toMatch(/^link-example-[0-9a-f]{4}$/);
  expect(toServiceName('2.json')).toMatch(/^x2-[0-9a-f]{4}$/);
});
