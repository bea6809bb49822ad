/** Options that several commands take. */

import { InvalidArgumentError } from 'commander';
import { namesIn } from '../../shared/cli/command.ts';

/** The exit code that shells report for a program stopped with Ctrl-C. */
export const INTERRUPTED = 130;

/** Creates a parser for an option whose value is a list of known names, separated by commas. @param noun such as `fault`. */
export function namesAmong(known: readonly string[], noun: string): (text: string) => string[] {
  return (text) => {
    const names = namesIn(text);
    const unknown = names.filter((name) => !known.includes(name));
    if (unknown.length === 0) return names;
    throw new InvalidArgumentError(`There is no ${noun} ${unknown.join(', ')}.`);
  };
}
