/** Finds the documents of the corpus, and those that recipes were checked with, in `.ci/tools`. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { listRecipes, loadRecipe, type Recipe } from '../../../connector/recipe.ts';
import type { CorpusDocument } from '../run.ts';
import { type Choice, nameOf, SOURCES, type Source } from './packages.ts';

const TOOLS = path.resolve(import.meta.dirname, '../../../../.ci/tools');

interface CorpusPart {
  /** Such as `@readme/oas-examples 8.2.2`. */
  readonly title: string;
  readonly documents: readonly CorpusDocument[];
}

/** @throws {Error} that says how to get a missing package. */
export function findDocuments(): readonly CorpusPart[] {
  return SOURCES.flatMap((source) => {
    const folder = folderOf(source);
    if (!existsSync(folder)) {
      const how = source.integrity === null ? '`npm ci --prefix .ci/tools`' : '`npm run lab -- corpus --fetch`';
      throw new Error(`${source.package} is not there: ${how} gets it.`);
    }
    const { version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as { version: string };
    if (version !== source.version) throw new Error(`${source.package} is ${version} instead of ${source.version}.`);
    const choices = source.choose(listFiles(folder));
    const documents = choices.map((choice) => toDocument(folder, choice, source));
    return documents.length === 0 ? [] : [{ title: `${source.package} ${version}`, documents }];
  });
}

/** A descriptor that a recipe was checked with. */
type Copy = Recipe['checked'][number];

/** The descriptors with which recipes are tested. */
export async function listCopies(): Promise<readonly Copy[]> {
  const recipes = await Promise.all((await listRecipes()).map((service) => loadRecipe(service)));
  return recipes.flatMap(({ checked }) => checked.slice(0, 1));
}

/** Path of such a descriptor, whether or not it exists. @throws {Error} if its package is not pinned. */
export function pathOf({ package: pinned, file }: Copy): string {
  const source = SOURCES.find(({ package: name, version }) => `${name}@${version}` === pinned);
  if (source === undefined) throw new Error(`${pinned} is not in scripts/lab/corpus/sources/packages.ts.`);
  return path.join(folderOf(source), file);
}

/** Folder of a package, whether or not it exists. */
export function folderOf({ package: name, version, integrity }: Source): string {
  if (integrity === null) return path.join(TOOLS, 'node_modules', name);
  return path.join(TOOLS, 'corpus', `${name.replace(/^@/, '').replace('/', '-')}-${version}`, 'package');
}

/** Every JSON and YAML file in a folder and its subfolders, or the file itself, sorted by name. */
export function toDocuments(place: string): CorpusDocument[] {
  const isFile = /\.(json|ya?ml)$/.test(place);
  const files = isFile ? [place] : listFiles(place).filter((name) => /\.(json|ya?ml)$/.test(name));
  return files.map((name) => toDocument('', { file: isFile ? name : path.join(place, name) }, null));
}

function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
}

/** A YAML file with a JSON twin of the same name has the same types. */
function toDocument(folder: string, choice: Choice, source: Source | null): CorpusDocument {
  const file = path.join(folder, choice.file);
  const twin = file.replaceAll(/\byaml\b/g, 'json');
  const isTwin = twin !== file && existsSync(twin);
  return {
    name: nameOf(choice),
    id: source === null ? file : `${source.package}/${nameOf(choice)}`,
    file,
    ...(choice.rootFolder === undefined ? {} : { rootFolder: path.join(folder, choice.rootFolder) }),
    ...(choice.overlay === undefined ? {} : { overlay: path.join(folder, choice.overlay) }),
    compiles: !isTwin,
  };
}
