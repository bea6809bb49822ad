import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { generate } from '../../../../codegen/generate.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

const DESCRIPTOR = `openapi: 3.1.0
info: { title: Notes, version: '1' }
servers: [{ url: https://notes.example.com }]
paths:
  /notes:
    get: { operationId: listNotes, summary: List notes, responses: { '200': { description: Notes. } } }
  /folders:
    get: { operationId: listFolders, summary: List folders, responses: { '200': { description: Folders. } } }
`;

async function generateWith(descriptor: string, config: string, today = '2026-12-01') {
  const root = await mkdtemp(path.join(tmpdir(), 'aliases-'));
  folders.push(root);
  await mkdir(path.join(root, 'specs/notes'), { recursive: true });
  await writeFile(path.join(root, 'specs/notes/openapi.yaml'), descriptor);
  await writeFile(path.join(root, 'specs/notes/connector.yaml'), config);
  return generate({ root, today });
}

async function generateNotes(config: string, today?: string) {
  const { files, diagnostics } = await generateWith(DESCRIPTOR, config, today);
  const text = files.find((file) => file.path.endsWith('notes-list-notes.ts'))?.text ?? '';
  return { text, problems: diagnostics.filter(({ code }) => code.startsWith('config-')) };
}

const toolWith = (aliases: string, more = '') =>
  `tools:\n  notes_list_notes:\n    operation: listNotes\n    aliases: ${aliases}\n${more}`;

describe('aliases', () => {
  test('are next to the name, sorted', async () => {
    const { text, problems } = await generateNotes(
      toolWith('{ notes_old: { until: 2027-03-01 }, notes_all: { until: 2027-01-01 } }'),
    );
    expect(problems).toEqual([]);
    expect(text).toContain(`  name: 'notes_list_notes',
  aliases: [
    { name: 'notes_all', until: '2027-01-01' },
    { name: 'notes_old', until: '2027-03-01' },
  ],
  title:`);
  });

  test('are omitted where there are none', async () => {
    const { text } = await generateNotes('title: Notes\n');
    expect(text).not.toContain('aliases');
  });

  test('warn from the day after their date', async () => {
    const config = toolWith('{ notes_old: { until: 2027-03-01 } }');
    expect((await generateNotes(config, '2027-03-01')).problems).toEqual([]);
    expect((await generateNotes(config, '2027-03-02')).problems).toEqual([
      expect.objectContaining({
        code: 'config-alias-ended',
        severity: 'warning',
        position: expect.objectContaining({ line: 4 }),
        message: 'The alias notes_old of notes_list_notes ended on 2027-03-01.',
      }),
    ]);
  });

  test('may not be the name of a tool', async () => {
    const { problems } = await generateNotes(toolWith('{ notes_list_folders: { until: 2027-03-01 } }'));
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'config-alias',
        position: expect.objectContaining({ line: 4 }),
        message: 'There is a tool notes_list_folders.',
      }),
    ]);
  });

  test('belong to one tool', async () => {
    const other = `  notes_list_folders:\n    operation: listFolders\n    aliases: { notes_old: { until: 2027-03-01 } }\n`;
    const { problems } = await generateNotes(toolWith('{ notes_old: { until: 2027-03-01 } }', other));
    expect(problems).toEqual([
      expect.objectContaining({
        code: 'config-alias',
        position: expect.objectContaining({ line: 4 }),
        message: 'notes_old is an alias of notes_list_folders already.',
      }),
    ]);
  });

  test('need a date that exists', async () => {
    const { problems } = await generateNotes(toolWith('{ notes_old: { until: soon } }'));
    expect(problems).toEqual([expect.objectContaining({ code: 'config-invalid' })]);
  });
});
