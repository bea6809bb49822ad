/** The credential with which a command reads an MCP server: from the environment or a file, never from the command line, and never printed. */

import { readFile } from 'node:fs/promises';
import { UsageError } from '../../../shared/cli/run.ts';

export interface Access {
  /** Name of the environment variable that holds a bearer token. */
  readonly tokenEnv?: string | undefined;
  /** `<header>=env:<NAME>` or `<header>=file:<path>`. */
  readonly headers: readonly string[];
  readonly clientId?: string | undefined;
}

const HEADER = /^([A-Za-z0-9!#$%&'*+.^_`|~-]+)=(env|file):(.+)$/;

/** The headers to send, by name; empty if no credential was named. @throws {UsageError} if one is missing. */
export async function readAccess({ tokenEnv, headers }: Access): Promise<Readonly<Record<string, string>>> {
  const values: Record<string, string> = {};
  if (tokenEnv !== undefined) values.Authorization = `Bearer ${readVariable(tokenEnv, '--token-env')}`;
  for (const header of headers) {
    const [, name, source, place = ''] = HEADER.exec(header) ?? [];
    if (name === undefined) throw new UsageError('--header must be <name>=env:<NAME> or <name>=file:<path>.');
    values[name] = source === 'env' ? readVariable(place, '--header') : await readSecret(place);
  }
  return values;
}

/** The variable from which a command takes the token of a service if no option names another: `NOTES_MCP_TOKEN`. */
export function tokenVariableOf(service: string): string {
  return `${service.toUpperCase().replaceAll('-', '_')}_MCP_TOKEN`;
}

/** The access of a service whose token may be in its variable. */
export function withDefaultToken(access: Access, service: string): Access {
  const variable = tokenVariableOf(service);
  if (access.tokenEnv !== undefined || access.headers.length > 0 || !process.env[variable]) return access;
  return { ...access, tokenEnv: variable };
}

function readVariable(name: string, option: string): string {
  const value = process.env[name]?.trim() ?? '';
  if (value === '') throw new UsageError(`${option}: the environment variable ${name} is not set.`);
  return requireSendable(value, name);
}

async function readSecret(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => null);
  if (text === null) throw new UsageError(`--header: there is no file ${file}.`);
  return requireSendable(text.trim(), file);
}

function requireSendable(value: string, place: string): string {
  if (/^[\x20-\x7e]+$/.test(value)) return value;
  throw new UsageError(`The value in ${place} cannot be sent in a header: only visible ASCII can.`);
}
