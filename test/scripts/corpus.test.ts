import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DIAGNOSTICS, type Diagnostic, type DiagnosticCode } from '../../codegen/diagnostics.ts';
import { checkTools } from '../../scripts/corpus/check-tools.ts';
import { countOperations } from '../../scripts/corpus/count-operations.ts';
import { decide, mergeAnswers } from '../../scripts/corpus/decide.ts';
import { toServiceName } from '../../scripts/corpus/layout.ts';
import { failedOutcome, type Outcome } from '../../scripts/corpus/outcome.ts';
import { runCorpus } from '../../scripts/corpus/run.ts';
import { toPage } from '../../scripts/corpus/table.ts';
import { argument, connector, tool } from '../codegen/emit/fixtures.ts';

const diagnostic = (code: DiagnosticCode, fix: string): Diagnostic => {
  return { code, severity: DIAGNOSTICS[code].severity, file: '', pointer: '', position: null, message: '', fix };
};

describe('counting the operations of a document', () => {
  test.each<[title: string, text: string, want: number | null]>([
    ['JSON', '{"paths": {"/a": {"get": {}, "parameters": []}, "/b": {"put": {}, "x-c": {}}, "x-d": {"get": {}}}}', 2],
    ['YAML', 'paths:\n  /a: { get: {}, delete: {} }\n', 2],
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

  test('finds nothing in a sound tool', () => {
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

  test('finds two tools of one name, and an operation that is nowhere', () => {
    expect(checkTools(connector({ tools: [tool(), tool()] }), 2)).toEqual([
      'there are 2 operations, but 1 are tools or said to be none',
      'notes_list (GET /notes): another tool has its name',
    ]);
  });
});

describe('decisions', () => {
  test('do what the diagnostics say', () => {
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
    ['nothing asks for one', [diagnostic('operation-refused', '')]],
    ['another error remains', [diagnostic('profile-refused', ''), diagnostic('descriptor-unusable', '')]],
  ])('are not made where %s', (_, diagnostics) => {
    expect(decide(diagnostics)).toBeNull();
  });
});

test('the page gives twins that come out alike one row, and reasons without names', () => {
  const outcome = (parts: Partial<Outcome>): Outcome => ({ ...failedOutcome('', 0), defects: [], ...parts });
  const refused = {
    'Not supported yet: it needs the credential a.': 1,
    'Not supported yet: it needs the credential b.': 2,
    'The descriptor is wrong here: GET /a does not declare {b}.': 1,
  };
  const page = toPage('# Title', [
    {
      title: 'some-package 1.0.0',
      rows: [
        { name: 'json/a.json', outcome: outcome({ operations: 6, tools: 2, refused }) },
        { name: 'yaml/a.yaml', outcome: outcome({ operations: 6, tools: 2, refused }) },
        { name: 'b.json', outcome: outcome({ operations: 1, errors: { 'openapi-invalid': 2 }, decided: ['x'] }) },
      ],
    },
  ]);
  expect(page.split('\n')).toEqual([
    '# Title',
    '',
    '## some-package 1.0.0',
    '',
    '3 documents, 13 operations, 4 tools.',
    '',
    '| Document | Operations | Tools | Without a tool | Decided in connector.yaml | Errors |',
    '| --- | --- | --- | --- | --- | --- |',
    '| `*/a.*` | 6 | 2 | 3 needs another credential; 1 wrong in the descriptor |  |  |',
    '| `b.json` | 1 | 0 |  | `x` | 2 `openapi-invalid` |',
    '',
  ]);
});

test('a run generates each document as a service of its own, compiles them together, and says what is wrong', {
  timeout: 120_000,
}, async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'corpus-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const head = 'openapi: 3.1.0\ninfo: { title: Notes, version: "1" }\n';
  const paths = 'paths: { /a: { get: { summary: Gets a, responses: { "200": { description: Done. } } } } }\n';
  await writeFile(path.join(folder, 'good.yaml'), `${head}servers: [{ url: "https://a.example" }]\n${paths}`);
  await writeFile(path.join(folder, 'relative.yaml'), `${head}servers: [{ url: /v1 }]\n${paths}`);
  await writeFile(path.join(folder, 'old.yaml'), `swagger: "2.0"\n`);
  const documents = ['good.yaml', 'relative.yaml', 'old.yaml'].map((name) => {
    return { name, file: path.join(folder, name), compiles: true };
  });
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
    ['old.yaml', 0, [], { 'openapi-version': 1 }, []],
  ]);
  expect(lines).toEqual([expect.stringMatching(/^tsc: 2 services in .* 0 errors$/)]);
});

test('names of services are legal, and the same wherever the rest of the corpus is', () => {
  expect(toServiceName('3.0/json/Link Example!.json')).toMatch(/^link-example-[0-9a-f]{4}$/);
  expect(toServiceName('2.json')).toMatch(/^x2-[0-9a-f]{4}$/);
});
