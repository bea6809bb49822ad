/** The reference page of all commands, generated from the commands themselves. */

import type { Command } from 'commander';
import manifest from '../../package.json' with { type: 'json' };
import { SETTINGS_TITLE } from '../../server/command.ts';
import { EXIT_CODES, EXIT_CODES_TITLE, helpPartsOf } from '../../shared/cli/command.ts';
import { ALL, COMMANDS } from '../utg/commands.ts';
import { cell, code, table } from './markdown.ts';
import { DEVELOPMENT_SCRIPTS } from './npm-scripts.ts';

const HEAD = `# Commands

In a project of your own: \`npx utg <command>\`. In this repository: \`npm run <command> -- <options>\`, where \`--\` separates what npm reads from what the command reads
(\`npm start --\` for \`start\`). Each command prints its help with \`--help\`. Commands that work on the store run next to the gateway, with its \`DATABASE_URL\` and \`ENCRYPTION_KEYS\`.
`;

/** Tables that are documented elsewhere. */
const ELSEWHERE: readonly string[] = [EXIT_CODES_TITLE, SETTINGS_TITLE];

/** Every command with its options and examples. @throws {Error} for an undescribed script of package.json. */
export async function emitCommandsPage(): Promise<string> {
  const known = [...ALL.keys(), ...Object.keys(DEVELOPMENT_SCRIPTS)];
  const unknown = Object.keys(manifest.scripts).filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`scripts/docs/npm-scripts.ts does not describe ${unknown.join(', ')}`);
  const groups = Object.entries(COMMANDS).map(async ([title, group]) => {
    const commands = await Promise.all(Object.values(group).map(async ({ load }) => emitCommand(await load())));
    return [`## ${title}\n`, ...commands].join('\n');
  });
  const development = Object.entries(DEVELOPMENT_SCRIPTS).map(async ([name, said]) =>
    typeof said === 'string' ? `### ${name}\n\n${said}\n` : emitCommand(await said()),
  );
  const overview = Object.values(COMMANDS).flatMap((group) =>
    Object.entries(group).map(([name, { summary }]) => [`[${code(name)}](#${name.replaceAll(':', '')})`, summary]),
  );
  const exits = Object.entries(EXIT_CODES).map(([number, meaning]) => [number, meaning]);
  return [
    HEAD,
    table(['Command', 'What for'], overview),
    table([EXIT_CODES_TITLE.replace(/s$/, ''), 'Meaning'], exits),
    ...(await Promise.all(groups)),
    `## Work on this repository\n\nThese are scripts of \`package.json\` alone: \`npm run <script>\`.\n`,
    ...(await Promise.all(development)),
  ].join('\n');
}

function emitCommand(command: Command, parent: readonly string[] = []): string {
  const help = command.createHelp();
  const names = [...parent, command.name()];
  const options = help
    .visibleOptions(command)
    .filter(({ long }) => long !== '--help')
    .map((option) => [code(option.flags), help.optionDescription(option)]);
  const given = command.registeredArguments.map((argument) => {
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
    ...(given.length + options.length === 0 ? [] : [table(['Option', 'Meaning'], [...given, ...options])]),
    ...notes.map((note) => `${cell(note)}\n`),
    ...command.commands.map((subcommand) => emitCommand(subcommand, names)),
    ...tables
      .filter(({ title }) => !ELSEWHERE.includes(title))
      .map(({ title, rows }) =>
        table(
          [title, 'Meaning'],
          Object.entries(rows).map(([term, text]) => [code(term), text]),
        ),
      ),
  ].join('\n');
}
