/** Writes into connector.yaml what the diagnostics of a new service tell a developer to write. */

import type { Diagnostic } from '../../../codegen/diagnostics.ts';

/** For descriptors without a usable server: any address will do. */
const BASE_URL = 'https://corpus.example';

/** Problems that connector.yaml can solve; solving one adds tools, which may raise new ones. */
const SERVERS: ReadonlySet<string> = new Set(['server-url-invalid', 'operation-server-invalid']);
const ANSWERED: ReadonlySet<string> = new Set([...SERVERS, 'profile-refused', 'credential-unsupported']);

export interface Decision {
  /** The text of connector.yaml. */
  readonly text: string;
  /** The diagnostic codes that it answers, sorted. */
  readonly codes: readonly string[];
}

/**
 * Null if nothing asks for a decision, or an error cannot be solved in connector.yaml.
 *
 * A server without an address gets one; client rules that a tool breaks are accepted; if operations need an unsupported kind of credential,
 * such as an OAuth 2.0 token, the user is asked for a bearer token.
 */
export function decide(diagnostics: readonly Diagnostic[]): Decision | null {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const codes = [...new Set(diagnostics.map(({ code }) => code))].filter((code) => ANSWERED.has(code)).sort();
  const variables = diagnostics
    .filter(({ code }) => SERVERS.has(code))
    .flatMap(({ fix }) => /serverVariables: \{(.+): \{default: https:/.exec(fix)?.[1] ?? []);
  const rules = errors
    .filter(({ code }) => code === 'profile-refused')
    .flatMap(({ fix }) => /Or accept (.+) under profiles\.accept/.exec(fix)?.[1]?.split(', ') ?? []);
  if (codes.length === 0 || errors.some(({ code }) => !ANSWERED.has(code))) return null;
  const text = JSON.stringify({
    ...(variables.length === 0
      ? {}
      : { serverVariables: Object.fromEntries(variables.map((name) => [name, { default: BASE_URL }])) }),
    ...(rules.length === 0
      ? {}
      : { profiles: { accept: Object.fromEntries(rules.map((rule) => [rule, 'Seen, and left as it is.'])) } }),
    ...(codes.includes('credential-unsupported')
      ? { credential: { parts: [{ id: 'token', type: 'bearer', label: 'Access token' }] } }
      : {}),
  });
  return { text, codes };
}

/** Later answers are merged into earlier ones. */
export function mergeAnswers(answers: readonly Decision[]): string {
  return JSON.stringify(Object.assign({}, ...answers.map(({ text }) => JSON.parse(text))));
}
