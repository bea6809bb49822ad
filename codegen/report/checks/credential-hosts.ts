/** The hosts that get the credential of a connection, and the secrets that each tool is sent with. */

import type { ServerTemplate } from '../../../server/contract/index.ts';
import { fillVariables } from '../../../shared/server-urls.ts';
import { isRecord, isSame } from '../../json.ts';
import type { MatchedTools } from '../match-tools.ts';
import type { Finding, ServiceSurface, ToolSurface } from '../types.ts';
import { partsOf } from './credential.ts';

/** The host and port of a server with every variable at its default; a variable without one stays. With the scheme where it is not https. */
export function hostOf(template: string, service: ServiceSurface): string {
  const defaults = new Map(
    serversOf(service).flatMap(({ variables }) => variables.map((variable) => [variable.name, variable.default])),
  );
  const url = fillVariables(template, (name) => defaults.get(name));
  if (!URL.canParse(url)) return url;
  const { protocol, host } = new URL(url);
  return protocol === 'https:' ? host : `${protocol}//${host}`;
}

/** True for a tool whose requests carry a secret of the connection. */
function carriesCredential(tool: ToolSurface, service: ServiceSurface): boolean {
  return tool.operation !== null && sentSecretIds(tool, service).length > 0;
}

/** True if a tool with a credential calls a server whose URL has the variable. */
export function isCredentialSentTo(variable: string, service: ServiceSurface): boolean {
  return service.tools.some((tool) => {
    return tool.operation?.server.includes(`{${variable}}`) === true && carriesCredential(tool, service);
  });
}

/** Returns the finding for a tool that carries a credential and goes to another host. Empty for a tool that stays on its host. */
export function checkCredentialHost(
  before: { readonly tool: ToolSurface; readonly service: ServiceSurface },
  after: { readonly tool: ToolSurface; readonly service: ServiceSurface },
): Finding[] {
  const [old, now] = [before.tool.operation?.server, after.tool.operation?.server];
  if (old === undefined || now === undefined || old === now || !carriesCredential(after.tool, after.service)) return [];
  const [oldHost, newHost] = [hostOf(old, before.service), hostOf(now, after.service)];
  if (oldHost === newHost) return [];
  const place = 'operation.server';
  return [
    { rule: 'credential-host-changed', place, before: oldHost, after: newHost, pointer: ['operation', 'server'] },
  ];
}

/** Hosts that got no credential before, and get it with tools that are new or carried none. */
export function checkAddedHosts(before: ServiceSurface, after: ServiceSurface, matched: MatchedTools): Finding[] {
  const hostsOf = (tools: readonly ToolSurface[], service: ServiceSurface) =>
    tools.flatMap((tool) => {
      const server = tool.operation?.server;
      return server !== undefined && carriesCredential(tool, service) ? [hostOf(server, service)] : [];
    });
  const hostsBefore = new Set(hostsOf(before.tools, before));
  if (hostsBefore.size === 0) return [];
  const carriedNone = matched.pairs.filter((pair) => !carriesCredential(pair.before, before));
  const tools = [...matched.added, ...carriedNone.map((pair) => pair.after)];
  return [...new Set(hostsOf(tools, after))]
    .filter((host) => !hostsBefore.has(host))
    .map((host) => ({
      rule: 'credential-host-added',
      place: `credential.hosts.${host}`,
      after: host,
      pointer: ['servers'],
    }));
}

/** Compares the secrets that a tool is sent with. For a tool that needs an extra, or no longer does, there is another finding. */
export function checkSentSecrets(
  before: { readonly tool: ToolSurface; readonly service: ServiceSurface },
  after: { readonly tool: ToolSurface; readonly service: ServiceSurface },
): Finding[] {
  const [old, now] = [before.tool.members, after.tool.members];
  if (isSame(old.credential, now.credential) || !isSame(old.extra, now.extra)) return [];
  const [oldIds, newIds] = [sentSecretIds(before.tool, before.service), sentSecretIds(after.tool, after.service)];
  if (isSame(oldIds, newIds)) return [];
  const rule = newIds.every((id) => oldIds.includes(id)) ? 'credential-narrowed' : 'credential-widened';
  return [{ rule, place: 'credential', before: oldIds, after: newIds, pointer: ['credential'] }];
}

/** Ids of the secrets that any request of a tool carries, sorted. */
function sentSecretIds({ members }: ToolSurface, service: ServiceSurface): readonly string[] {
  const { credential, extra } = members;
  if (Array.isArray(credential)) return [...new Set(credential.flat().map(String))].sort();
  const requirement = isRecord(service.members.credential) ? service.members.credential : {};
  const extras = Array.isArray(requirement.extras) ? requirement.extras.filter(isRecord) : [];
  const neededCredential = {
    ...requirement,
    parts: requirement.parts ?? [],
    extras: extras.filter(({ label }) => label === extra),
  };
  const secrets = partsOf({ members: { credential: neededCredential } }).filter(({ isPublic }) => isPublic !== true);
  return [...new Set(secrets.map(({ id }) => id))].sort();
}

function serversOf({ members: { servers } }: ServiceSurface): readonly ServerTemplate[] {
  return Array.isArray(servers) ? servers : [];
}
