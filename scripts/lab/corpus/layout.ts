/** A temporary copy of the project's layout, in which any descriptor can be a service. */

import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };
import { readServiceFiles, writeServiceFiles } from '../../connector/service-files.ts';

/** Paths of a document, of the folder of files that its references may name, and of an overlay. */
export interface AddedDocument {
  readonly file: string;
  readonly rootFolder?: string | undefined;
  readonly overlay?: string | undefined;
}

const ROOT = path.resolve(import.meta.dirname, '../../..');
const TSC = path.join(ROOT, 'node_modules/typescript-native/bin/tsc');

/** `specs/` and `generated/` are empty; everything else that emitted files need is linked. */
export async function createLayout(): Promise<string> {
  const root = await mkdtemp(path.join(tmpdir(), 'corpus-'));
  await mkdir(path.join(root, 'specs'));
  await mkdir(path.join(root, 'generated'));
  await symlink(path.join(ROOT, 'server'), path.join(root, 'server'));
  await symlink(path.join(ROOT, 'node_modules'), path.join(root, 'node_modules'));
  const { name, type, exports } = manifest;
  await writeFile(path.join(root, 'package.json'), JSON.stringify({ name, type, exports }));
  const config = { extends: path.join(ROOT, 'tsconfig.generated.json'), include: ['generated'] };
  const compilerOptions = { preserveSymlinks: true, typeRoots: [path.join(ROOT, 'node_modules/@types')] };
  await writeFile(path.join(root, 'tsconfig.json'), JSON.stringify({ ...config, compilerOptions }));
  return root;
}

/**
 * Puts a descriptor where codegen looks for it, as `npm run utg -- add` does: Swagger 2.0 converted, several files bundled.
 *
 * @returns the path that codegen reads
 * @throws {UsageError} for what `add` refuses.
 */
export async function addService(root: string, service: string, document: AddedDocument): Promise<string> {
  const folder = path.join(root, 'specs', service);
  await mkdir(folder, { recursive: true });
  const { file, rootFolder = null, overlay } = document;
  const read = await readServiceFiles(file, { rootFolder, allowPrivate: false, say: () => {} });
  await writeServiceFiles(folder, read);
  if (overlay !== undefined) await copyFile(overlay, path.join(folder, `overlay${path.extname(overlay)}`));
  const [name = ''] = read.files.keys();
  return path.join(folder, name);
}

/**
 * Always the same for the same document, whatever else is in the corpus: words of its name and a digest of its path.
 */
export function toServiceName(document: string): string {
  const words = path
    .basename(document, path.extname(document))
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
    .join('-')
    .replace(/^(?![a-z])/, 'x')
    .slice(0, 20)
    .replace(/-$/, '');
  return `${words}-${createHash('sha256').update(document).digest('hex').slice(0, 4)}`;
}

/** Type-checks everything in `generated/`, strictly. @returns one line per error, beginning with the file's path relative to the root. */
export function compileLayout(root: string): readonly string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, [TSC, '-p', root, '--pretty', 'false'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const errors = stdout.split('\n').filter((line) => line.includes(': error TS'));
  if (status !== 0 && errors.length === 0) throw new Error(`tsc failed: ${stderr.slice(-600)}`);
  return errors;
}
