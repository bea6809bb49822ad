/** Reads the key ring from a program (`ENCRYPTION_KEYS_COMMAND`), for keys that a secret manager holds. */

import { parseKeyRing } from '../base/credentials/key-ring.ts';
import { fileVariableOf } from './secret-files.ts';

const KEYS = 'ENCRYPTION_KEYS';
const COMMAND = 'ENCRYPTION_KEYS_COMMAND';
const TIMEOUT_MS = 30_000;
const MAX_OUTPUT_BYTES = 65_536;

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns true if the environment says where the keys are, in one of three ways. */
export function namesKeys(env: Environment): boolean {
  return hasKeysItself(env) || env[COMMAND] !== undefined;
}

function hasKeysItself(env: Environment): boolean {
  return env[KEYS] !== undefined || env[fileVariableOf(KEYS)] !== undefined;
}

/**
 * The environment with the output of `ENCRYPTION_KEYS_COMMAND` as the value of `ENCRYPTION_KEYS`. The program gets the environment of this
 * process and no input, and 30 seconds. It may print 64 KiB. What it prints is in no message.
 *
 * @param onProblem called with the variable and the problem, to follow its name.
 */
export function readKeysCommand(
  env: Environment,
  onProblem: (variable: string, problem: string) => void,
  programEnvironment: Environment,
): Environment {
  const line = env[COMMAND];
  if (line === undefined) return env;
  if (hasKeysItself(env)) {
    onProblem(COMMAND, `is set, and so is ${KEYS}: set one of them`);
    return env;
  }
  try {
    const text = run(splitWords(line), programEnvironment).trim();
    if (text === '') throw new Error('names a program that printed nothing');
    parseKeyRing(text);
    return { ...env, [KEYS]: text };
  } catch (error) {
    onProblem(COMMAND, error instanceof Error ? error.message : String(error));
    return env;
  }
}

/**
 * Splits at spaces; quotation marks, single or double, keep words together. Nothing else has a meaning, because no shell reads it.
 *
 * @throws {Error} if a quotation mark is not closed.
 */
function splitWords(line: string): string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s"'])+|["']/g) ?? [];
  if (words.some((word) => word === '"' || word === "'")) throw new Error('has a quotation mark that is not closed');
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

/** @throws {Error} with a sentence that follows the variable's name. */
function run([program = '', ...args]: readonly string[], env: Environment): string {
  if (program === '') throw new Error('names no program: give the path of one, and its arguments');
  // Loaded only here, because few gateways need it.
  const { spawnSync } = process.getBuiltinModule('node:child_process');
  const { error, status, stdout } = spawnSync(program, args, {
    encoding: 'utf8',
    env: { ...env },
    killSignal: 'SIGKILL',
    maxBuffer: MAX_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: TIMEOUT_MS,
  });
  if (error !== undefined) throw new Error(describeFailure('code' in error ? String(error.code) : 'unknown error'));
  if (status === 0) return stdout;
  throw new Error(
    `names a program that failed (${status === null ? 'ended by a signal' : `exit code ${status}`}): run it by hand to see its messages, which may hold keys and are not shown`,
  );
}

function describeFailure(code: string): string {
  switch (code) {
    case 'ETIMEDOUT':
      return `names a program that did not end within ${TIMEOUT_MS / 1000} seconds`;
    case 'ENOBUFS':
      return `names a program that printed more than ${MAX_OUTPUT_BYTES} bytes`;
    default:
      return `names a program that cannot be run (${code}): give its path, and put it into the image or on the machine`;
  }
}
