import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DESCRIPTOR = 'specs/notes/openapi.yaml';
const parameter = (name: string) => `        - name: ${name}
          in: query
          description: The ${name} of the notes.
          schema: { type: string }
`;
const ANSWER =
  "      responses:\n        '200': { description: Notes., content: { application/json: { schema: { type: object } } } }\n";
const operation = (address: string, id: string, names: readonly string[]) => `  ${address}:
    get:
      operationId: ${id}
      summary: Read ${address}
      parameters:
${names.map(parameter).join('')}${ANSWER}`;
const member = (name: string) => `                ${name}: { type: string, description: The ${name} of the note. }
`;
const START = `openapi: 3.1.0
info: { title: Notes, version: '1' }
servers: [{ url: https://api.example.com }]
paths:
${operation('/notes', 'listNotes', ['state', 'folder', 'owner'])}${operation('/notes/old', 'listOldNotes', ['state', 'folder', 'owner'])}${operation('/notes/new', 'listNewNotes', ['owner'])}  /notes/one:
    post:
      operationId: createNote
      summary: Create a note
      requestBody:
        required: true
        content:
          application/json:
            schema:
              type: object
              additionalProperties: false
              properties:
${member('state')}${member('folder')}${ANSWER}`;

interface Addition {
  readonly operation: string;
  /** A parameter or member of the operation, and where the added one stands. */
  readonly beside: string;
  readonly isBefore?: true;
  readonly added: string;
}

const add =
  (write: (name: string) => string, { operation: id, beside, isBefore, added }: Addition) =>
  (text: string) => {
    const start = text.indexOf(write(beside), text.indexOf(`operationId: ${id}\n`));
    const at = isBefore ? start : start + write(beside).length;
    return text.slice(0, at) + write(added) + text.slice(at);
  };

const listed = { operation: 'listNotes', beside: 'owner', added: 'sort' } as const;
const CASES: readonly (readonly [string, readonly [Addition, Addition], typeof parameter])[] = [
  ['two tools', [listed, { operation: 'listOldNotes', beside: 'state', added: 'colour' }], parameter],
  ['one tool', [listed, { ...listed, beside: 'state', isBefore: true, added: 'archived' }], parameter],
  [
    'one tool with a single parameter',
    [
      { operation: 'listNewNotes', beside: 'owner', added: 'sort' },
      { operation: 'listNewNotes', beside: 'owner', isBefore: true, added: 'archived' },
    ],
    parameter,
  ],
  [
    'the body of one tool',
    [
      { operation: 'createNote', beside: 'folder', added: 'sort' },
      { operation: 'createNote', beside: 'state', isBefore: true, added: 'archived' },
    ],
    member,
  ],
];

test.each(CASES)(
  'branches that each add an optional parameter to %s merge, and the generated files are up to date',
  async (...[, additions, write]) => {
    const root = await mkdtemp(path.join(tmpdir(), 'merge-branches-'));
    onTestFinished(() => rm(root, { recursive: true, force: true }));
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        stdio: 'pipe',
      });
    const codegen = (...args: string[]) =>
      execFileSync(process.execPath, [path.join(ROOT, 'codegen/main.ts'), '--root', root, ...args], { stdio: 'pipe' });
    const commit = async (change: (text: string) => string) => {
      const file = path.join(root, DESCRIPTOR);
      const text = await readFile(file, 'utf8');
      await writeFile(file, change(text));
      codegen();
      git('add', '-A');
      git('-c', 'commit.gpgsign=false', 'commit', '-qm', 'Change');
    };

    git('init', '-q', '-b', 'main');
    await mkdir(path.join(root, path.dirname(DESCRIPTOR)), { recursive: true });
    await writeFile(path.join(root, DESCRIPTOR), START);
    await commit((text) => text);
    git('checkout', '-q', '-b', 'one');
    await commit(add(write, additions[0]));
    git('checkout', '-q', '-b', 'other', 'main');
    await commit(add(write, additions[1]));
    git('-c', 'commit.gpgsign=false', 'merge', '-q', '--no-edit', 'one');

    for (const { operation: id, added } of additions) {
      const name = id.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      const tool = await readFile(path.join(root, `generated/notes/tools/notes-${name}.ts`), 'utf8');
      expect(tool).toContain(added);
    }
    codegen('--check');
  },
);
