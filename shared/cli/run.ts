/** Runs a command, and turns the outcome into an exit code and a message. */

import { type Command, CommanderError } from 'commander';
import { endWithReader } from './output.ts';

/** The command line is wrong: exit code 2, and a reference to the help. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command failed, or its check found something: exit code 1; or it left something out: 3. An empty message: it is already printed. */
export class FailureError extends Error {
  override name = 'FailureError';
  readonly code: 1 | 3;

  constructor(message = '', code: 1 | 3 = 1) {
    super(message);
    this.code = code;
  }
}

/** The text that a person types before the name of a command. In this repository, whose programs are TypeScript, npm runs them. */
export const UTG = import.meta.filename.endsWith('.ts') ? 'npm run utg --' : 'utg';

/**
 * @param argv the arguments after the command's name.
 * @param typed what a person types before the command's name, for its help.
 * @returns 0: done, or help printed. 1: a failure, or a check that found something. 2: wrong usage. 3: done, except for what
 * it says that it left out.
 * @throws any other error of the command, which is a bug.
 */
export async function runCommand(
  command: Command,
  argv: readonly string[] = process.argv.slice(2),
  typed = UTG,
): Promise<0 | 1 | 2 | 3> {
  endWithReader();
  const { writeErr = () => {} } = command.configureOutput();
  command.name(`${typed} ${command.name()}`.trim());
  try {
    const hasNoArguments = argv.length === 0 && command.commands.length > 0;
    await command.parseAsync(hasNoArguments ? ['--help'] : argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof FailureError) {
      if (error.message !== '') writeErr(`${error.message}\n`);
      return error.code;
    }
    if (!(error instanceof CommanderError || error instanceof UsageError)) throw error;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    writeErr(`${toSentence(error.message)}\nTry: ${nameOf(command, argv)} --help\n`);
    return 2;
  }
}

/** Includes the requested subcommand, if there is one. */
function nameOf(command: Command, argv: readonly string[]): string {
  const subcommand = command.commands.find((each) => each.name() === argv[0]);
  return subcommand === undefined ? command.name() : `${command.name()} ${subcommand.name()}`;
}

function toSentence(message: string): string {
  return message.replace(/^error: (.)/, (_, first: string) => first.toUpperCase());
}
