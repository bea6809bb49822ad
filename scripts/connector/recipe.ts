/** Recipes: what we decided about services that publish their own descriptors. One file each in `recipes/`: a head, a connector.yaml and, where needed, an overlay.yaml. Next to it the logo that connector.yaml names, where one may be shipped. */

import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { connectorConfigSchema } from '../../codegen/load/connector-config.ts';
import { nearest } from '../../codegen/nearest.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { toCount } from './proposals/draft.ts';

export const RECIPES = path.join(import.meta.dirname, 'recipes');

const text = z.string().min(1);
const url = z.url({ protocol: /^https$/ });
const head = z.strictObject({
  /** The address at which the vendor publishes the descriptor. */
  published: url,
  /** The licence of the descriptor: an SPDX name, or the vendor's own words. */
  licence: text,
  /** The way in which users sign in, in a few words. */
  signIn: text,
  /** The versions of the descriptor that the recipe was checked with, the last one first; tests use that one. */
  checked: z
    .array(
      z.strictObject({
        version: text,
        /** SHA-256 of the bytes, in hexadecimal digits. */
        sha256: z.string().regex(/^[0-9a-f]{64}$/),
        /** The npm package that brings it here, with its version. */
        package: z.string().regex(/^(@[\w.-]+\/)?[\w.-]+@\d[\w.-]*$/),
        /** Path in the package. */
        file: text,
        /** The author of this copy. By default it is the vendor. */
        by: text.optional(),
      }),
    )
    .min(1),
  /** Pages of the vendor, and what was read there. */
  read: z.record(url, text),
});

/** A recipe as it was read. */
export interface Recipe extends z.output<typeof head> {
  /** Of the recipe, of the folder in `specs/`, and at the beginning of its tools' names. */
  readonly service: string;
  /** The text of connector.yaml. */
  readonly text: string;
  /** The text of overlay.yaml; null if the descriptor needs no repair. */
  readonly overlay: string | null;
  /** Path of the image that connector.yaml names, next to the recipe. Null if it names no image. */
  readonly logo: string | null;
  readonly config: z.output<typeof connectorConfigSchema>;
}

/** Returns the number of tools as text, such as `31 tools`. It includes the tools that find items of a list. */
export function countTools({ tools }: Recipe['config']): string {
  const finders = Object.values(tools).filter(({ find }) => find !== undefined);
  return toCount(Object.keys(tools).length + finders.length, 'tool');
}

/**
 * Returns the names of all recipes, sorted.
 *
 * @param folder of recipes. Default: those that the package has.
 */
export async function listRecipes(folder = RECIPES): Promise<readonly string[]> {
  const names = await readdir(folder).catch(() => []);
  return names.flatMap((name) => (name.endsWith('.yaml') ? name.slice(0, -'.yaml'.length) : [])).sort();
}

/**
 * @throws {UsageError} if there is no such recipe: names near ones.
 * @throws {FailureError} for a file that is no recipe.
 */
export async function loadRecipe(service: string, folder = RECIPES): Promise<Recipe> {
  const recipeNames = await listRecipes(folder);
  if (!recipeNames.includes(service)) {
    const [close] = nearest(service, recipeNames);
    const hint = close === undefined ? '' : ` Did you mean ${close}?`;
    throw new UsageError(
      `There is no recipe ${JSON.stringify(service)}.${hint} \`add --list\` shows all; a descriptor needs --name <service>.`,
    );
  }
  const [first = '', config, overlay = null] = (await readFile(path.join(folder, `${service}.yaml`), 'utf8')).split(
    /^---\n/m,
  );
  try {
    if (config === undefined) throw new Error('it has no line `---` between its head and its connector.yaml');
    const decided = connectorConfigSchema.parse(parse(config));
    const logo = decided.logo === undefined ? null : path.join(folder, decided.logo);
    return { service, ...head.parse(parse(first)), text: config, overlay, logo, config: decided };
  } catch (error) {
    const reason = error instanceof z.ZodError ? z.prettifyError(error) : (error as Error).message;
    throw new FailureError(`The recipe ${service} is broken: ${reason}`);
  }
}
