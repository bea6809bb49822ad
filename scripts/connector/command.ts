/** The connector command: adds a descriptor to the project, or replaces one with a newer version. */

import path from 'node:path';
import type { Command } from 'commander';
import { addHelpTable, createCommand, requireOption, wholeNumber } from '../../shared/cli/command.ts';
import { requireFolder, requireFolderOf } from '../../shared/cli/folders.ts';
import { PROCESS_OUTPUT } from '../../shared/cli/output.ts';
import { FailureError, UsageError } from '../../shared/cli/run.ts';
import { addConnector } from './add.ts';
import { updateConnector } from './update.ts';
import { updateAll } from './update-all.ts';

const ROOT = ['--root <dir>', 'folder that holds specs/ and generated/; default: this project'] as const;
const ALLOW_PRIVATE = [
  '--allow-private',
  'also fetch from addresses that are not public: this machine, a private network',
] as const;
const ROOT_FOLDER = [
  '--root-folder <dir>',
  'the folder whose files $refs of the descriptor may name; without it, none is read',
] as const;
const FILE_OR_URL = 'the OpenAPI descriptor; a URL is fetched once, now, at most 64 MB in 60 seconds';

interface Root {
  readonly root?: string;
  readonly allowPrivate?: boolean;
  readonly rootFolder?: string;
}

interface Add extends Root {
  readonly name: string;
  readonly only: readonly string[];
  readonly tag: readonly string[];
  readonly readOnly?: boolean;
  readonly maxTools?: number;
}

interface All extends Root {
  readonly all?: true;
  readonly reports?: string;
}

/** `npm run connector`. */
export function createConnectorCommand(output = PROCESS_OUTPUT): Command {
  const command = createCommand('connector', output)
    .usage('<command> [options]')
    .summary('add a service, or update its descriptor')
    .description('Adds the descriptor of a service to the project, generates its tools, and lists what to decide.');
  const adding = command
    .command('add')
    .description(
      'Write specs/<service>/ with the descriptor and a first connector.yaml, generate the tools, and list what a ' +
        'person must decide',
    )
    .argument('<file-or-url>', FILE_OR_URL);
  requireOption(adding, '--name <service>', 'name of the folder in specs/: lower-case words joined by hyphens')
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
    .option('--read-only', 'only operations of GET, HEAD and OPTIONS')
    .option('--max-tools <n>', 'at most this many tools, short paths first', wholeNumber(1))
    .action(async (source: string, { name, only, tag, readOnly = false, maxTools, ...options }: Add) => {
      const selection = { only, tags: tag, readOnly, maxTools: maxTools ?? null };
      const outcome = await addConnector({ ...toRules(options), source, service: name, selection }, output);
      if (outcome !== 'whole') throw new FailureError('', outcome === 'partial' ? 3 : 1);
    });
  command
    .command('update')
    .description('Replace the descriptor, generate the tools again, and print how they changed')
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
    'utg connector add https://example.com/openapi.yaml --name notes': 'a new service',
    'utg connector add openapi.yaml --name notes --tag notes --read-only': 'only what reads notes',
    'utg connector update notes newer.yaml': 'a newer descriptor',
    'utg connector update notes': 'what is at its address now',
    'utg connector update --all': 'every descriptor that has an address',
  });
}

/** Collects the values of a repeatable option. */
function another(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

function toRules({ root = process.cwd(), allowPrivate = false, rootFolder }: Root) {
  requireFolder(path.resolve(root), '--root');
  return { root: path.resolve(root), allowPrivate, rootFolder: rootFolder ?? null };
}
