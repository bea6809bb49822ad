import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createCodegenCommand } from '../../codegen/command.ts';
import { runInProcess } from '../support/run-command.ts';

const MAIN = path.resolve(import.meta.dirname, '../../codegen/main.ts');
const GOLDEN = path.resolve(import.meta.dirname, '../golden');

let root = '';
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'codegen-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

async function addService(name: string, golden: string): Promise<void> {
  await cp(path.join(GOLDEN, golden, 'specs/notes'), path.join(root, 'specs', name), { recursive: true });
}

const run = (...argv: string[]) => runQuietly(Number.POSITIVE_INFINITY, argv);

const runQuietly = (quietMs: number, argv: string[]) =>
  runInProcess((output) => createCodegenCommand({ ...output, quietMs }), ['--root', root, ...argv]);

const TRY = 'Try: npm run utg -- codegen --help\n';
const TOOL = 'generated/notes/tools/notes-get-note.ts';
const inRoot = (file: string) => path.join(root, file);

async function modificationTimes(): Promise<Record<string, number>> {
  const names = await readdir(inRoot('generated'), { recursive: true });
  const entries = await Promise.all(
    names.map(async (name) => [name, (await stat(inRoot(`generated/${name}`))).mtimeMs]),
  );
  return Object.fromEntries(entries);
}

