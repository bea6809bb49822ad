import { hash } from 'node:crypto';
import {
  appendFile,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadLastRun, toRecordText } from '../../../codegen/cache/last-run.ts';
import { findReusable } from '../../../codegen/cache/reuse.ts';
import { createCodegenCommand } from '../../../codegen/command.ts';
import { generate } from '../../../codegen/generate.ts';
import { compareGenerated, writeChanges } from '../../../codegen/write.ts';
import { runInProcess } from '../../support/run-command.ts';

const GOLDEN = path.resolve(import.meta.dirname, '../../golden');
const TOOL = 'generated/notes/tools/notes-get-note.ts';
const RECORD_FILE = 'node_modules/.cache/unified-tool-gateway/codegen.json';
const UNCHANGED = 'unchanged since the last run';

let root = '';
let sources = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'codegen-reuse-'));
  sources = inRoot('codegen');
  await put('codegen/source.ts', 'export const version = 1;\n');
  await put('node_modules/.package-lock.json', '{ "packages": {} }\n');
});
afterEach(() => rm(root, { recursive: true, force: true }));

const inRoot = (file: string) => path.join(root, file);

async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(inRoot(file)), { recursive: true });
  await writeFile(inRoot(file), text);
}

async function addService(name: string, golden: string): Promise<void> {
  await cp(path.join(GOLDEN, golden, 'specs/notes'), inRoot(`specs/${name}`), { recursive: true });
}

const run = (...argv: string[]) =>
  runInProcess(
    (output) => createCodegenCommand({ ...output, quietMs: Number.POSITIVE_INFINITY }, sources),
    ['--root', root, ...argv],
  );

const linesOf = (out: string) => out.split('\n').map((line) => line.replace(/, \d+\.\d s$/, ''));

describe('a service that has not changed since the last run', () => {
  test('is not generated again, and the same output is printed', async () => {
    await addService('notes', 'refused-operations');
    const first = await run();
    const second = await run();
    expect(linesOf(first.out)[0]).toMatch(/ not exposed \([1-9] refused by codegen\), \d+ files changed$/);
    expect(linesOf(second.out)[0]).toBe(linesOf(first.out)[0]?.replace(/\d+ files changed/, UNCHANGED));
    expect(second.out).toContain('\nNothing changed. ');
    expect(first.err).toMatch(/ warning operation-refused /);
    expect(second.err).toBe(first.err);
    expect(second.code).toBe(0);
  });

  test('prints the same with --verbose as the previous run', async () => {
    await addService('notes', 'refused-operations');
    const { err } = await run('--verbose');
    expect((await run('--verbose')).err).toBe(err);
  });

  test('is reused after another service changed', async () => {
    await addService('notes', 'several-files');
    await addService('others', 'minimal');
    await run();
    await appendFile(inRoot('specs/others/openapi.yaml'), '# more\n');
    expect(linesOf((await run()).out).slice(0, 2)).toEqual([
      `notes: 2 tools, ${UNCHANGED}`,
      'others: 1 tool, 0 files changed',
    ]);
    expect(linesOf((await run()).out).slice(0, 2)).toEqual([
      `notes: 2 tools, ${UNCHANGED}`,
      `others: 1 tool, ${UNCHANGED}`,
    ]);
  });

  test('is reused when the run before named only another service', async () => {
    await addService('notes', 'minimal');
    await addService('others', 'minimal');
    await run();
    await appendFile(inRoot('specs/others/openapi.yaml'), '# more\n');
    await run('others');
    expect(linesOf((await run('notes')).out)[0]).toBe(`notes: 1 tool, ${UNCHANGED}`);
  });

  test('is reused when another is added or removed, and the index is updated', async () => {
    await addService('notes', 'minimal');
    await run();
    await addService('others', 'minimal');
    expect(linesOf((await run()).out).slice(0, 2)).toEqual([
      `notes: 1 tool, ${UNCHANGED}`,
      'others: 1 tool, 5 files changed',
    ]);
    expect(await readFile(inRoot('generated/index.ts'), 'utf8')).toContain('others');
    await rm(inRoot('specs/others'), { recursive: true });
    expect((await run()).out).toMatch(/^notes: 1 tool, unchanged since the last run\nWrote 1 file, removed 5 files\./);
    expect(Object.keys(loadLastRun(root).services)).toEqual(['notes']);
    expect(await readdir(inRoot('generated'))).toEqual(['index.ts', 'notes']);
  });
});

