/** Finds the documents of the corpus, and those that recipes were checked with, in `.ci/tools`, and fetches them. */

import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { listRecipes, loadRecipe, type Recipe } from '../../connector/recipe.ts';
import { type Choice, neededFiles, SOURCES, type Source } from './packages.ts';
import type { CorpusDocument } from './run.ts';

const TOOLS = path.resolve(import.meta.dirname, '../../../.ci/tools');

/**
 * Lists the documents of the packages whose names contain a text.
 *
 * @throws {Error} that says how to get a missing package.
 */
export function findDocuments(text: string): readonly CorpusDocument[] {
  return SOURCES.filter((source) => source.package.includes(text)).flatMap((source) => {
    const folder = folderOf(source);
    if (!existsSync(folder)) {
      const command = source.integrity === null ? '`npm ci --prefix .ci/tools`' : '`npm run lab -- corpus --fetch`';
      throw new Error(`${source.package} is not there: ${command} gets it.`);
    }
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    if (version !== source.version) throw new Error(`${source.package} is ${version} instead of ${source.version}.`);
    return source.choose(listFiles(folder)).map((choice) => toDocument(folder, choice, source));
  });
}

function toDocument(folder: string, choice: Choice, source: Source): CorpusDocument {
  const { file, rootFolder, overlay } = choice;
  const name = overlay === undefined ? file : `${file} + ${path.posix.basename(overlay)}`;
  return {
    name,
    id: `${source.package}/${name}`,
    file: path.join(folder, file),
    rootFolder: rootFolder && path.join(folder, rootFolder),
    overlay: overlay && path.join(folder, overlay),
  };
}

/** Returns every JSON and YAML file in a folder and its subfolders, or the file itself, sorted by name. */
export function toDocuments(fileOrFolder: string): CorpusDocument[] {
  const isDocument = (name: string): boolean => /\.(json|ya?ml)$/.test(name);
  const files = isDocument(fileOrFolder)
    ? [fileOrFolder]
    : listFiles(fileOrFolder).map((name) => path.join(fileOrFolder, name));
  return files.filter(isDocument).map((file) => ({ name: file, id: file, file }));
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** Returns the path of a descriptor that a recipe was checked with, present or not. @throws {Error} if its package is not pinned. */
export function pathOf({ package: pinned, file }: Recipe['checked'][number]): string {
  const source = SOURCES.find(({ package: name, version }) => `${name}@${version}` === pinned);
  if (source === undefined) throw new Error(`${pinned} is not in scripts/lab/corpus/packages.ts.`);
  return path.join(folderOf(source), file);
}

function folderOf({ package: name, version, integrity }: Source): string {
  if (integrity === null) return path.join(TOOLS, 'node_modules', name);
  return path.join(TOOLS, 'corpus', `${name.replace(/^@/, '').replace('/', '-')}-${version}`, 'package');
}

/**
 * Fetches the packages that nothing installs, checks their archives, and unpacks only the documents, those of recipes too. Skips packages that
 * have all files.
 *
 * @throws {Error} for an archive with another content than the pinned one.
 */
export async function fetchSources(print: (line: string) => void): Promise<void> {
  const recipes = await Promise.all((await listRecipes()).map((service) => loadRecipe(service)));
  const copies = recipes.flatMap(({ checked }) => checked.slice(0, 1));
  for (const source of SOURCES) {
    const pinned = `${source.package}@${source.version}`;
    const recipeFiles = copies.filter((copy) => copy.package === pinned).map(({ file }) => file);
    const isComplete = ['', ...recipeFiles].every((file) => existsSync(path.join(folderOf(source), file)));
    if (source.integrity === null || isComplete) continue;
    fetchSource(source, pinned, recipeFiles);
    print(`${pinned} fetched`);
  }
}

function fetchSource(source: Source, pinned: string, recipeFiles: readonly string[]): void {
  const folder = path.dirname(folderOf(source));
  mkdirSync(folder, { recursive: true });
  try {
    const name = run('npm', ['pack', '--silent', '--pack-destination', folder, pinned]).trim();
    const archive = path.join(folder, name);
    const digest = hash('sha512', readFileSync(archive), 'base64');
    if (digest !== source.integrity) throw new Error(`The archive of ${pinned} is another: its SHA-512 is ${digest}.`);
    const files = run('tar', ['-tzf', archive]).split('\n');
    const documents = neededFiles(
      source,
      files.map((file) => file.replace('package/', '')),
    );
    const paths = [...new Set([...documents, ...recipeFiles])].map((file) => `package/${file}`);
    run('tar', ['-xzf', archive, '-C', folder, '--files-from=-'], paths.join('\n'));
    rmSync(archive);
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

function run(command: string, args: readonly string[], input = ''): string {
  return execFileSync(command, args, {
    encoding: 'utf8',
    input,
    maxBuffer: 1 << 26,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
}
