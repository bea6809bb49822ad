/** The commands add and update: add a descriptor to the project, or replace one with a newer version. */

import path from 'node:path';
import type { Command } from 'commander';
import { addHelpTable, createCommand, wholeNumber } from '../../shared/cli/command.ts';
import { requireFolder, requireFolderOf } from '../../shared/cli/folders.ts';
import { type Output, PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { addConnector } from './add.ts';
import { addRecipe, checkRecipes } from './add-recipe.ts';
import type { Outcome } from './add-report.ts';
import { countTools, listRecipes, loadRecipe, RECIPES } from './recipe.ts';
import { toSelectionConfig } from './selection.ts';
import { updateConnector } from './update.ts';
import { updateAll } from './update-all.ts';

const ROOT = ['--root <dir>', 'folder that holds specs/ and generated/; default: this project'] as const;
const ALLOW_PRIVATE = [
  '--allow-private',
  'the descriptor may be at an address that is not public: this machine, a private network',
] as const;
const ROOT_FOLDER = [
  '--root-folder <dir>',
  'the folder whose files $refs of the descriptor may name; default: the folder of the descriptor',
] as const;
const FILE_OR_URL = 'the OpenAPI descriptor; a URL is fetched once, now, at most 64 MB in 60 seconds';

interface Root {
  readonly root?: string;
  readonly allowPrivate?: boolean;
  readonly rootFolder?: string;
}

interface Add extends Root {
  readonly recipes: string;
  readonly name?: string;
  readonly only: readonly string[];
  readonly tag: readonly string[];
  readonly readOnly?: boolean;
  readonly maxTools?: number;
  readonly from?: string;
  readonly list?: true;
  readonly check?: true;
}

interface All extends Root {
  readonly all?: true;
  readonly reports?: string;
}

/** `utg update`. */
export function createUpdateCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('update', output)
    .summary("update a service's descriptor")
    .description('Replace the descriptor of a service, generate its tools again, and print how they changed.')
    .argument('[service]', 'name of a folder in specs/')
    .argument('[file-or-url]', `${FILE_OR_URL}; default: the address in source.json`)
    .option(...ROOT)
    .option(...ALLOW_PRIVATE)
    .option(...ROOT_FOLDER)
    .option('--all', 'fetch again every descriptor whose address is in source.json')
    .option('--reports <dir>', 'with --all: write the report of each service to <dir>/<service>.md')
    .action(async (service: string | undefined, source: string | undefined, { all, reports, ...options }: All) => {
      if ((all === true) === (service !== undefined)) throw new UsageError('Name a service, or --all.');
      if (all !== true && reports !== undefined) throw new UsageError('--reports needs --all.');
      if (reports !== undefined) requireFolderOf(reports, '--reports');
      const isUsable =
        service === undefined
          ? await updateAll({ ...toRules(options), reports: reports ?? null }, output)
          : await updateConnector({ ...toRules(options), service, source: source ?? null }, output);
      if (!isUsable) throw new FailureError();
    });
  return addHelpTable(command, 'Examples', {
    'utg update notes newer.yaml': 'a newer descriptor',
    'utg update notes': 'what is at its address now',
    'utg update --all': 'every descriptor that has an address',
  });
}

/** `utg add`. @param recipes folder of recipes, for tests. */
export function createAddCommand(output = PROCESS_OUTPUT, recipes = RECIPES): Command {
  const command = createCommand('add', output, { 3: 'done, except for the operations that the last lines name' })
    .summary('add a service, by its recipe or from a descriptor')
    .description(
      'Write specs/<service>/ with the descriptor and a connector.yaml, and generate the tools. For a service with a recipe the vendor publishes ' +
        'the descriptor, and the recipe decides everything; for any other descriptor, list what a person must decide.',
    )
    .argument('[recipe-or-descriptor]', `a recipe, or with --name ${FILE_OR_URL}`)
    .option('--list', 'print the recipes: tools, sign-in, and the version of the descriptor that was checked')
    .option('--check', 'write nothing: say what the descriptor of today means for the tools of the recipe, or of all')
    .option('--from <file-or-url>', 'for a recipe: the descriptor, in place of what the vendor publishes')
    .option('--name <service>', 'without a recipe: name of the folder in specs/, lower-case words joined by hyphens')
    .option(...ROOT)
    .option(...ALLOW_PRIVATE)
    .option(...ROOT_FOLDER)
    .option(
      '--only <glob>',
      'only operations whose operationId, path, or method and path matches; * is anything but a slash, ** anything; may be repeated',
      another,
      [],
    )
    .option('--tag <tag>', 'only operations with this tag of the descriptor; may be repeated', another, [])
    .option(
      '--read-only',
      'only operations that read: GET, HEAD and OPTIONS, and what a name says to read, such as a search by POST',
    )
    .option('--max-tools <n>', 'at most this many tools, short paths first', wholeNumber(1))
    .action(async (source: string | undefined, options: Omit<Add, 'recipes'>) => {
      const outcome = await runAdd(source, { ...options, recipes }, output);
      if (outcome !== 'whole') throw new FailureError('', outcome === 'partial' ? 3 : 1);
    });
  return addHelpTable(command, 'Examples', {
    'utg add github': 'a service that has a recipe',
    'utg add --list': 'which services have one',
    'utg add github --check': 'whether its tools still fit what the vendor publishes',
    'utg add https://example.com/openapi.yaml --name notes': 'any other service',
    'utg add openapi.yaml --name notes --tag notes --read-only': 'only what reads notes',
  });
}

async function runAdd(source: string | undefined, options: Add, output: Output): Promise<Outcome> {
  const { name, only, tag, readOnly = false, maxTools = null, from = null, list, check, recipes, ...root } = options;
  const toOutcome = (isWell: boolean): Outcome => (isWell ? 'whole' : 'failed');
  if (list) return toOutcome(await printRecipes(recipes, output));
  const rules = toRules(root);
  const selection = { only, tags: tag, readOnly, maxTools };
  if (name !== undefined) {
    if (source === undefined || check || from !== null)
      throw new UsageError('--name needs a descriptor, and neither --check nor --from.');
    return addConnector({ ...rules, source, service: name, selection }, output);
  }
  if (toSelectionConfig(selection) !== undefined || maxTools !== null)
    throw new UsageError('A recipe has its own selection of tools: a descriptor needs --name <service>.');
  if (check && (source !== undefined || from === null))
    return toOutcome(await checkRecipes(source === undefined ? [] : [source], { ...rules, from, recipes }, output));
  if (source === undefined)
    throw new UsageError('Name a recipe, or a descriptor with --name <service>; --list shows the recipes.');
  return addRecipe({ ...rules, service: source, from, recipes }, output);
}

async function printRecipes(folder: string, output: Output): Promise<boolean> {
  const recipes = await Promise.all((await listRecipes(folder)).map((service) => loadRecipe(service, folder)));
  const rows = recipes.map(({ service, config, signIn, checked }) => [
    service,
    config.title ?? '',
    countTools(config),
    `checked: ${checked[0]?.version}`,
    signIn,
  ]);
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  for (const row of rows)
    output.out(
      `${row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    );
  return true;
}

/** Collects the values of a repeatable option. */
function another(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function toRules({ root = process.cwd(), allowPrivate = false, rootFolder }: Root) {
  requireFolder(path.resolve(root), '--root');
  return { root: path.resolve(root), allowPrivate, rootFolder: rootFolder ?? null };
}