describe('a service is generated again', () => {
  const CHANGES: [title: string, change: () => Promise<unknown>][] = [
    ['its descriptor changed', () => appendFile(inRoot('specs/notes/openapi.yaml'), '# more\n')],
    [
      'a file that the descriptor refers to changed',
      () => appendFile(inRoot('specs/notes/schemas/note.yaml'), '# more\n'),
    ],
    ['connector.yaml is new', () => put('specs/notes/connector.yaml', '')],
    ['a file was renamed', () => rename(inRoot('specs/notes/parameters.yaml'), inRoot('specs/notes/other.yaml'))],
    ['a source of codegen changed', () => put('codegen/source.ts', 'export const version = 2;\n')],
    ['a source of search changed', () => put('shared/search/words.ts', 'export const version = 2;\n')],
    ['what codegen and the gateway withhold changed', () => put('shared/withheld.ts', 'export const version = 2;\n')],
    ['codegen has an additional source', () => put('codegen/emit/other.ts', '')],
    [
      'another library is installed',
      () => put('node_modules/.package-lock.json', '{ "packages": { "node_modules/yaml": {} } }\n'),
    ],
    ['the installed packages are unknown', () => rm(inRoot('node_modules/.package-lock.json'))],
    [
      'a library is linked',
      () => put('node_modules/.package-lock.json', '{ "packages": { "node_modules/yaml": { "link": true } } }\n'),
    ],
    ['its folder holds a link', () => symlink('openapi.yaml', inRoot('specs/notes/link.yaml'))],
    ['its folder became a link', () => moveAway('specs/notes', 'moved')],
    ['one of its generated files was edited by hand', () => appendFile(inRoot(TOOL), '// mine\n')],
    ['one of its generated files is missing', () => rm(inRoot('generated/notes/TOOLS.md'))],
    ['its folder in generated/ has an extra file', () => put('generated/notes/tools/old.ts', 'old\n')],
    ['one of its generated files became a link to the same text', () => moveAway(TOOL, 'moved.txt')],
    ['the record was truncated', () => editRecord((text) => text.slice(0, -1))],
    ['the record was edited', () => editRecord((text) => text.replace('"tools":2', '"tools":3'))],
    ['the record is something else', () => editRecord(() => '{"services":{}}')],
    ['the record is missing', () => rm(inRoot(RECORD_FILE))],
    ['the record is a folder', () => rm(inRoot(RECORD_FILE)).then(() => mkdir(inRoot(RECORD_FILE)))],
  ];

  async function moveAway(from: string, to: string): Promise<void> {
    await rename(inRoot(from), inRoot(to));
    await symlink(inRoot(to), inRoot(from));
  }

  async function editRecord(edit: (text: string) => string): Promise<void> {
    await writeFile(inRoot(RECORD_FILE), edit(await readFile(inRoot(RECORD_FILE), 'utf8')));
  }

  test.each(CHANGES)('where %s', async (_title, change) => {
    await addService('notes', 'several-files');
    await run();
    expect((await run()).out).toContain(UNCHANGED);
    await change();
    const { out, err } = await run();
    expect(out).not.toContain(UNCHANGED);
    if (!err.includes(' error ')) expect((await run('--check')).code).toBe(0);
  });

  test('and its edited file is restored and its orphan removed', async () => {
    await addService('notes', 'several-files');
    await run();
    const text = await readFile(inRoot(TOOL), 'utf8');
    await writeFile(inRoot(TOOL), text.replace("'GET'", "'PUT'"));
    await put('generated/notes/tools/old.ts', 'old\n');
    expect((await run()).out).toMatch(/^notes: 2 tools, 2 files changed, .*\nWrote 1 file, removed 1 file\./);
    expect(await readFile(inRoot(TOOL), 'utf8')).toBe(text);
  });

  test('on every run while it has errors', async () => {
    await addService('notes', 'minimal');
    await addService('wrong', 'connector-mistakes');
    const first = await run();
    const second = await run();
    expect([first.code, second.code]).toEqual([1, 1]);
    expect(second.err).toBe(first.err);
    expect(await readdir(inRoot('node_modules'))).toEqual(['.package-lock.json']);
  });

  test('on a day on which another alias may have expired', async () => {
    await addService('notes', 'minimal');
    await addService('others', 'minimal');
    await put(
      'specs/notes/connector.yaml',
      'tools:\n  notes_read:\n    operation: getNote\n    aliases:\n      notes_get_note: { until: 2030-01-01 }\n',
    );
    const allServices = ['notes', 'others'];
    const reuseOn = (today: string) =>
      findReusable({ root, services: allServices, allServices, sources: inRoot('codegen'), today });
    const result = await generate({ root, today: '2029-12-31' });
    expect(result.diagnostics.filter(({ severity }) => severity === 'error')).toEqual([]);
    await writeChanges(root, await compareGenerated({ root, files: result.files, services: allServices, allServices }));
    reuseOn('2029-12-31').recordRun(result);
    expect([...reuseOn('2029-12-31').services.keys()]).toEqual(['notes', 'others']);
    expect([...reuseOn('2030-01-02').services.keys()]).toEqual(['others']);
  });
});

