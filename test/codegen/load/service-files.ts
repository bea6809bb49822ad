/** Writes folders of `specs/` for one test, in a directory that is gone after it. */

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { Problem } from '../../../codegen/diagnostics.ts';
import { type LoadResult, loadService } from '../../../codegen/load/index.ts';

/** Text by path relative to the root, such as `specs/notes/openapi.yaml`. Returns the root. */
export async function writeRoot(files: Readonly<Record<string, string | Uint8Array>>): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'load-'));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [file, text] of Object.entries(files)) {
    const target = path.join(root, file);
    await mkdir(path.dirname(target), { recursive: true });
    await writeFile(target, text);
  }
  return root;
}

/** Loads the service `notes` whose folder holds these files. */
export async function loadNotes(files: Readonly<Record<string, string | Uint8Array>>): Promise<LoadResult> {
  const named = Object.entries(files).map(([file, text]) => [`specs/notes/${file}`, text] as const);
  return loadService({ root: await writeRoot(Object.fromEntries(named)), service: 'notes' });
}

/** `code file:line pointer`, the shortest full account of a problem. */
export function place(loaded: LoadResult, problem: Problem): string {
  const line = (problem.position ?? loaded.locate(problem.file, problem.pointer))?.line ?? null;
  return `${problem.code} ${problem.file.replace('specs/notes/', '')}:${line} ${problem.pointer}`.trim();
}

/** A descriptor with one operation, and any more lines. */
export function descriptor(...lines: string[]): string {
  return [
    'openapi: 3.1.0',
    'info: { title: Notes, version: "1" }',
    'paths:',
    '  /notes:',
    '    get:',
    '      operationId: listNotes',
    '      responses: { "200": { description: The notes. } }',
    ...lines,
    '',
  ].join('\n');
}

/** A descriptor whose only operation sends the schema `Note`, which is the given line of YAML in braces, and any more lines. */
export function descriptorOf(note: string, ...lines: string[]): string {
  return [
    'openapi: 3.1.0',
    'info: { title: Notes, version: "1" }',
    'paths:',
    '  /notes:',
    '    post:',
    '      operationId: addNote',
    '      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } } }',
    'components:',
    '  schemas:',
    `    Note: ${note}`,
    ...lines,
    '',
  ].join('\n');
}
