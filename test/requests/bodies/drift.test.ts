import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmittedFile } from '../../../codegen/emit/index.ts';
import { generate } from '../../../codegen/generate.ts';
import { compileGenerated } from '../../codegen/compile.ts';
import { someOf } from '../../support/some-of.ts';
import { FORMS_ROOT, generateForms } from './forms.ts';

const SCHEMA = 'generated/forms/schema.d.ts';

let root = '';
let descriptor = '';
let files: readonly EmittedFile[] = [];
beforeAll(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'forms-drift-'));
  await mkdir(path.join(root, 'specs/forms'), { recursive: true });
  descriptor = await readFile(path.join(FORMS_ROOT, 'specs/forms/openapi.yaml'), 'utf8');
  files = await generateForms();
}, 60_000);
afterAll(() => rm(root, { recursive: true, force: true }));

/** Type errors of the current tools against a descriptor that drifted. */
async function compileDrifted(from: string, to: string): Promise<string[]> {
  const drifted = descriptor.replaceAll(from, to);
  expect(drifted).not.toBe(descriptor);
  await writeFile(path.join(root, 'specs/forms/openapi.yaml'), drifted);
  const result = await generate({ root });
  const schema = result.files.find((file) => file.path === SCHEMA);
  expect(schema).toBeDefined();
  return compileGenerated(files.map((file) => (file.path === SCHEMA ? (schema ?? file) : file)));
}

describe('a tool', { timeout: 60_000 }, () => {
  test('compiles against its own descriptor', () => {
    expect(compileGenerated(files)).toEqual([]);
  });

  test.each<[title: string, from: string, to: string, tool: string, name: string]>(
    someOf<[title: string, from: string, to: string, tool: string, name: string]>(
      [
        ['a member of a form is renamed', 'amount:', 'total:', 'forms-create-charge', "'amount'"],
        [
          'a member of a form with a style is renamed',
          'expand: { type',
          'show: { type',
          'forms-create-charge',
          "'expand'",
        ],
        ['a file is renamed', 'preview: { type', 'thumbnail: { type', 'forms-create-document', "'preview'"],
        [
          'a list of files is renamed',
          'attachments: { type',
          'enclosures: { type',
          'forms-create-document',
          "'attachments'",
        ],
        [
          'a file of an optional body is renamed',
          'avatar: { type',
          'portrait: { type',
          'forms-change-profile',
          "'avatar'",
        ],
        [
          'a file in a body that is one argument is renamed',
          'file: { type: string, format: binary }, kind',
          'upload: { type: string, format: binary }, kind',
          'forms-create-import',
          '"file"',
        ],
        [
          'a form becomes JSON',
          'application/x-www-form-urlencoded:',
          'application/json:',
          'forms-create-charge',
          '"application/x-www-form-urlencoded"',
        ],
        ['a text has another type', 'text/markdown', 'text/x-markdown', 'forms-render-note', '"text/markdown"'],
        [
          'bytes have another type',
          'application/zip',
          'application/gzip',
          'forms-replace-archive',
          '"application/zip"',
        ],
        ['bytes have another range of types', "'image/*': {}", "'video/*': {}", 'forms-add-picture', '"image/*"'],
      ],
      2,
    ),
  )('does not compile if %s', async (_title, from, to, tool, name) => {
    const errors = await compileDrifted(from, to);
    const own = errors.filter((error) => error.startsWith(`generated/forms/tools/${tool}.ts`));
    expect(own.length).toBeGreaterThan(0);
    expect(own.join('\n')).toContain(name);
    expect(errors.filter((error) => error.includes(SCHEMA))).toEqual([]);
  });
});
