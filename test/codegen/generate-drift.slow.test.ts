import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { EmittedFile } from '../../codegen/emit/index.ts';
import { emitSchemaText } from '../../codegen/emit/schema-file.ts';
import { toStableDocument } from '../../codegen/emit/types/stable-document.ts';
import { generate } from '../../codegen/generate.ts';
import { compileGenerated } from './compile.ts';

const DESCRIPTOR = `
openapi: 3.2.0
info: { title: Notes, version: '1' }
servers: [{ url: https://notes.example }]
paths:
  /notes/{note_id}/comments:
    get:
      operationId: listComments
      parameters:
        - { name: note_id, in: path, required: true, schema: { type: string } }
        - { name: page_size, in: query, schema: { type: integer } }
        - { name: sort, in: query, schema: { type: string, enum: [newest, oldest] } }
        - { name: filters, in: query, schema: { type: object, additionalProperties: { type: string } } }
        - { name: partition, in: header, schema: { type: string } }
      responses: { '204': { description: None. } }
  /search:
    post:
      operationId: searchNotes
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [query]
              properties:
                query: { type: string }
                top_k: { type: integer }
                mode: { type: string, enum: [fast, exact] }
      responses: { '204': { description: None. } }
  /colors/{shades}:
    get:
      operationId: findColors
      parameters:
        - { name: shades, in: path, required: true, style: label, schema: { type: array, items: { type: string } } }
        - { name: wheel, in: query, content: { application/json: { schema: { type: object, properties: { hue: { type: integer } } } } } }
        - { name: X-Tones, in: header, schema: { type: array, items: { type: string } } }
        - { name: session, in: cookie, required: true, schema: { type: string } }
        - { name: theme, in: cookie, schema: { type: string, enum: [dark, light] } }
      responses: { '204': { description: None. } }
  /labels/{id}:
    patch:
      operationId: changeLabel
      parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
      requestBody:
        content:
          application/json:
            schema: { type: object, properties: { color: { type: string } }, additionalProperties: true }
      responses: { '204': { description: None. } }
  /reports:
    post:
      operationId: fileReport
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              required: [report]
              properties:
                report:
                  type: object
                  required: [kind, owner]
                  properties:
                    kind: { type: string, enum: [short, long] }
                    owner: { type: object, required: [mail], properties: { mail: { type: string } } }
      responses: { '204': { description: None. } }
  /found:
    query:
      operationId: findNotes
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [words], properties: { words: { type: string } } }
      responses: { '204': { description: None. } }
    additionalOperations:
      COPY:
        operationId: copyFound
        parameters: [{ name: target, in: query, schema: { type: string } }]
        responses: { '204': { description: None. } }
  /match:
    get:
      operationId: matchNotes
      parameters: [{ name: selector, in: querystring, required: true, content: { application/json: { schema: { type: object } } } }]
      responses: { '204': { description: None. } }
`;

const CONNECTOR = `
credential: { schemes: [] }
tools:
  notes_list_comments:
    operation: listComments
    fixed: { query.sort: newest }
    arguments:
      author: { wire: 'query.filters[author]', schema: { type: string }, description: Who wrote it. }
  notes_search:
    operation: searchNotes
    fixed: { body.mode: fast }
  notes_find_colors:
    operation: findColors
    fixed: { cookie.theme: dark }
  notes_file_report:
    operation: fileReport
    fixed: { body.report.kind: short }
    arguments:
      mail: { wire: body.report.owner.mail, description: Of the owner. }
`;

const LIST = 'generated/notes/tools/notes-list-comments.ts';
const SEARCH = 'generated/notes/tools/notes-search.ts';
const COLORS = 'generated/notes/tools/notes-find-colors.ts';
const LABEL = 'generated/notes/tools/notes-change-label.ts';
const REPORT = 'generated/notes/tools/notes-file-report.ts';
const FIND = 'generated/notes/tools/notes-find-notes.ts';
const COPY = 'generated/notes/tools/notes-copy-found.ts';
const MATCH = 'generated/notes/tools/notes-match-notes.ts';
const SCHEMA = 'generated/notes/schema.d.ts';

let root = '';
let undrifted: readonly EmittedFile[] = [];

async function generateFrom(descriptor: string): Promise<readonly EmittedFile[]> {
  const folder = path.join(root, 'specs/notes');
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'openapi.yaml'), descriptor);
  await writeFile(path.join(folder, 'connector.yaml'), CONNECTOR);
  const { files, diagnostics } = await generate({ root });
  expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
  return files;
}

beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'drift-'));
  undrifted = await generateFrom(DESCRIPTOR);
});
afterAll(() => rm(root, { recursive: true, force: true }));

/** Types of a changed descriptor under the tools of the old one, as after a pull that forgot to generate. */
async function compileDrifted(from: string, to: string): Promise<string[]> {
  expect(DESCRIPTOR).toContain(from);
  const drifted = parse(DESCRIPTOR.replace(from, to));
  const text = emitSchemaText('drifted', toStableDocument(drifted));
  return compileGenerated(undrifted.map((file) => (file.path === SCHEMA ? { path: SCHEMA, text } : file)));
}

