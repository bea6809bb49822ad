/** Assumptions for what a descriptor leaves open, so that a new connector has tools to decide about. */

import type { Diagnostic } from '../../codegen/diagnostics.ts';
import type { ServiceModel } from '../../codegen/model/types.ts';
import { writePartConfig } from '../../codegen/tools/connector/credential-parts.ts';
import type { ConnectorModel, CredentialKind, CredentialPart } from '../../codegen/tools/types.ts';
import { toWords } from '../../codegen/tools/words/words.ts';
import { variablePosition } from '../../shared/server-urls.ts';
import type { ProposedCredential } from './mcp/credential.ts';
import { type CommonArguments, findCommonArguments } from './proposals/common-arguments.ts';

export interface Assumptions {
  /** By server variable: the absolute URL of a relative one, or null if nothing shows the host. */
  readonly servers: Readonly<Record<string, string | null>>;
  /** By server variable: what each user is asked for, because the descriptor's default is a placeholder. */
  readonly userVariables: Readonly<Record<string, { readonly label: string; readonly pattern?: string }>>;
  /** Arguments of nearly every tool, and what connector.yaml says in their place. */
  readonly commonArguments: CommonArguments;
  /**
   * All parts of the credential, with a bearer token for schemes that the gateway does not support. Null if the credential stays as it is in the
   * descriptor.
   */
  readonly parts: readonly CredentialPart[] | null;
  /** Credentials that a few tools need in addition. The list is empty unless `parts` replaces the credential of the descriptor. */
  readonly extras: readonly CredentialKind[];
  /** The message of codegen about OAuth 2.0 that only some operations accept. Null if there is no such message. */
  readonly partial: string | null;
  /** What an MCP server asks of its users. Null for a descriptor, which says it itself. */
  readonly credential: ProposedCredential | null;
  /** Messages of codegen about tools that do more than their MCP server claims. */
  readonly contradictedClaims: readonly string[];
}

/** What a descriptor alone shows. */
type DescriptorAssumptions = Omit<Assumptions, 'credential' | 'contradictedClaims'>;

/** @param source file or URL of the descriptor; relative server URLs are resolved against it (OpenAPI 3.1 §4.8.5). */
export function toAssumptions(
  connector: ConnectorModel,
  diagnostics: readonly Diagnostic[],
  source: string,
  servers: ServiceModel['servers'],
): DescriptorAssumptions {
  const relative = [...connector.servers, ...connector.unusableServers].flatMap(({ url, variables }) =>
    variables.filter((variable) => url === `{${variable.name}}` && !URL.canParse(variable.default)),
  );
  const resolved = relative.map(({ name, default: url }) => [name, resolveServer(url, source)] as const);
  const parts = toParts(connector, diagnostics);
  const partial = diagnostics.find(({ code }) => code === 'credential-partial');
  return {
    servers: Object.fromEntries(resolved),
    userVariables: Object.fromEntries(servers.flatMap(toUserVariables)),
    commonArguments: findCommonArguments(connector),
    parts,
    extras: parts === null ? [] : (connector.credential.extras ?? []),
    partial: partial === undefined ? null : `${partial.message} ${partial.fix}`,
  };
}

/** Returns the assumptions as `connector.yaml` expresses them. Null if there are none. */
export function toAssumedConfig({
  servers,
  userVariables,
  parts,
  extras,
  commonArguments,
  credential: proposed,
}: Assumptions): object | null {
  const variables = [
    ...Object.entries(servers).flatMap(([name, url]) => (url === null ? [] : [[name, { default: url }] as const])),
    ...Object.entries(userVariables).map(([name, ask]) => [name, { ask }] as const),
  ];
  const { also, repeated, fixed } = commonArguments;
  const credential: Record<string, unknown> = { ...proposed?.config };
  if (parts !== null) credential.parts = parts.map(writePartConfig);
  if (extras.length > 0) credential.extras = extras.map(toConfiguredExtra);
  if (also.length > 0) credential.also = also.map(({ value }) => value);
  if (repeated.length > 0) credential.repeated = repeated.map(({ value }) => value);
  const config: Record<string, unknown> = {};
  if (variables.length > 0) config.serverVariables = Object.fromEntries(variables);
  if (Object.keys(credential).length > 0) config.credential = credential;
  if (fixed.length > 0) config.defaults = { fixed: Object.fromEntries(fixed.map(({ value }) => value)) };
  return Object.keys(config).length === 0 ? null : config;
}

function toConfiguredExtra({ label, parts }: CredentialKind): object {
  return { label, schemes: parts.map(({ id }) => id) };
}

/** Defaults that stand for what each customer has. */
const PLACEHOLDER =
  /^$|[{}<>[\]]|^(?:your|my|x{3,}|example|sample|demo|tenant|company|acme|subdomain|domain|account|instance|workspace|org)/i;

/** Returns the variables of a server that stand for a part of its host or path and have no value that could be right for all users. */
function toUserVariables({
  url,
  variables,
}: ServiceModel['servers'][number]): [string, Assumptions['userVariables'][string]][] {
  return variables.flatMap(({ name, default: value }): [string, Assumptions['userVariables'][string]][] => {
    const position = variablePosition(url, name);
    const label = toWords(name).join(' ');
    const question = { label: `${label.slice(0, 1).toUpperCase()}${label.slice(1)}` };
    if (position === 'label') return PLACEHOLDER.test(value) ? [[name, question]] : [];
    if (position !== 'host') return [];
    const [, suffix] =
      /^(?:[^.]*[{}<>[\]][^.]*|your[\w-]*|my[\w-]*|tenant|example|company|acme)((?:\.[a-z0-9-]+){2,})$/i.exec(value) ??
      [];
    return suffix === undefined
      ? []
      : [[name, { ...question, pattern: `[A-Za-z0-9-]+${suffix.replaceAll('.', '\\.')}` }]];
  });
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
