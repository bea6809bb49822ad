/** Writes into connector.yaml what the diagnostics of a new service tell a developer to write. */

import type { Diagnostic } from '../../../codegen/diagnostics.ts';

/** For descriptors without a usable server: any address will do. */
const BASE_URL = 'https://corpus.example';

/** Problems that connector.yaml can solve; solving one adds tools, which may raise new ones. */
const SERVER_CODES: readonly string[] = ['server-url-invalid', 'operation-server-invalid'];
const SOLVABLE_CODES: readonly string[] = [...SERVER_CODES, 'profile-refused', 'credential-unsupported'];

export interface Decision {
  /** Members of connector.yaml. */
  readonly config: Readonly<Record<string, unknown>>;
  /** The diagnostic codes that it answers, sorted. */
  readonly codes: readonly string[];
}

/**
 * Gives a server without an address one, accepts client rules that a tool breaks, and asks the user for a bearer token if operations need an
 * unsupported kind of credential, such as an OAuth 2.0 token.
 *
 * @returns null if nothing asks for a decision, or an error cannot be solved in connector.yaml.
 */
export function decide(diagnostics: readonly Diagnostic[]): Decision | null {
  const solvable = diagnostics.filter(({ code }) => SOLVABLE_CODES.includes(code));
  const isHopeless = diagnostics.some(({ severity, code }) => severity === 'error' && !SOLVABLE_CODES.includes(code));
  if (solvable.length === 0 || isHopeless) return null;

  const config: Record<string, unknown> = {};
  const serverVariables: Record<string, unknown> = {};
  const accept: Record<string, string> = {};
  for (const { severity, code, fix } of solvable) {
    const variable = SERVER_CODES.includes(code) && /serverVariables: \{(.+): \{default: https:/.exec(fix)?.[1];
    if (variable) {
      serverVariables[variable] = { default: BASE_URL };
      config.serverVariables = serverVariables;
    }
    const rules = code === 'profile-refused' && /Or accept (.+) under profiles\.accept/.exec(fix)?.[1];
    if (rules && severity === 'error') {
      for (const rule of rules.split(', ')) accept[rule] = 'Seen, and left as it is.';
      config.profiles = { accept };
    }
    if (code === 'credential-unsupported')
      config.credential = { parts: [{ id: 'token', type: 'bearer', label: 'Access token' }] };
  }
  return { config, codes: [...new Set(solvable.map(({ code }) => code))].sort() };
}
