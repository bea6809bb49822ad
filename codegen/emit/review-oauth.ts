/**
 * The OAuth 2.0 part of `TOOLS.md`: where users and secrets are sent, and which scopes are requested for which tools.
 */

import { selectScopes } from '../select-scopes.ts';
import type { ConnectorModel, ListedTool, OAuth2Part, ToolModel } from '../tools/types.ts';
import { markdownCode, markdownTable, markdownText } from './markdown.ts';

/** One section for each OAuth 2.0 part of the credential; empty if there is none. */
export function oauthSections(connector: ConnectorModel): string[] {
  const { credential, tools } = connector;
  const { alternatives = [], extras = [] } = credential;
  const kinds = [
    ...[credential, ...alternatives].map(({ parts }) => ({ parts, extra: undefined })),
    ...extras.map(({ parts, label }) => ({ parts, extra: label })),
  ];
  const signIns = kinds.flatMap(({ parts, extra }) =>
    parts.flatMap((part) => (part.type === 'oauth2' ? [{ part, extra }] : [])),
  );
  const signInsById = new Map(signIns.map((signIn) => [`${signIn.part.id} ${signIn.extra ?? ''}`, signIn]));
  return [...signInsById.values()].flatMap(({ part, extra }) => {
    const toolsOfPart = tools.filter((tool) => tool.extra === extra);
    return [
      `## OAuth 2.0: ${markdownText(part.label)}`,
      ...(extra === undefined ? [] : [`Only for tools that need ${markdownText(extra)}.`]),
      facts(part, connector.name, toolsOfPart),
      ...scopeTable(part, toolsOfPart),
    ];
  });
}

/** `Scopes: ...` of one tool; empty if it needs none. */
export function scopesFact({ scopes }: ListedTool): string[] {
  if (scopes.length === 0) return [];
  return [`Scopes: ${scopes.map((set) => set.map(markdownCode).join(' and ')).join(', or ')}.`];
}

function facts({ oauth2 }: OAuth2Part, name: string, tools: readonly ToolModel[]): string {
  const { authorizationUrl, tokenUrl, refreshUrl, revocationUrl } = oauth2;
  const requestedScopes = selectRequestedScopes(oauth2, tools);
  const endpoint = (label: string, url: string | null) => (url === null ? [] : [`- ${label}: ${markdownCode(url)}`]);
  return [
    oauth2.flow === 'authorization_code'
      ? `Each user signs in at the upstream, which sends the browser back to ${markdownCode(`<PUBLIC_URL>/connect/${name}/callback`)}.`
      : 'The gateway gets the token for itself; no user signs in.',
    '',
    ...endpoint('Authorization', authorizationUrl),
    ...endpoint('Token', tokenUrl),
    ...endpoint('Refresh', refreshUrl),
    ...endpoint('Revocation', revocationUrl),
    `- Asks for ${requestedScopes.length === 0 ? 'no scopes' : requestedScopes.map(markdownCode).join(', ')}.`,
  ].join('\n');
}

function scopeTable({ oauth2 }: OAuth2Part, tools: readonly ToolModel[]): string[] {
  const requestedScopes = selectRequestedScopes(oauth2, tools);
  if (requestedScopes.length === 0) return [];
  const rows = requestedScopes.map((scope) => {
    const toolNames = tools.filter(({ scopes }) => scopes.flat().includes(scope)).map(({ name }) => markdownCode(name));
    const users = oauth2.scopes.includes(scope) ? ['always', ...toolNames] : toolNames;
    return [markdownCode(scope), users.join(', ')];
  });
  return [markdownTable(['Scope', 'Needed by'], rows)];
}

function selectRequestedScopes({ scopes }: OAuth2Part['oauth2'], tools: readonly ToolModel[]): readonly string[] {
  return selectScopes(
    scopes,
    tools.map((tool) => tool.scopes),
  );
}
