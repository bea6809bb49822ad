import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { listServices, loadService } from '../../../codegen/load/index.ts';
import { openServiceFolder, readInside } from '../../../codegen/load/service-folder.ts';
import { descriptor, loadNotes, place, writeRoot } from './service-files.ts';

describe('listServices', () => {
  test('names the folders of specs/ in code-unit order, without files and hidden folders', async () => {
    const root = await writeRoot({
      'specs/b/openapi.yaml': '',
      'specs/a-b/openapi.yaml': '',
      'specs/Z/openapi.yaml': '',
      'specs/.cache/openapi.yaml': '',
      'specs/README.md': '',
    });
    expect(await listServices(root)).toEqual(['Z', 'a-b', 'b']);
  });

  test('is empty where there is no specs/', async () => {
    expect(await listServices(await writeRoot({ 'README.md': '' }))).toEqual([]);
  });
});

describe('the name of a service', () => {
  const names: [string, string][] = [
    ['notes', 'service-missing'],
    ['notes-2', 'service-missing'],
    ['Notes', 'service-name'],
    ['2notes', 'service-name'],
    ['my_notes', 'service-name'],
    ['notes-', 'service-name'],
    ['a--b', 'service-name'],
    ['..', 'service-name'],
    ['notes/../../etc', 'service-name'],
    ['', 'service-name'],
    ['a'.repeat(33), 'service-name'],
  ];
  test.each(names)('%j gives %s where the folder does not exist', async (service, want) => {
    const { problems, document } = await loadService({ root: await writeRoot({}), service });
    expect(problems.map(({ code }) => code)).toEqual([want]);
    expect(document).toBeNull();
  });
});

describe('the descriptor of a service', () => {
  const names = ['openapi.yaml', 'openapi.yml', 'openapi.json'];
  test.each(names)('is read from %s', async (name) => {
    const document = { openapi: '3.0.4', info: { title: 'Notes', version: '1' }, paths: {} };
    const loaded = await loadNotes({ [name]: JSON.stringify(document) });
    expect(loaded.problems).toEqual([]);
    expect(loaded.descriptorFile).toBe(`specs/notes/${name}`);
    expect(loaded.configFile).toBeNull();
    expect(loaded.document).toEqual(document);
  });

  test('is missing in an empty folder', async () => {
    const loaded = await loadNotes({ 'README.md': '' });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual(['descriptor-missing openapi.yaml:null']);
  });

  test('is rejected where there are two', async () => {
    const loaded = await loadNotes({ 'openapi.yaml': descriptor(), 'openapi.json': '{}' });
    expect(loaded.problems.map(({ message }) => message)).toEqual(['specs/notes/ has openapi.yaml and openapi.json.']);
  });

  test('is rejected when it is a symbolic link out of the folder', async () => {
    const root = await writeRoot({ 'secret.yaml': descriptor(), 'specs/notes/README.md': '' });
    await symlink('../../secret.yaml', path.join(root, 'specs/notes/openapi.yaml'));
    const loaded = await loadService({ root, service: 'notes' });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual(['file-outside openapi.yaml:null']);
  });

  test('is rejected when the whole folder is a symbolic link out of specs/', async () => {
    const root = await writeRoot({ 'elsewhere/openapi.yaml': descriptor() });
    await mkdir(path.join(root, 'specs'));
    await symlink('../elsewhere', path.join(root, 'specs/notes'));
    const { problems } = await loadService({ root, service: 'notes' });
    expect(problems.map(({ code }) => code)).toEqual(['service-missing']);
  });

  test('is rejected when it is not UTF-8', async () => {
    const loaded = await loadNotes({ 'openapi.yaml': Uint8Array.of(0x61, 0x3a, 0x20, 0xff, 0xfe) });
    expect(loaded.problems.map(({ message }) => message)).toEqual(['openapi.yaml is not UTF-8 text.']);
  });

  test('is rejected when it is a folder', async () => {
    const loaded = await loadNotes({ 'openapi.yaml/x': '' });
    expect(loaded.problems.map(({ message }) => message)).toEqual(['openapi.yaml is not a regular file.']);
  });
});

test.each(['../none.yaml', '../../package.json', '/etc/hostname', 'a\0b', '.'])(
  'a file outside the folder is not accessed: %j',
  async (relative) => {
    const root = await writeRoot({ 'specs/notes/openapi.yaml': descriptor(), 'package.json': '{}' });
    const folder = await openServiceFolder(root, 'notes');
    expect(await readInside(folder!, relative)).toEqual(expect.objectContaining({ refused: 'outside' }));
  },
);

describe('the version of a descriptor', () => {
  const rest = 'info: { title: Notes, version: "1" }\npaths: {}\n';
  const cases: [string, { given: string; want: string[] }][] = [
    ['3.0.0 is read', { given: 'openapi: 3.0.0', want: [] }],
    ['3.1.2 is read', { given: 'openapi: 3.1.2', want: [] }],
    ['3.2.0 is read', { given: 'openapi: 3.2.0', want: [] }],
    ['3.3.0 is rejected', { given: 'openapi: 3.3.0', want: ['openapi-version openapi.yaml:1 /openapi'] }],
    ['a number is rejected', { given: 'openapi: 3.1', want: ['openapi-version openapi.yaml:1 /openapi'] }],
    ['Swagger 2.0 is rejected', { given: '\nswagger: "2.0"', want: ['openapi-version openapi.yaml:2 /swagger'] }],
    ['a missing version is rejected', { given: 'x-a: 1', want: ['openapi-version openapi.yaml:1'] }],
  ];
  test.each(cases)('%s', async (_title, { given, want }) => {
    const loaded = await loadNotes({ 'openapi.yaml': `${given}\n${rest}` });
    expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual(want);
  });

  test('is missing in an empty file', async () => {
    const loaded = await loadNotes({ 'openapi.yaml': '' });
    expect(loaded.problems.map(({ code }) => code)).toEqual(['openapi-version']);
  });
});

test('problems of the descriptor and of connector.yaml are reported together', async () => {
  const loaded = await loadNotes({ 'openapi.yaml': 'openapi: 2', 'connector.yaml': 'titel: Notes' });
  expect(loaded.problems.map((problem) => place(loaded, problem))).toEqual([
    'openapi-version openapi.yaml:1 /openapi',
    'config-invalid connector.yaml:1 /titel',
  ]);
});
