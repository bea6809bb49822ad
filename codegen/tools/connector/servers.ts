/** Base URLs of a service: the variables of its server URLs, and the environment variables that replace them. */

import { fillServerUrl, fillVariables, variablePosition } from '../../../shared/server-urls.ts';
import { entryOf } from '../../json-pointer.ts';
import type { ConnectorConfig } from '../../load/connector-config.ts';
import type { ServerModel, ServiceModel } from '../../model/types.ts';
import { type Reporter, suggest } from '../problems.ts';
import type { ConnectorModel, TypedPart } from '../types.ts';

type Servers = ConnectorModel['servers'];
type Variable = Servers[number]['variables'][number];

/** Servers that tools use (the first one if none is used), with every variable's environment name and default. */
export function buildServers(
  model: ServiceModel,
  config: ConnectorConfig,
  usedUrls: ReadonlySet<string>,
  report: Reporter,
): Servers {
  const declared = new Map(
    model.servers.flatMap(({ variables }) => variables.map((variable) => [variable.name, variable])),
  );
  checkNames(config, [...declared.keys()], report);
  checkConnectionVariables(model, config, report);
  const usedServers = model.servers.filter(
    ({ url }, index) => usedUrls.has(url) || (index === 0 && usedUrls.size === 0),
  );
  const servers = usedServers.map((server) => withSettings(server, model, config));
  checkEnvironment(servers, report);
  for (const [index, server] of servers.entries()) {
    const problem = problemOf(server);
    if (problem !== null)
      report.descriptor('server-url-invalid', usedServers[index]?.pointer ?? '/servers', `${problem}.`, fixOf(server));
  }
  return servers;
}

/** Servers of paths or operations to which no call can be sent. The descriptor's own server belongs to the service. */
export function findUnusableServers(model: ServiceModel, config: ConnectorConfig): Servers {
  return model.servers
    .slice(1)
    .map((server) => withSettings(server, model, config))
    .filter((server) => problemOf(server) !== null);
}

/** Why the operations of an unusable server get no tool; null for a usable server. */
export type ServerCheck = (url: string) => { readonly reason: string; readonly fix: string } | null;

export function createServerCheck(unusable: Servers): ServerCheck {
  return (url) => {
    const server = unusable.find((candidate) => candidate.url === url);
    return server === undefined ? null : { reason: `has no server: ${problemOf(server)}`, fix: fixOf(server) };
  };
}

function withSettings(server: ServerModel, model: ServiceModel, config: ConnectorConfig): Servers[number] {
  return {
    url: server.url,
    variables: server.variables.map(({ name, default: value }): Variable => {
      const setting = entryOf(config.serverVariables, name);
      return {
        name,
        env: setting?.env ?? toEnvironmentName(model.name, name),
        default: setting?.default ?? value,
        derive: setting?.derive ?? null,
        ...(setting?.ask === undefined ? {} : { asked: true as const }),
      };
    }),
  };
}

/** The absolute base URL of the descriptor's own server, with every variable at its default; null if there is none. */
export function baseUrlOf(model: ServiceModel, config: ConnectorConfig): string | null {
  const [server] = model.servers;
  if (server === undefined) return null;
  const url = withDefaults(withSettings(server, model, config));
  return URL.canParse(url) ? url.replace(/\/+$/, '') : null;
}

/**
 * True for the URL of a server that is on the host of the descriptor's own server, with every variable at its default. A variable of the
 * host that each connection fills is on that host only if the descriptor's own server has it too.
 */
export function isOnServiceHost(url: string, model: ServiceModel, config: ConnectorConfig): boolean {
  const [first] = model.servers;
  const server = model.servers.find((candidate) => candidate.url === url);
  if (first === undefined || server === undefined || server === first) return true;
  return authorityOf(server, model, config) === authorityOf(first, model, config);
}

