/** Assumptions for what a descriptor leaves open, so that a new connector has tools to decide about. */

import type { Diagnostic } from '../../codegen/diagnostics.ts';
import { toConfiguredPart } from '../../codegen/tools/connector/credential-parts.ts';
import type { ConnectorModel, CredentialPart } from '../../codegen/tools/types.ts';

export interface Assumptions {
  /** By server variable: the absolute URL of a relative one, or null if nothing shows the host. */
  readonly servers: Readonly<Record<string, string | null>>;
  /**
   * All parts of the credential, with a bearer token for schemes that the gateway does not support; null: as in the descriptor.
   */
  readonly parts: readonly CredentialPart[] | null;
  /** What codegen says about OAuth 2.0 that only some operations accept; null if it says nothing. */
  readonly partial: string | null;
}

/** @param source file or URL of the descriptor; relative server URLs are resolved against it (OpenAPI 3.1 §4.8.5). */
export function toAssumptions(
  connector: ConnectorModel,
  diagnostics: readonly Diagnostic[],
  source: string,
): Assumptions {
  const relative = [...connector.servers, ...connector.unusableServers].flatMap(({ url, variables }) =>
    variables.filter((variable) => url === `{${variable.name}}` && !URL.canParse(variable.default)),
  );
  const servers = relative.map(({ name, default: url }) => [name, resolveServer(url, source)] as const);
  const partial = diagnostics.find(({ code }) => code === 'credential-partial');
  return {
    servers: Object.fromEntries(servers),
    parts: toParts(connector, diagnostics),
    partial: partial === undefined ? null : `${partial.message} ${partial.fix}`,
  };
}

/** The assumptions as `connector.yaml` expresses them; null if there are none. */
export function toAssumedConfig({ servers, parts }: Assumptions): object | null {
  const known = Object.entries(servers).filter(([, url]) => url !== null);
  if (known.length === 0 && parts === null) return null;
  return {
    ...(known.length === 0
      ? {}
      : { serverVariables: Object.fromEntries(known.map(([name, url]) => [name, { default: url }])) }),
    ...(parts === null ? {} : { credential: { parts: parts.map(toConfiguredPart) } }),
  };
}

function resolveServer(url: string, source: string): string | null {
  if (!/^https?:\/\//i.test(source) || !URL.canParse(url, source)) return null;
  const { origin, pathname } = new URL(url, source);
  return `${origin}${pathname}`.replace(/\/+$/, '');
}

function toParts({ credential }: ConnectorModel, diagnostics: readonly Diagnostic[]): CredentialPart[] | null {
  const { parts } = credential;
  const isTaken = parts.some(({ type, name }) => HEADER.has(type) || isAuthorization(name));
  if (isTaken || !diagnostics.some(({ code }) => code === 'credential-unsupported')) return null;
  const id = parts.some((part) => part.id === 'token') ? 'access_token' : 'token';
  return [...parts, { id, type: 'bearer', label: 'Access token', name: null }];
}

/** Kinds of credential that are sent in the Authorization header. */
const HEADER: ReadonlySet<string> = new Set(['basic', 'bearer', 'oauth2']);

function isAuthorization(name: string | null): boolean {
  return name?.toLowerCase() === 'authorization';
}
