/** Secrets that come from files: `NAME_FILE` in place of `NAME`, as container platforms mount them. */

import { readFileSync } from 'node:fs';

const SUFFIX = '_FILE';

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the variable that holds the path. */
export function fileVariableOf(name: string): string {
  return name + SUFFIX;
}

/**
 * The environment with the content of these files under the names of their secrets, without a final line break.
 *
 * @param onProblem is called with the variable and what is wrong, to follow its name: both are set, or the file cannot be read or is empty.
 */
export function readSecretFiles(
  env: Environment,
  names: readonly string[],
  onProblem: (variable: string, problem: string) => void,
): Environment {
  const read: Record<string, string> = {};
  for (const name of names) {
    const variable = fileVariableOf(name);
    const path = env[variable];
    if (path === undefined) continue;
    if (env[name] !== undefined) {
      onProblem(variable, `is set, and so is ${name}: set one of them`);
      continue;
    }
    try {
      const text = readFileSync(path, 'utf8').replace(/\r?\n$/, '');
      if (text === '') onProblem(variable, 'names an empty file');
      else read[name] = text;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      onProblem(variable, `names a file that cannot be read (${code})`);
    }
  }
  return { ...env, ...read };
}
