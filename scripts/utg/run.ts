/** The command tree of the package: finds the named command, checks what it needs, and returns how it ended. */

import { findPackageJSON } from 'node:module';
import type { Command } from 'commander';
import { nearest } from '../../codegen/nearest.ts';
import manifest from '../../package.json' with { type: 'json' };
import { NoConnectorsError } from '../../server/call/tools/catalogue/connectors.ts';
import { addHelpTable, createCommand } from '../../shared/cli/command.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { runCommand } from '../../shared/cli/run.ts';
import { ALL, COMMANDS } from './commands.ts';

/** @returns 0: done, or help printed. 1: a failure, or a check that found something. 2: wrong usage. */
export async function runUtg(argv: readonly string[], output = PROCESS_OUTPUT): Promise<0 | 1 | 2> {
  const [name = '', ...rest] = argv;
  const listed = ALL.get(name);
  const toTyped = (typed: string): string => (typed === 'utg' ? 'utg' : `utg ${typed}`);
  if (name === '' || name.startsWith('-'))
    return runCommand(createTree(output), name === '' ? ['--help'] : argv, toTyped);
  if (listed === undefined) {
    const [near] = nearest(name, [...ALL.keys()]);
    output.err(`Unknown command '${name}'.${near === undefined ? '' : ` Did you mean ${near}?`}\nTry: utg --help\n`);
    return 2;
  }
  const missing = listed.needsPeers === true ? findMissingPeers() : [];
  if (missing.length > 0)
    return fail(`This command needs packages that are not installed:\n  npm install --save-dev ${missing.join(' ')}`);
  try {
    return await runCommand(await listed.load(), rest, toTyped);
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
function createTree(output: typeof PROCESS_OUTPUT): Command {
  const tree = createCommand('utg', output)
    .usage('<command> [options]')
    .version(manifest.version, '--version', 'print the version')
    .description(
      'Generates MCP tools from OpenAPI descriptors, and serves them on behalf of the users who connected the services.',
    );
  for (const [title, group] of Object.entries(COMMANDS)) {
    const rows = Object.entries(group).map(([name, { summary }]) => [name, summary]);
    addHelpTable(tree, title, Object.fromEntries(rows));
  }
  return addHelpTable(tree, 'Examples', {
    'utg init my-gateway': 'a project with one example service',
    'utg connector add https://example.com/openapi.yaml --name notes': 'a service of your own',
    'utg codegen --help': 'the options of a command',
  });
}

/**
 * Optional peers of the package, which the gateway does not need in production. None when this repository runs itself.
 */
function findMissingPeers(): string[] {
  const { peerDependencies = {} } = manifest as { readonly peerDependencies?: Readonly<Record<string, string>> };
  return Object.entries(peerDependencies)
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
