/** What a descriptor leaves open and tools need: assumed for a new connector, so that there are tools to decide about. */

import type { Diagnostic } from '../../codegen/diagnostics.ts';
import { toConfiguredPart } from '../../codegen/tools/connector/credential-parts.ts';
import type { ConnectorModel, CredentialPart } from '../../codegen/tools/types.ts';

export interface Assumptions {
  /** By server variable: the absolute URL behind a relative one, or null where nothing tells the host. */
  readonly servers: Readonly<Record<string, string | null>>;
  /** All parts of the credential, with a bearer token for schemes that the gateway cannot run; null: what the descriptor says. */
  readonly parts: readonly CredentialPart[] | null;
  /** What codegen says about OAuth 2.0 that only some operations take; null where there is nothing to say. */
  readonly partial: string | null;
}

/** @param source file or URL that the descriptor came from; relative server URLs are relative to it (OpenAPI 3.1 §4.8.5). */
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

/** The assumptions alone, as `connector.yaml` says them; null where it would say nothing. */
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

/** Kinds that write the header Authorization. */
const HEADER: ReadonlySet<string> = new Set(['basic', 'bearer', 'oauth2']);

function isAuthorization(name: string | null): boolean {
  return name?.toLowerCase() === 'authorization';
}
