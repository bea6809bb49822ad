/** Shared by all commands: parsing, the layout of help, and the types of option values. */

import { styleText } from 'node:util';
import { Command, InvalidArgumentError, Option } from 'commander';
import { type Output, PROCESS_OUTPUT } from './output.ts';
import { UsageError } from './run.ts';

const MAX_HELP_WIDTH = 100;
export const EXIT_CODES_TITLE = 'Exit codes';

/** Exit codes of every command. */
export const EXIT_CODES = {
  0: 'done',
  1: 'it failed, or a check found a problem',
  2: 'the command line is wrong',
};

/**
 * A command that `runCommand` can run; its subcommands inherit all of this.
 *
 * @param name as a person types it, such as `tools:diff`.
 * @param moreExitCodes meanings of exit codes that only this command has. Default: none.
 */
export function createCommand(
  name: string,
  { out, err, hasColors = false }: Output = PROCESS_OUTPUT,
  moreExitCodes: { readonly 3?: string } = {},
): Command {
  const bold = (text: string): string => styleText('bold', text, { validateStream: false });
  const cyan = (text: string): string => styleText('cyan', text, { validateStream: false });
  const command = new Command(name)
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: out, writeErr: err, outputError: () => {}, getOutHasColors: () => hasColors })
    .configureHelp({
      helpWidth: Math.min(process.stdout.columns || MAX_HELP_WIDTH, MAX_HELP_WIDTH),
      styleTitle: bold,
      styleOptionTerm: cyan,
      styleArgumentTerm: cyan,
      styleSubcommandTerm: cyan,
    });
  return addHelpTable(command, EXIT_CODES_TITLE, { ...EXIT_CODES, ...moreExitCodes }, 'afterAll');
}

/**
 * Adds a required option.
 *
 * commander checks its own `requiredOption` before unknown options, and would report a misspelt name as missing.
 */
export function requireOption(command: Command, flags: string, description: string): Command {
  const option = new Option(flags, `${description} (required)`);
  return command
    .usage(`${flags} ${command.usage()}`)
    .addOption(option)
    .hook('preAction', () => {
      if (command.getOptionValue(option.attributeName()) !== undefined) return;
      throw new UsageError(`Required option '${flags}' not specified`);
    });
}

/**
 * The facts about a command before it is loaded.
 *
 * @typeParam Given the arguments that it is created with.
 */
export interface ListedCommand<Given extends readonly unknown[] = []> {
  /** As in the command's own help. */
  readonly summary: string;
  /** The command that it follows in the help. Default: the last of its group. */
  readonly after?: string;
  readonly load: (...given: Given) => Promise<Command>;
  /** It needs packages that a production installation of the gateway omits. */
  readonly needsCodegen?: true;
}

/** Commands by title of their group in the help, then by name. */
export type CommandGroups<Given extends readonly unknown[] = []> = Readonly<
  Record<string, Readonly<Record<string, ListedCommand<Given>>>>
>;

/** Commands by name, without their groups. */
export function commandsByName(groups: CommandGroups): ReadonlyMap<string, ListedCommand> {
  return new Map(Object.values(groups).flatMap((group) => Object.entries(group)));
}

/** Commands that one program runs. */
export interface CommandTree {
  /** The text that a person types before the name of a command. */
  readonly typed: string;
  readonly description: string;
  readonly list: () => Promise<CommandGroups>;
  /** Finds a command without the whole list, if that is faster. */
  readonly find?: (name: string) => Promise<ListedCommand | undefined>;
  readonly examples: Readonly<Record<string, string>>;
}

/** The parts of a command's help, without its options. */
interface HelpParts {
  readonly tables: { readonly title: string; readonly rows: Readonly<Record<string, string>> }[];
  readonly notes: string[];
}

const HELP_PARTS = new WeakMap<Command, HelpParts>();

/** A command's own parts of its help, in order. */
export function helpPartsOf(command: Command): HelpParts {
  const helpParts = HELP_PARTS.get(command) ?? { tables: [], notes: [] };
  HELP_PARTS.set(command, helpParts);
  return helpParts;
}

/** Adds a sentence to the end of a command's help. */
export function addHelpNote(command: Command, note: string): Command {
  helpPartsOf(command).notes.push(note);
  return command.addHelpText('after', `\n${note}`);
}

/**
 * Adds a titled table to the end of a command's help: what is shown or typed, and what it means.
 *
 * @param position `afterAll`: also in the help of its subcommands.
 */
export function addHelpTable(
  command: Command,
  title: string,
  rows: Readonly<Record<string, string>>,
  position: 'after' | 'afterAll' = 'after',
): Command {
  helpPartsOf(command).tables.push({ title, rows });
  return command.addHelpText(position, () => {
    const help = command.createHelp();
    const width = Math.max(...Object.keys(rows).map((term) => term.length));
    const items = Object.entries(rows).map(([term, meaning]) =>
      help.formatItem(help.styleOptionTerm(term), width, meaning, help),
    );
    return ['', help.styleTitle(`${title}:`), ...items].join('\n');
  });
}

/** Creates a parser for an option whose value is a whole number in a range. */
export function wholeNumber(min: number, max = Number.MAX_SAFE_INTEGER): (text: string) => number {
  const range = max === Number.MAX_SAFE_INTEGER ? `from ${min} on` : `from ${min} to ${max}`;
  return (text) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= min && number <= max) return number;
    throw new InvalidArgumentError(`Use a whole number ${range}.`);
  };
}

/** Parses an option whose value is a list of names, separated by commas. */
export function namesIn(text: string): string[] {
  return text.split(',').map((name) => name.trim());
}
