/** A page of recipes: of each, how users sign in, what it was checked with, and its tools. */

import { listRecipes, loadRecipe, type Recipe } from '../connector/recipe.ts';
import { code, table } from './markdown.ts';

const HEAD = `# Recipes

Services that \`utg add <recipe>\` adds: the descriptor comes from its vendor, our decisions come with the package
([Connectors](../../docs/guides/connectors.md#services-with-a-recipe)). "Checked with" is the version of the descriptor that the tests of this repository use. Where somebody else than the vendor made
that copy, it says so, and the one that is published may be newer: \`utg add <recipe> --check\` says what that means for the tools. None of these services has been asked, and none endorses this.
`;

export async function emitRecipesPage(): Promise<string> {
  const recipes = await Promise.all((await listRecipes()).map((service) => loadRecipe(service)));
  const rows = recipes.map(({ service, config, signIn }) => [
    `[${code(service)}](#${service})`,
    config.title ?? '',
    signIn,
    String(toTools(config).length),
  ]);
  return [HEAD, table(['Recipe', 'Service', 'Users sign in by', 'Tools'], rows), ...recipes.map(toSection)].join('\n');
}

function toSection({ service, config, signIn, licence, published, checked, read }: Recipe): string {
  const copies = checked.map(
    ({ version, package: name, file, by }) =>
      `version ${version}, \`${file}\` of ${code(name)}${by === undefined ? '' : ` (a copy by ${by})`}`,
  );
  const pages = Object.entries(read).map(([page, what]) => `[${what}](${page})`);
  const facts = [
    `Sign-in: ${signIn}. Read for it: ${pages.join(', ')}.`,
    `Descriptor: <${published}>. Licence: ${licence}.`,
    `Checked with: ${copies.join('; ')}.`,
  ];
  const tools = toTools(config).map(([name, title, description]) => [code(name), title, description]);
  return `## ${service}\n\n${config.title}. ${config.description ?? ''}\n\n${facts.map((fact) => `- ${fact}\n`).join('')}\n${table(['Tool', 'Title', 'For the model'], tools)}`;
}

function toTools({ tools }: Recipe['config']): [name: string, title: string, description: string][] {
  const described = Object.entries(tools).flatMap(([name, { title = '', description = '', find }]) => [
    [name, title, description] as const,
    ...(find === undefined ? [] : [[find.tool, find.title ?? '', find.description ?? ''] as const]),
  ]);
  return described.map(([...row]) => row);
}
