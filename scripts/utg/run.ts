/** A tree of commands: finds the named command, checks what it needs, and returns how it ended. */

import { findPackageJSON } from 'node:module';
import type { Command } from 'commander';
import { nearest } from '../../codegen/nearest.ts';
import manifest from '../../package.json' with { type: 'json' };
import { NoConnectorsError } from '../../server/call/tools/catalogue/connectors.ts';
import { addHelpTable, type CommandTree, commandsByName, createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { runCommand, UTG } from '../../shared/cli/run.ts';
import { findCommand, listCommands } from './commands.ts';

const PACKAGE: CommandTree = {
  typed: UTG,
  description:
    'Generates MCP tools from OpenAPI descriptors, and serves them on behalf of the users who connected the services.',
  list: listCommands,
  find: findCommand,
  examples: {
    'utg init my-gateway': 'a project with one example service',
    'utg add https://example.com/openapi.yaml --name notes': 'a service of your own',
    'utg codegen --help': 'the options of a command',
  },
};

/** Runs a command of the package. The result is that of `runTree`. */
export function runUtg(argv: readonly string[], output = PROCESS_OUTPUT): Promise<0 | 1 | 2 | 3> {
  return runTree(PACKAGE, argv, output);
}

/** @returns 0: done, or help printed. 1: a failure, or a check that found something. 2: wrong usage. */
export async function runTree(
  tree: CommandTree,
  argv: readonly string[],
  output = PROCESS_OUTPUT,
): Promise<0 | 1 | 2 | 3> {
  const [name = '', ...rest] = argv;
  if (name === '' || name.startsWith('-'))
    return runCommand(await createHelp(tree, output), name === '' ? ['--help'] : argv, '');
  const { find = async () => commandsByName(await tree.list()).get(name) } = tree;
  const listed = await find(name);
  if (listed === undefined) {
    const [near] = nearest(name, commandsByName(await tree.list()).keys());
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    output.err(`Unknown command '${name}'.${hint}\nTry: ${tree.typed} --help\n`);
    return 2;
  }
  const missing = listed.needsCodegen === true ? findMissing() : [];
  if (missing.length > 0)
    return fail(`This command needs packages that are not installed:\n  npm install --save-dev ${missing.join(' ')}`);
  try {
    return await runCommand(await listed.load(), rest, tree.typed);
  } catch (error) {
    if (error instanceof NoConnectorsError) return fail(error.message);
    throw error;
  }
  function fail(problem: string): 1 {
    output.err(`${problem}\n`);
    return 1;
  }
}

/** For help only: a command's options are known once it is loaded. */
async function createHelp(tree: CommandTree, output: typeof PROCESS_OUTPUT): Promise<Command> {
  const help = createCommand(tree.typed, output)
    .usage('<command> [options]')
    .version(manifest.version, '--version', 'print the version')
    .description(tree.description);
  for (const [title, group] of Object.entries(await tree.list())) {
    const rows = Object.entries(group).map(([name, { summary }]) => [name, summary]);
    addHelpTable(help, title, Object.fromEntries(rows));
  }
  return addHelpTable(help, 'Examples', tree.examples);
}

/** Returns the missing packages that the gateway does not need in production. None are missing if this repository runs itself. */
function findMissing(): string[] {
  const { codegenPackages = {} } = manifest as { readonly codegenPackages?: Readonly<Record<string, string>> };
  return Object.entries(codegenPackages)
    .filter(([name]) => !isInstalled(name))
    .map(([name, range]) => `${name}@${range}`);
}

function isInstalled(name: string): boolean {
  try {
    return findPackageJSON(name, import.meta.url) !== undefined;
  } catch {
    return false;
  }
}
