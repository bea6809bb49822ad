/** Reads secrets from files: `NAME_FILE` in place of `NAME`, because container platforms mount secrets as files. */

import { readFileSync } from 'node:fs';

const SUFFIX = '_FILE';

type Environment = Readonly<Record<string, string | undefined>>;

/** The name of the variable that holds the path. */
export function fileVariableOf(name: string): string {
  return name + SUFFIX;
}

/**
 * The environment with the content of these files as values of their secrets, without a final line break.
 *
 * @param onProblem called with the variable and the problem, to follow its name: both are set, or the file is empty or cannot be read.
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
