/** Runs a command, and turns what happened into an exit code and a message. */

import { type Command, CommanderError } from 'commander';
import { endWithReader } from './output.ts';

/** The command line is wrong: exit code 2, and a pointer to the help. */
export class UsageError extends Error {
  override name = 'UsageError';
}

/** The command failed, or its check found something: exit code 1. Without a message: it is printed already. */
export class FailureError extends Error {
  override name = 'FailureError';
}

/** How a person starts a command of this project with npm. */
function toNpmRun(name: string): string {
  return name === 'start' ? 'npm start --' : `npm run ${name} --`;
}

/**
 * @param argv what follows the command's name.
 * @param toTyped what a person types to start the command, for its help.
 * @returns 0: done, or help printed. 1: a failure, or a check that found something. 2: wrong usage.
 * @throws whatever else the command throws: a defect.
 */
export async function runCommand(
  command: Command,
  argv: readonly string[] = process.argv.slice(2),
  toTyped: (name: string) => string = toNpmRun,
): Promise<0 | 1 | 2> {
  endWithReader();
  const { writeErr = () => {} } = command.configureOutput();
  command.name(toTyped(command.name()));
  try {
    const isBare = argv.length === 0 && command.commands.length > 0;
    await command.parseAsync(isBare ? ['--help'] : argv, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof FailureError) {
      if (error.message !== '') writeErr(`${error.message}\n`);
      return 1;
    }
    if (!(error instanceof CommanderError || error instanceof UsageError)) throw error;
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    writeErr(`${toSentence(error.message)}\nTry: ${nameOf(command, argv)} --help\n`);
    return 2;
  }
}

/** With the subcommand that was asked for, where there is one. */
function nameOf(command: Command, argv: readonly string[]): string {
  const asked = command.commands.find((each) => each.name() === argv[0]);
  return asked === undefined ? command.name() : `${command.name()} ${asked.name()}`;
}

function toSentence(message: string): string {
  return message.replace(/^error: (.)/, (_, first: string) => first.toUpperCase());
}