describe('a tool compiles', () => {
  test('against the descriptor that it was generated from', () => {
    expect(undrifted.map((file) => file.path)).toEqual(expect.arrayContaining([LIST, SEARCH, LABEL, COLORS, SCHEMA]));
    expect(compileGenerated(undrifted)).toEqual([]);
  });

  test('after a change that does not affect it', async () => {
    expect(
      await compileDrifted(
        'top_k: { type: integer }',
        'top_k: { type: integer }\n                extra: { type: string }',
      ),
    ).toEqual([]);
  });
});

describe('a tool does not compile after its descriptor', () => {
  test.each<[title: string, from: string, to: string, file: string, name: string]>([
    ['renamed a path', '/notes/{note_id}/comments', '/notes/{note_id}/replies', LIST, '/notes/{note_id}/comments'],
    ['renamed a path parameter', 'name: note_id', 'name: noteId', LIST, 'note_id'],
    ['renamed a query parameter', 'name: page_size', 'name: per_page', LIST, 'page_size'],
    ['renamed a query parameter that is always sent', 'name: sort', 'name: order', LIST, 'sort'],
    ['removed a value that is always sent', 'enum: [newest, oldest]', 'enum: [latest, oldest]', LIST, 'newest'],
    ['renamed a query parameter that takes entries', 'name: filters', 'name: where', LIST, 'filters'],
    ['renamed a header', 'name: partition', 'name: X-Partition', LIST, 'partition'],
    ['renamed a path parameter with a style', 'name: shades', 'name: tints', COLORS, 'shades'],
    ['renamed a document', 'name: wheel', 'name: circle', COLORS, 'wheel'],
    ['renamed a header that is an array', 'name: X-Tones', 'name: X-Tone', COLORS, 'X-Tones'],
    ['renamed a cookie', 'name: session', 'name: sid', COLORS, 'session'],
    ['renamed a cookie that is always sent', 'name: theme', 'name: mode', COLORS, 'theme'],
    ['removed a value that a cookie always has', 'enum: [dark, light]', 'enum: [dim, light]', COLORS, 'dark'],
    ['moved a cookie to the headers', 'name: theme, in: cookie', 'name: theme, in: header', COLORS, 'theme'],
    [
      'required a cookie that is not sent',
      '        - { name: session, in',
      '        - { name: tenant, in: cookie, required: true, schema: { type: string } }\n        - { name: session, in',
      COLORS,
      'tenant',
    ],
    [
      'required a parameter that is not sent',
      '        - { name: partition',
      '        - { name: tenant, in: query, required: true, schema: { type: string } }\n        - { name: partition',
      LIST,
      'tenant',
    ],
    [
      'changed the method',
      '    post:\n      operationId: searchNotes',
      '    put:\n      operationId: searchNotes',
      SEARCH,
      'search',
    ],
    ['renamed a body member', 'top_k: { type', 'topK: { type', SEARCH, 'top_k'],
    ['renamed a body member that is always sent', 'mode: { type', 'speed: { type', SEARCH, 'mode'],
    [
      'required a body member that is not sent',
      'required: [query]\n              properties:',
      'required: [query, tenant]\n              properties:\n                tenant: { type: string }',
      SEARCH,
      'tenant',
    ],
    [
      'changed the media type of a body',
      'application/json:\n            schema:\n              type: object',
      'application/cbor:\n            schema:\n              type: object',
      SEARCH,
      'application/json',
    ],
    ['renamed an object whose members are arguments', 'report:\n', 'paper:\n', REPORT, 'report'],
    ['renamed a member of an object in an object', 'mail: { type', 'email: { type', REPORT, 'mail'],
    [
      'removed a value that a member of an object always has',
      'enum: [short, long]',
      'enum: [brief, long]',
      REPORT,
      'short',
    ],
    [
      'required a member of an object that is not sent',
      'required: [mail], properties: {',
      'required: [mail, name], properties: { name: { type: string },',
      REPORT,
      'name',
    ],
    [
      'moved a QUERY to another method',
      '    query:\n      operationId: findNotes',
      '    post:\n      operationId: findNotes',
      FIND,
      'query',
    ],
    ['renamed a body member of a QUERY', 'words: { type', 'text: { type', FIND, 'words'],
    ['renamed a method without a key of its own', '      COPY:', '      CLONE:', COPY, 'COPY'],
    ['renamed a parameter of such a method', 'name: target', 'name: goal', COPY, 'target'],
    ['renamed a document that is the whole query', 'name: selector', 'name: filter', MATCH, 'selector'],
    ['renamed a member of a body that takes any', 'color: { type', 'colour: { type', LABEL, 'color'],
    ['removed every member of a body that takes any', 'properties: { color: { type: string } }, ', '', LABEL, 'color'],
    [
      'removed every member of an object in an object',
      'required: [mail], properties: { mail: { type: string } }',
      'additionalProperties: true',
      REPORT,
      'mail',
    ],
  ])('%s', async (_, from, to, file, name) => {
    const errors = await compileDrifted(from, to);
    expect(errors).not.toEqual([]);
    expect(errors.filter((error) => !error.startsWith(`${file} TS`))).toEqual([]);
    expect(errors.join('\n')).toContain(name);
  });
});