describe('the record of previous runs', () => {
  const WRONG = 'wrong\n';

  async function makeRecordLie(): Promise<void> {
    const last = loadLastRun(root);
    const notes = last.services.notes;
    if (notes === undefined) throw new Error('notes was not recorded');
    const files = { ...notes.files, [TOOL]: hash('sha256', WRONG) };
    await put(TOOL, WRONG);
    await put(RECORD_FILE, toRecordText({ ...last, services: { notes: { ...notes, files } } }));
  }

  test('is ignored by --check', async () => {
    await addService('notes', 'several-files');
    await run();
    await makeRecordLie();
    expect((await run()).out).toContain(UNCHANGED);
    const { code, out } = await run('--check');
    expect(code).toBe(1);
    expect(out).toContain(`  changed ${TOOL}\n`);
  });

  test('is neither read nor written with --no-cache', async () => {
    await addService('notes', 'several-files');
    await run();
    await makeRecordLie();
    const before = await stat(inRoot(RECORD_FILE));
    expect((await run('--no-cache')).out).toMatch(/^notes: 2 tools, 1 file changed, /);
    expect(await readFile(inRoot(TOOL), 'utf8')).toContain("name: 'notes_get_note'");
    expect((await stat(inRoot(RECORD_FILE))).mtimeMs).toBe(before.mtimeMs);
  });

  test('is optional: a run succeeds where it cannot be written', async () => {
    await addService('notes', 'minimal');
    await put('node_modules/.cache', 'a file where a folder is needed');
    expect(await run()).toMatchObject({ code: 0, err: '' });
    expect((await run()).out).toMatch(/^notes: 1 tool, 0 files changed, /);
    expect(await readdir(inRoot('node_modules'))).toEqual(['.cache', '.package-lock.json']);
  });

  test('is in .cache, which git ignores, in a project without node_modules', async () => {
    const project = inRoot('project');
    await addService('notes', 'minimal');
    await mkdir(project);
    await rename(inRoot('specs'), path.join(project, 'specs'));
    expect((await run('--root', project)).code).toBe(0);
    expect((await run('--root', project)).out).toContain(UNCHANGED);
    expect(await readdir(project)).toEqual(['.cache', 'generated', 'specs']);
    expect(await readFile(path.join(project, '.cache/unified-tool-gateway/.gitignore'), 'utf8')).toBe('*\n');
  });

  test('knows the packages of a project that has codegen as a package', async () => {
    await addService('notes', 'minimal');
    await mkdir(inRoot('node_modules/gateway'));
    await rename(inRoot('codegen'), inRoot('node_modules/gateway/codegen'));
    await put('node_modules/gateway/node_modules/nested/package.json', '{}');
    sources = inRoot('node_modules/gateway/codegen');
    await run();
    expect((await run()).out).toContain(UNCHANGED);
    await put('node_modules/.package-lock.json', '{ "packages": { "other": {} } }\n');
    expect((await run()).out).not.toContain(UNCHANGED);
  });

  test('is not kept where another package manager than npm installed codegen, whatever npm installed above', async () => {
    await addService('notes', 'minimal');
    await mkdir(inRoot('project/node_modules/gateway'), { recursive: true });
    sources = inRoot('project/node_modules/gateway/codegen');
    await rename(inRoot('codegen'), sources);
    await run();
    expect((await run()).out).not.toContain(UNCHANGED);
  });

  test('leaves no partial files behind', async () => {
    await addService('notes', 'minimal');
    await run();
    expect(await readdir(path.dirname(inRoot(RECORD_FILE)))).toEqual(['.gitignore', path.basename(RECORD_FILE)]);
  });
});