/** Host and port, where variables that each connection fills stay as they are; empty for a relative URL. */
function authorityOf(server: ServerModel, model: ServiceModel, config: ConnectorConfig): string {
  const url = withDefaults(withSettings(server, model, config));
  if (URL.canParse(url) && !url.includes('{')) return new URL(url).host;
  return (/^[a-z][a-z0-9+.-]*:\/\/([^/?#]*)/i.exec(url)?.[1] ?? '').toLowerCase();
}

/** `RETRIEVAL_BASE_URL` for `retrieval_base_url`, and for `base_url` of the service `retrieval`. */
function toEnvironmentName(service: string, variable: string): string {
  const upper = (text: string) =>
    text
      .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
      .replace(/[^A-Za-z0-9]+/g, '_')
      .toUpperCase();
  const prefix = `${upper(service)}_`;
  const name = upper(variable);
  const full = name.startsWith(prefix) ? name : `${prefix}${name}`;
  return /^[A-Z]/.test(full) ? full : `API_${full}`;
}

function checkNames(config: ConnectorConfig, names: readonly string[], report: Reporter): void {
  for (const [name, { derive }] of Object.entries(config.serverVariables)) {
    const path = ['serverVariables', name];
    if (!names.includes(name)) {
      const fix = suggest(name, names, 'The descriptor has no server variables.');
      report.config('config-server-variable', path, `No server of the descriptor has the variable ${name}.`, fix);
    }
    if (derive === undefined) continue;
    const otherNames = names.filter((other) => other !== name);
    if (!otherNames.includes(derive.from)) {
      const fix = suggest(derive.from, otherNames, 'The descriptor has no other server variable.');
      report.config(
        'config-server-variable',
        [...path, 'derive', 'from'],
        `${name} cannot be derived from ${derive.from}.`,
        fix,
      );
    } else if (entryOf(config.serverVariables, derive.from)?.derive !== undefined) {
      report.config(
        'config-server-variable',
        [...path, 'derive', 'from'],
        `${name} is derived from ${derive.from}, which is derived itself.`,
        `Derive both from one variable.`,
      );
    }
  }
}

function checkEnvironment(servers: Servers, report: Reporter): void {
  const owners = new Map<string, string>();
  for (const { name, env } of servers.flatMap(({ variables }) => variables)) {
    const owner = owners.get(env) ?? name;
    owners.set(env, owner);
    if (owner === name) continue;
    report.config(
      'config-server-variable',
      ['serverVariables'],
      `The variables ${owner} and ${name} are both set by ${env}.`,
      `Give one of them another \`env\`.`,
    );
  }
}

/** The URL with every variable at its default; those that each connection fills stay. */
function withDefaults({ url, variables }: Servers[number]): string {
  return fillVariables(url, defaultsOf(variables));
}

function defaultsOf(variables: Servers[number]['variables']): (name: string) => string | undefined {
  const values = new Map(
    variables.map((variable) => [variable.name, variable.asked === true ? undefined : variable.default]),
  );
  return (name) => values.get(name);
}

/** Returns the fault of the URL that its defaults give, as a clause, or null for an absolute http or https URL. */
function problemOf(server: Servers[number]): string | null {
  const { url, variables } = server;
  const expanded = withDefaults(server);
  const placeholders = variables.filter((variable) => variable.asked === true).map(({ name }) => `{${name}}`);
  const withoutPlaceholders = placeholders.reduce((text, name) => text.replaceAll(name, ''), expanded);
  if (fillServerUrl(url, defaultsOf(variables)) !== null && !/[{}]/.test(withoutPlaceholders)) return null;
  return `${url} is ${expanded === '' ? 'empty' : expanded} by default`;
}

function fixOf({ url, variables }: Servers[number]): string {
  const { name = 'base_url' } = variables.find((variable) => lacksUsableDefault(url, variable)) ?? variables[0] ?? {};
  const write = (text: string) => `\`serverVariables: {${name}: {${text}}}\``;
  switch (variablePosition(url, name)) {
    case 'host':
      return `Write ${write('default: <host of all users>')} into connector.yaml, without a scheme, or ${write('ask: {label: ..., pattern: ...}')} where each user has another host.`;
    case 'label':
    case 'path':
      return `Write ${write('default: ...')} into connector.yaml, or ${write('ask: {label: ...}')} where each user has another value.`;
    default:
      return `Write ${write('default: https://...')} into connector.yaml.`;
  }
}

/** Returns true if a variable has no default that could be a value. */
function lacksUsableDefault(url: string, { name, default: value }: Variable): boolean {
  return value === '' || /[{}<>\s]/.test(value) || (variablePosition(url, name) !== 'url' && value.includes('://'));
}

/** The patterns of values for which connector.yaml has none. */
const PATTERNS = { label: '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?', path: '[A-Za-z0-9_][A-Za-z0-9_.~-]{0,127}' };

/** Parts of the credential for variables that each connection fills. */
export function connectionVariableParts(model: ServiceModel, config: ConnectorConfig): readonly TypedPart[] {
  return Object.entries(config.serverVariables).flatMap(([name, { ask }]): readonly TypedPart[] => {
    const urlComponents = new Set(
      model.servers.flatMap(({ url }) => (url.includes(`{${name}}`) ? [variablePosition(url, name)] : [])),
    );
    const pattern =
      ask?.pattern ??
      (urlComponents.has('label') ? PATTERNS.label : urlComponents.has('path') ? PATTERNS.path : undefined);
    if (ask === undefined || pattern === undefined) return [];
    return [{ id: name, type: 'server', label: ask.label, name, isPublic: true, pattern }];
  });
}

/** A variable that each connection fills is a host, a part of one, or in a path. */
function checkConnectionVariables(model: ServiceModel, config: ConnectorConfig, report: Reporter): void {
  for (const [name, { ask }] of Object.entries(config.serverVariables)) {
    if (ask === undefined) continue;
    const path = ['serverVariables', name, 'ask'];
    for (const { url } of model.servers.filter((server) => server.url.includes(`{${name}}`))) {
      const urlComponent = variablePosition(url, name);
      if (urlComponent === null || urlComponent === 'url') {
        report.config(
          'config-server-variable',
          path,
          `${url} would be any address that a user gives.`,
          'Write the fixed part of the URL with an overlay.',
        );
      } else if (urlComponent === 'host' && ask.pattern === undefined) {
        const fix = 'Write a `pattern` that allows hosts of the service alone, such as [a-z0-9-]+\\.example\\.com.';
        report.config('config-server-variable', path, `${name} is the whole host of ${url}.`, fix);
      }
    }
  }
}