describe('npm run codegen', () => {
  test('prints the stages of a service that takes long', async () => {
    await addService('notes', 'minimal');
    const { err } = await runQuietly(-1, []);
    const stages = err.split('\n').filter((line) => !/^notes: emit (\d+ of \d+ tools|types) \.\.\.$/.test(line));
    expect(stages).toEqual(['notes: load ...', 'notes: model ...', 'notes: tools ...', 'notes: emit ...', '']);
  });

  test('writes missing files and prints a summary', async () => {
    await addService('notes', 'minimal');
    const { code, out, err } = await run();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(/^notes: 1 tool, 5 files changed, \d+\.\d s\nWrote 6 files\. \d+\.\d s\n$/);
    expect(await readFile(inRoot(TOOL), 'utf8')).toContain("name: 'notes_get_note'");
  });

  test('writes nothing where nothing changed', async () => {
    await addService('notes', 'minimal');
    await run();
    const before = await modificationTimes();
    const { code, out } = await run();
    expect(code).toBe(0);
    expect(out).toContain('Nothing changed.');
    expect(await modificationTimes()).toEqual(before);
  });

  test('restores edited files and removes orphans', async () => {
    await addService('notes', 'minimal');
    await addService('gone', 'minimal');
    await run();
    await rm(inRoot('specs/gone'), { recursive: true });
    await writeFile(inRoot(TOOL), 'edited\n');
    await writeFile(inRoot('generated/notes/tools/renamed.ts'), 'old\n');
    const { out } = await run();
    expect(out).toMatch(/Wrote 2 files, removed 6 files\./);
    expect(await readdir(inRoot('generated'))).toEqual(['index.ts', 'notes']);
    expect(await readdir(inRoot('generated/notes/tools'))).toEqual(['notes-get-note.ts']);
    expect(await readFile(inRoot(TOOL), 'utf8')).toContain("name: 'notes_get_note'");
  });

  test('generates only the named services and those that were never generated', async () => {
    await addService('notes', 'minimal');
    await addService('others', 'minimal');
    await run();
    await writeFile(inRoot('generated/others/client.ts'), 'edited\n');
    await addService('third', 'minimal');
    const { out } = await run('notes');
    expect(out).toMatch(/^notes: .*\nthird: .*\nWrote/);
    expect(await readFile(inRoot('generated/others/client.ts'), 'utf8')).toBe('edited\n');
    expect(await readFile(inRoot('generated/index.ts'), 'utf8')).toContain('  notes,\n  others,\n  third,\n');
  });

  test('writes nothing and fails where every service has errors', async () => {
    await addService('wrong', 'connector-mistakes');
    const { code, err } = await run();
    expect(code).toBe(1);
    expect(err).toContain('specs/wrong/connector.yaml:3:5 error config-operation-unknown ');
    expect(err).toContain('\n  fix: Did you mean listNotes? If the service no longer has it, remove it here.\n');
    expect(err).toContain('Nothing was written.\n');
    expect(await readdir(root)).toEqual(['specs']);
  });

  test('writes the services without errors, leaves the others unchanged, and fails', async () => {
    await addService('notes', 'minimal');
    await addService('wrong', 'connector-mistakes');
    await addService('later', 'minimal');
    await run('later');
    await cp(path.join(GOLDEN, 'connector-mistakes/specs/notes'), inRoot('specs/later'), { recursive: true });
    const { code, out, err } = await run();
    expect(code).toBe(1);
    expect(err).toContain('later, wrong: nothing was written.\n');
    expect(out).toMatch(/^notes: 1 tool, /);
    expect(await readdir(inRoot('generated'))).toEqual(['index.ts', 'later', 'notes']);
    const index = await readFile(inRoot('generated/index.ts'), 'utf8');
    expect(index).toContain('  later,\n  notes,\n');
    expect(index).not.toContain('wrong');
  });

  test('limits warnings, counts the rest, and prints all with --verbose', async () => {
    await addService('notes', 'refused-operations');
    const { code, err } = await run();
    expect(code).toBe(0);
    expect(err.match(/ warning operation-refused (GET|POST)/g)).toHaveLength(3);
    expect(err).toContain('2 more: warning operation-refused (--verbose prints them)\n');
    expect((await run('--verbose')).err.match(/ warning operation-refused (GET|POST)/g)).toHaveLength(5);
  });

  test('--check passes where generated/ is up to date', async () => {
    await addService('notes', 'minimal');
    await run();
    expect(await run('--check')).toEqual({ code: 0, out: 'generated/ is up to date (6 files).\n', err: '' });
  });

  test('--check prints a diff and the command that fixes it, and writes nothing', async () => {
    await addService('notes', 'minimal');
    await run();
    const text = await readFile(inRoot(TOOL), 'utf8');
    await writeFile(inRoot(TOOL), text.replace("'GET'", "'PUT'"));
    await writeFile(inRoot('generated/notes/tools/old.ts'), 'old\n');
    await rm(inRoot('generated/notes/TOOLS.md'));
    const before = await modificationTimes();
    const { code, out } = await run('--check');
    expect(code).toBe(1);
    expect(out).toContain(`--- a/${TOOL}\n+++ b/${TOOL}\n`);
    expect(out).toMatch(/^- {2}operation: .* method: 'PUT', .*\n\+ {2}operation: .* method: 'GET', /m);
    expect(out).toContain(
      [
        'generated/ is not up to date: 3 files',
        '  missing generated/notes/TOOLS.md',
        `  changed ${TOOL}`,
        '  orphan  generated/notes/tools/old.ts',
        'Run `npm run codegen` and commit what it writes.',
      ].join('\n'),
    );
    expect(await modificationTimes()).toEqual(before);
  });

  test('names the nearest service where one does not exist', async () => {
    await addService('retrieval', 'minimal');
    await addService('billing', 'minimal');
    expect(await run('retreival')).toEqual({
      code: 2,
      out: '',
      err: `There is no specs/retreival/. Did you mean retrieval? specs/ has: billing, retrieval.\n${TRY}`,
    });
    expect((await run('zzz')).err).toBe(`There is no specs/zzz/. specs/ has: billing, retrieval.\n${TRY}`);
  });

  test('rejects unknown options', async () => {
    const { code, err } = await run('--chekc');
    expect(code).toBe(2);
    expect(err).toBe(`Unknown option '--chekc'\n(Did you mean --check?)\n${TRY}`);
  });

  test('--help explains the exit codes', async () => {
    const { code, out } = await run('--help');
    expect(code).toBe(0);
    expect(out).toContain('Exit codes:\n  0  done\n  1  ');
  });

  test('runs as a program', async () => {
    await addService('notes', 'connector-mistakes');
    const run = promisify(execFile)(process.execPath, [MAIN, '--root', root]);
    await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringContaining('3 errors') });
  });
});
