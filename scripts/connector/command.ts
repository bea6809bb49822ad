/** The commands add and update: add a descriptor to the project, or replace one with a newer version. */

import path from 'node:path';
import type { Command } from 'commander';
import { listServices } from '../../codegen/load/index.ts';
import { addHelpTable, createCommand, wholeNumber } from '../../shared/cli/command.ts';
import { requireFolder, requireFolderOf } from '../../shared/cli/folders.ts';
import { type Output, PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { addConnector } from './add.ts';
import { addMcpServer } from './add-mcp.ts';
import { addRecipe, checkRecipes } from './add-recipe.ts';
import type { Outcome } from './add-report.ts';
import { type LiveRules, UnreadableServerError } from './mcp/live-server.ts';
import { loadLock } from './mcp/lock-file.ts';
import type { OpenBrowser } from './mcp/sign-in.ts';
import { checkMcpServer } from './mcp/update.ts';
import { countTools, listRecipes, loadRecipe, RECIPES } from './recipe.ts';
import { toSelectionConfig } from './selection.ts';
import { isUrl, NoDescriptorError } from './source.ts';
import { updateConnector } from './update.ts';
import { updateAll } from './update-all.ts';

const ROOT = ['--root <dir>', 'folder that holds specs/ and generated/; default: this project'] as const;
const ALLOW_PRIVATE = [
  '--allow-private',
  'the descriptor may be at an address that is not public: this machine, a private network',
] as const;
const PRIVATE_HOST = [
  '--private-host <host>',
  'another host that may be at such an address, as its URL names it, such as the authorization server of an MCP server; may be repeated',
  another,
  [] as readonly string[],
] as const;
const ROOT_FOLDER = [
  '--root-folder <dir>',
  'the folder whose files $refs of the descriptor may name; default: the folder of the descriptor',
] as const;
const TOKEN_ENV = [
  '--token-env <name>',
  'for an MCP server: the environment variable with a bearer token; for a service that is there, default: <SERVICE>_MCP_TOKEN',
] as const;
const HEADER = [
  '--header <header=source>',
  'for an MCP server: a header to send, <name>=env:<variable> or <name>=file:<path>; may be repeated',
  another,
  [] as readonly string[],
] as const;
const CLIENT_ID = [
  '--client-id <id>',
  'for an MCP server: a public client that is registered at its authorization server, or the https address of a client metadata document; default: registers one',
] as const;
const FILE_OR_URL = 'the OpenAPI descriptor; a URL is fetched once, now, at most 64 MB in 60 seconds';

interface Root {
  readonly root?: string;
  readonly allowPrivate?: boolean;
  readonly privateHost: readonly string[];
  readonly rootFolder?: string;
  readonly tokenEnv?: string;
  readonly header: readonly string[];
  readonly clientId?: string;
}

interface Add extends Root {
  readonly recipes: string;
  readonly open: OpenBrowser | undefined;
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

/** `utg update`. @param open opens the page to sign in, for tests. */
export function createUpdateCommand(output = PROCESS_OUTPUT, open?: OpenBrowser): Command {
  const command = createCommand('update', output)
    .summary("update a service's descriptor")
    .description(
      'Replace the descriptor of a service, or the list of its MCP server, generate its tools again, and print how they changed.',
    )
    .argument('[service]', 'name of a folder in specs/')
    .argument('[file-or-url]', `${FILE_OR_URL}; default: the address in source.json or mcp.json`)
    .option(...ROOT)
    .option(...ALLOW_PRIVATE)
    .option(...PRIVATE_HOST)
    .option(...ROOT_FOLDER)
    .option(...TOKEN_ENV)
    .option(...HEADER)
    .option(...CLIENT_ID)
    .option('--all', 'fetch again every descriptor whose address is in source.json, and every list of an MCP server')
    .option('--reports <dir>', 'with --all: write the report of each service to <dir>/<service>.md')
    .action(async (service: string | undefined, source: string | undefined, { all, reports, ...options }: All) => {
      if ((all === true) === (service !== undefined)) throw new UsageError('Name a service, or --all.');
      if (all !== true && reports !== undefined) throw new UsageError('--reports needs --all.');
      if (reports !== undefined) requireFolderOf(reports, '--reports');
      const isUsable =
        service === undefined
          ? await updateAll({ ...toRules(options), isAttended: false, reports: reports ?? null }, output)
          : await updateConnector({ ...toRules(options), open, service, source: source ?? null }, output);
      if (!isUsable) throw new FailureError();
    });
  return addHelpTable(command, 'Examples', {
    'utg update notes newer.yaml': 'a newer descriptor',
    'utg update notes': 'what is at its address now',
    'utg update --all': 'every descriptor that has an address',
  });
}

/** `utg add`. @param recipes folder of recipes, for tests, as is `open`, which opens the page to sign in. */
export function createAddCommand(output = PROCESS_OUTPUT, recipes = RECIPES, open?: OpenBrowser): Command {
  const command = createCommand('add', output, { 3: 'done, except for the operations that the last lines name' })
    .summary('add a service, by its recipe, from a descriptor, or from an MCP server')
    .description(
      'Write specs/<service>/ with the descriptor and a connector.yaml, and generate the tools. For a service with a recipe the vendor publishes ' +
        'the descriptor, and the recipe decides everything; for any other descriptor, list what a person must decide. An address that gives no ' +
        'descriptor is tried as an MCP server, at once if there is no --name or a credential for it: its list of tools is then the descriptor.',
    )
    .argument('[source]', `a recipe, the address of an MCP server, or with --name ${FILE_OR_URL}`)
    .option('--list', 'print the recipes: tools, sign-in, and the version of the descriptor that was checked')
    .option(
      '--check',
      'write nothing: say what the descriptor of today means for the tools of the recipe, or how the MCP server of a service differs from what was reviewed; without a name for all',
    )
    .option('--from <file-or-url>', 'for a recipe: the descriptor, in place of what the vendor publishes')
    .option(
      '--name <service>',
      'without a recipe: name of the folder in specs/, lower-case words joined by hyphens; default for an MCP server: what it calls itself',
    )
    .option(...ROOT)
    .option(...ALLOW_PRIVATE)
    .option(...PRIVATE_HOST)
    .option(...ROOT_FOLDER)
    .option(...TOKEN_ENV)
    .option(...HEADER)
    .option(...CLIENT_ID)
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
    .action(async (source: string | undefined, options: Omit<Add, 'recipes' | 'open'>) => {
      const outcome = await runAdd(source, { ...options, recipes, open }, output);
      if (outcome !== 'whole') throw new FailureError('', outcome === 'partial' ? 3 : 1);
    });
  return addHelpTable(command, 'Examples', {
    'utg add github': 'a service that has a recipe',
    'utg add --list': 'which services have one',
    'utg add github --check': 'whether its tools still fit what the vendor publishes',
    'utg add https://example.com/openapi.yaml --name notes': 'any other service',
    'utg add openapi.yaml --name notes --tag notes --read-only': 'only what reads notes',
    'utg add https://mcp.example.com/mcp --name notes': 'a remote MCP server',
    'utg add --check notes': 'whether its tools are still those that were reviewed',
  });
}

async function runAdd(source: string | undefined, options: Add, output: Output): Promise<Outcome> {
  const {
    name,
    only,
    tag,
    readOnly = false,
    maxTools = null,
    from = null,
    list,
    check,
    recipes,
    open,
    ...root
  } = options;
  const toOutcome = (isWell: boolean): Outcome => (isWell ? 'whole' : 'failed');
  if (list) return toOutcome(await printRecipes(recipes, output));
  const rules = { ...toRules(root), open };
  const selection = { only, tags: tag, readOnly, maxTools };
  if (name !== undefined) {
    if (source === undefined || check || from !== null)
      throw new UsageError('--name needs a descriptor, and neither --check nor --from.');
    return addDescriptor({ ...rules, source, service: name, selection }, output);
  }
  if (source !== undefined && isUrl(source) && !check && from === null)
    return addMcpServer({ ...rules, source, service: undefined, selection }, output);
  if (toSelectionConfig(selection) !== undefined || maxTools !== null)
    throw new UsageError('A recipe has its own selection of tools: a descriptor needs --name <service>.');
  if (check && (source !== undefined || from === null)) {
    const isSame = await checkServices(source, rules, output);
    if (source !== undefined && isSame !== null) return toOutcome(isSame);
    const isUpToDate = await checkRecipes(source === undefined ? [] : [source], { ...rules, from, recipes }, output);
    return toOutcome(isUpToDate && isSame !== false);
  }
  if (source === undefined)
    throw new UsageError('Name a recipe, or a descriptor with --name <service>; --list shows the recipes.');
  return addRecipe({ ...rules, service: source, from, recipes }, output);
}

type Rules = ReturnType<typeof toRules> & LiveRules;

/** An address that gives no descriptor is tried as an MCP server; one with a credential for it is nothing else. */
async function addDescriptor(addition: Parameters<typeof addConnector>[0] & Rules, output: Output): Promise<Outcome> {
  const { tokenEnv, headers, clientId } = addition.access;
  if (tokenEnv !== undefined || headers.length > 0 || clientId !== undefined) return addMcpServer(addition, output);
  try {
    return await addConnector(addition, output);
  } catch (error) {
    if (!(error instanceof NoDescriptorError) || !isUrl(addition.source)) throw error;
    return await addMcpServer(addition, output).catch((other: unknown) => {
      if (!(other instanceof UsageError) || other instanceof UnreadableServerError) throw other;
      throw new UsageError(`${error.message} ${other.message}`);
    });
  }
}

/** Checks one service, or all that have an MCP server. @returns null if there is none to check; false if one differs. */
async function checkServices(service: string | undefined, rules: Rules, output: Output): Promise<boolean | null> {
  let isSame: boolean | null = null;
  for (const name of await listServices(rules.root)) {
    const lock =
      service === undefined || name === service ? await loadLock(path.join(rules.root, 'specs', name)) : null;
    if (lock === null) continue;
    const isAttended = service !== undefined;
    const isOfServer = await checkMcpServer(lock, { ...rules, isAttended, service: name }, output).catch(
      (error: unknown) => {
        if (!(error instanceof UsageError) || isAttended) throw error;
        output.out(`${name}: ${error.message}\n`);
        return false;
      },
    );
    isSame = isOfServer && isSame !== false;
  }
  return isSame;
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

function toRules(options: Root) {
  const { root = process.cwd(), allowPrivate = false, privateHost: privateHosts, rootFolder = null } = options;
  const { tokenEnv, header, clientId } = options;
  requireFolder(path.resolve(root), '--root');
  const access = { tokenEnv, headers: header, clientId };
  return { root: path.resolve(root), allowPrivate, privateHosts, rootFolder, access, isAttended: true };
}
