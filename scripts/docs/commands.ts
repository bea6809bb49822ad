/** The reference page of all commands, generated from the commands themselves. */

import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { PORTAL_SETTINGS_TITLE } from '../../packages/portal/settings.ts';
import { SETTINGS_TITLE } from '../../server/command.ts';
import {
  type CommandGroups,
  commandsByName,
  EXIT_CODES,
  EXIT_CODES_TITLE,
  helpPartsOf,
} from '../../shared/cli/command.ts';
import { LAB } from '../lab/commands.ts';
import { listCommands } from '../utg/commands.ts';
import { cell, code, table } from './markdown.ts';

const HEAD = `# Commands

In a project of your own: \`npx utg <command>\`. In this repository: \`npm run utg -- <command>\`, where \`--\` separates what npm reads from what the command reads
(add \`-s\` where only the output of the command may be printed). The most frequent ones are scripts of their own: \`npm start\`, \`npm run demo\`, \`codegen\` and
\`tools:diff\`. Each command prints its help with \`--help\`. Commands that work on the store run next to the gateway, with its \`DATABASE_URL\` and \`ENCRYPTION_KEYS\`.
`;

const LAB_HEAD = `## Work on this repository

The package has none of these. Scripts of \`package.json\` (\`npm run <script>\`), then the commands of \`npm run lab -- <command>\`; \`check:static\` and \`package\` are scripts too.
`;

/** Those that are no command; a script with the name of a command runs it. */
const SCRIPTS: Partial<Record<keyof typeof manifest.scripts, string>> = {
  utg: 'Runs every command of this page that works on a project or a gateway: `npm run utg -- <command>`.',
  lab: 'Runs the commands below: `npm run lab -- <command>`.',
  docs: 'Writes the pages of `docs/reference/` that are made from code, the JSON Schema of connector.yaml, and the types of the partner client. `-- --check` only compares.',
  typecheck: 'Checks types, those of `generated/` too.',
  lint: 'Checks formatting and lint rules.',
  format: 'Formats files, and fixes what lint can fix.',
  test: 'Runs the quick tests, in a minute or two. `npm test -- test/x.test.ts` runs one file.',
  'test:all': 'Runs every test that needs nothing but npm.',
  mutation:
    'Changes the files of `test/mutation/files.ts` in one place at a time with Stryker, and fails if the tests notice less than 85 %. Needs `npm ci --prefix .ci/tools`.',
  check: 'Checks types, lint, generated files and reference pages, then runs `npm test`.',
  release: 'Names the unreleased changes, commits and tags: `npm run release -- minor`, or `patch`.',
  preversion: 'A step of `release`: checks that there is something to release, and that all checks pass.',
  version: 'A step of `release`: writes the changelog.',
};

/** Returns the rows of a table that are documented nowhere else. */
function ownRows(title: string, rows: Readonly<Record<string, string>>): [term: string, text: string][] {
  if (title === SETTINGS_TITLE || title === PORTAL_SETTINGS_TITLE) return [];
  const entries = Object.entries(rows);
  return title === EXIT_CODES_TITLE ? entries.filter(([code]) => !Object.hasOwn(EXIT_CODES, code)) : entries;
}

/** Every command with its options and examples. @throws {Error} for a script of package.json that is neither described nor a command. */
export async function emitCommandsPage(): Promise<string> {
  const [commands, lab] = [await listCommands(), await LAB.list()];
  const documentedNames = [...commandsByName(commands).keys(), ...commandsByName(lab).keys(), ...Object.keys(SCRIPTS)];
  const unknown = Object.keys(manifest.scripts).filter((name) => !documentedNames.includes(name));
  if (unknown.length > 0) throw new Error(`scripts/docs/commands.ts does not describe ${unknown.join(', ')}`);
  const overview = Object.values(commands).flatMap((group) =>
    Object.entries(group).map(([name, { summary }]) => [`[${code(name)}](#${name.replaceAll(':', '')})`, summary]),
  );
  return [
    HEAD,
    table(['Command', 'What for'], overview),
    table([EXIT_CODES_TITLE.replace(/s$/, ''), 'Meaning'], Object.entries(EXIT_CODES)),
    await emitGroups(commands),
    LAB_HEAD,
    table(
      ['Script', 'What it does'],
      Object.entries(SCRIPTS).map(([name, meaning]) => [code(name), meaning]),
    ),
    await emitGroups(lab),
  ].join('\n');
}

async function emitGroups(groups: CommandGroups): Promise<string> {
  const sections = Object.entries(groups).map(async ([title, group]) => {
    const commands = await Promise.all(Object.values(group).map(async ({ load }) => emitCommand(await load())));
    return [`## ${title}\n`, ...commands].join('\n');
  });
  return (await Promise.all(sections)).join('\n');
}

function emitCommand(command: Command, parent: readonly string[] = []): string {
  const help = command.createHelp();
  const names = [...parent, command.name()];
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [code(option.flags), help.optionDescription(option)]);
  const argumentRows = command.registeredArguments.map((argument) => {
    const name = argument.name() + (argument.variadic ? '...' : '');
    return [code(argument.required ? `<${name}>` : `[${name}]`), help.argumentDescription(argument)];
  });
  const { tables, notes } = helpPartsOf(command);
  const isListed = tables.some(({ title }) => title === SETTINGS_TITLE);
  return [
    `${parent.length === 0 ? '###' : '####'} ${names.join(' ')}\n`,
    ...command
      .description()
      .split('\n\n')
      .map((text) => `${cell(text)}\n`),
    ...(isListed ? ['Every flag is a setting: [Settings](settings.md).\n'] : []),
    ...(argumentRows.length + options.length === 0
      ? []
      : [table(['Option', 'Meaning'], [...argumentRows, ...options])]),
    ...notes.map((note) => `${cell(note)}\n`),
    ...command.commands.map((subcommand) => emitCommand(subcommand, names)),
    ...tables
      .map(({ title, rows }) => [title, ownRows(title, rows)] as const)
      .filter(([, rows]) => rows.length > 0)
      .map(([title, rows]) =>
        table(
          [title, 'Meaning'],
          rows.map(([term, text]) => [code(term), text]),
        ),
      ),
  ].join('\n');
}
