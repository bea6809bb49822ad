/** The gateway's settings: the only reader of the environment. */

import { distance } from 'fastest-levenshtein';
import { BaseUrlError, resolveBaseUrls } from '../base/base-urls.ts';
import { addressOf, LOOPBACK_NETWORKS, mayReach } from '../base/guarded-fetch/networks.ts';
import type { OutgoingProxy } from '../base/guarded-fetch/proxy.ts';
import { isLoopbackHostname, isLoopbackOrigin } from '../base/http/loopback.ts';
import { isMcpServer } from '../base/mcp-servers.ts';
import { findCallRuleProblems } from '../call/tools/catalogue/call-rules.ts';
import { findWithholdProblems } from '../call/tools/catalogue/withheld.ts';
import type { Connector } from '../contract/index.ts';
import { CORE_SETTINGS } from './core-settings.ts';
import { describeVariables, listSettings } from './describe.ts';
import { namesKeys, readKeysCommand } from './keys-command.ts';
import { readOAuthOrigins } from './oauth-origins.ts';
import { findRemoved } from './removed-settings.ts';
import { fileVariableOf, readSecretFiles } from './secret-files.ts';
import type { ConfigProblem, ConfigureContext, Setting, Settings, SettingsOwner, ValuesOf } from './setting.ts';

type CoreValues = ValuesOf<typeof CORE_SETTINGS>;

/** Settings that `Config` does not hold as they are read. */
type ResolvedSetting =
  | 'clientDocuments'
  | 'directHosts'
  | 'encryptionKeysCommand'
  | 'host'
  | 'outgoingNetworks'
  | 'outgoingProxyUrl'
  | 'plainHttpUpstreams'
  | 'publicUrl'
  | 'trustedProxies';

/** All settings, validated and complete: those of `CORE_SETTINGS`, where a default that depends on others is resolved, and more. */
export interface Config extends Omit<CoreValues, ResolvedSetting>, ConfiguredModules {
  /** The gateway's origin as clients see it, without a final slash; also the issuer. */
  readonly publicUrl: string;
  /** True when `publicUrl` names this machine only. */
  readonly isLoopback: boolean;
  /** The file that `databaseUrl` was read from (`DATABASE_URL_FILE`), or null. */
  readonly databaseUrlFile: string | null;
  /** Address to listen on. */
  readonly host: string;
  /** Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** True if the URL of a metadata document is accepted as a client id. */
  readonly clientDocuments: boolean;
  /** Addresses and CIDR ranges that requests may be sent to, in addition to public addresses. */
  readonly outgoingNetworks: readonly string[];
  /** The proxy for outgoing requests, or null if they are sent directly. */
  readonly outgoingProxy: OutgoingProxy | null;
  /** By connector name: base URLs by server template. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By connector name: the origin that replaces that of the upstream's authorization server. */
  readonly oauthOrigins: ReadonlyMap<string, string>;
  /** Sentences for the log about settings that work but look like mistakes. */
  readonly warnings: readonly string[];
}

/** The modules of a gateway. */
export interface ConfiguredModules {
  /** Each with its settings, in the order in which they are opened. */
  readonly modules: readonly ConfiguredModule[];
}

/** A module with its settings. */
interface ConfiguredModule {
  readonly module: SettingsOwner;
  /** The result of `configure`, or the values as read. */
  readonly settings: unknown;
}

/** Reports all invalid settings at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ variable, problem, example }) => `  ${variable} ${problem}\n    for example: ${variable}=${example}`,
    );
    super(`The gateway cannot start with these settings:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The variables of this process. */
export function processEnvironment(): Environment {
  return process.env;
}

/** Sets variables for libraries that read the environment of this process themselves, as the exporters of OpenTelemetry do. */
export function passToLibraries(flags: Environment): void {
  Object.assign(process.env, flags);
}

/** The sources of settings. */
export interface ConfigSource {
  /** Default: the process's environment. */
  readonly env?: Environment;
  /** Command-line values by name of the variable; they take precedence over the environment. */
  readonly flags?: Environment;
  /** Connectors whose base URLs the environment can replace. */
  readonly connectors: readonly Connector[];
  readonly modules: readonly SettingsOwner[];
}

/**
 * Reads the settings. An empty variable counts as not set. A secret may come from a file; see `readSecretFiles`.
 *
 * @throws {ConfigError} with every problem.
 */
export function loadConfig({ connectors, modules, ...source }: ConfigSource): Config {
  const rows = listSettings(modules);
  const secrets = rows.filter(({ secret }) => secret === true).map(({ variable }) => variable);
  const problems: ConfigProblem[] = [];
  const exampleOf = new Map(rows.map(({ variable, example }) => [variable, example]));
  const onProblem = (variable: string, problem: string) =>
    void problems.push({ variable, problem, example: exampleOf.get(variable) ?? '' });
  const environment = source.env ?? processEnvironment();
  const withFiles = readSecretFiles(withoutEmpty({ ...environment, ...source.flags }), secrets, (variable, problem) =>
    problems.push({ variable, problem, example: '/run/secrets/gateway' }),
  );
  const env = readKeysCommand(withFiles, onProblem, environment);
  const { outgoingProxyUrl, directHosts, plainHttpUpstreams, encryptionKeysCommand, ...values } = readValues(
    CORE_SETTINGS,
    env,
    onProblem,
  );
  for (const problem of findWithholdProblems(values.withhold, connectors)) onProblem('WITHHOLD', problem);
  for (const problem of findCallRuleProblems(values.callLimits, connectors)) onProblem('CALL_LIMITS', problem);
  const upstreams = resolveUpstreams(connectors, env, problems);
  const sandbox = values.testSandboxUrl;
  const shared = upstreams.urls.find(([, urls]) => [...urls.values()].some((url) => new URL(url).origin === sandbox));
  if (shared !== undefined) {
    onProblem(
      'TEST_SANDBOX_URL',
      `must be no address of live services, and ${shared[0]} is there: start a second sandbox`,
    );
  }
  const urls =
    sandbox === null ? upstreams.urls : [...upstreams.urls, ['test mode', new Map([['', sandbox]])] as const];
  const core = resolveCore({ ...values, outgoingProxyUrl, directHosts }, env, onProblem);
  problems.push(...findPlainHttp(urls, plainHttpUpstreams));
  problems.push(...findUnreachable(urls, core.outgoingNetworks));
  const isInvalid = (variable: string) => problems.some((each) => each.variable === variable);
  const context = { publicUrl: core.publicUrl, connectors, isInvalid, onProblem };
  const configured = modules.map((module) => ({ module, settings: configure(module, env, context) }));
  if (problems.length > 0) throw new ConfigError(problems);
  const readVariables = [
    ...describeVariables(connectors, modules).map(({ name }) => name),
    ...secrets.map(fileVariableOf),
  ];
  const ignoredProxies = core.outgoingProxy === null ? findIgnoredProxy(env) : [];
  return {
    ...values,
    ...core,
    databaseUrlFile: env[fileVariableOf('DATABASE_URL')] ?? null,
    baseUrls: upstreams.baseUrls,
    oauthOrigins: upstreams.oauthOrigins,
    modules: configured,
    warnings: [...findNearMisses(Object.keys(env), readVariables), ...findRemoved(Object.keys(env)), ...ignoredProxies],
  };
}

/** The settings whose defaults depend on others. */
function resolveCore(
  values: Omit<CoreValues, 'encryptionKeysCommand' | 'plainHttpUpstreams'>,
  env: Environment,
  onProblem: ConfigureContext['onProblem'],
) {
  const publicUrl = values.publicUrl ?? `http://127.0.0.1:${values.port}`;
  const isLoopback = values.publicUrl === null || isLoopbackOrigin(values.publicUrl);
  if (!isLoopback && !namesKeys(env)) {
    onProblem('ENCRYPTION_KEYS', 'must be set, because PUBLIC_URL is not this machine');
  }
  if (publicUrl.startsWith('https:') && values.trustedProxies === null) {
    onProblem('TRUST_PROXY', 'must be set, because PUBLIC_URL is https: the proxies in front, or none');
  }
  if (values.workers > values.upstreamConcurrency) {
    onProblem('WORKERS', 'must not exceed UPSTREAM_CONCURRENCY, which the workers divide among themselves');
  }
  const { outgoingProxyUrl: url, directHosts } = values;
  if (url === null && directHosts.length > 0) {
    onProblem('OUTGOING_PROXY', 'must be set, because OUTGOING_NO_PROXY is');
  }
  return {
    publicUrl,
    isLoopback,
    host: values.host ?? (isLoopback ? addressOf(new URL(publicUrl).hostname) : '0.0.0.0'),
    trustedProxies: values.trustedProxies ?? [],
    clientDocuments: values.clientDocuments ?? publicUrl.startsWith('https:'),
    outgoingNetworks: values.outgoingNetworks ?? (isLoopback ? LOOPBACK_NETWORKS : []),
    outgoingProxy: url === null ? null : { url, directHosts },
  };
}

/** The base URLs and authorization servers of the upstreams. */
function resolveUpstreams(connectors: readonly Connector[], env: Environment, problems: ConfigProblem[]) {
  const baseUrls = resolveEach(connectors, env, problems);
  const oauthOrigins = readOAuthOrigins(connectors, env, (problem) => problems.push(problem));
  const urls = [...baseUrls, ...[...oauthOrigins].map(([name, url]) => [name, new Map([['', url]])] as const)];
  return { baseUrls, oauthOrigins, urls };
}

function configure({ settings = {}, configure: resolve }: SettingsOwner, env: Environment, context: ConfigureContext) {
  const values = readValues(settings, env, context.onProblem);
  return resolve === undefined ? values : resolve(values as never, context);
}

/** Reads each variable separately, so that a wrong one does not hide another. */
function readValues<Rows extends Settings>(
  rows: Rows,
  env: Environment,
  onProblem: ConfigureContext['onProblem'],
): ValuesOf<Rows> {
  const values = Object.entries<Setting>(rows).map(([name, { variable, read, default: value }]) => {
    const text = env[variable];
    if (text === undefined) return [name, value];
    const parsed = read.safeParse(text);
    if (!parsed.success) onProblem(variable, parsed.error.issues.map((issue) => issue.message).join('; '));
    return [name, parsed.success ? parsed.data : value];
  });
  return Object.fromEntries(values) as ValuesOf<Rows>;
}

function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

/** @returns a sentence if the environment names a proxy for other programs. */
function findIgnoredProxy(env: Environment): string[] {
  const name = Object.keys(env).find((each) => /^(?:https?|all)_proxy$/i.test(each));
  return name === undefined
    ? []
    : [`${name} is set, but requests leave directly: the gateway reads only OUTGOING_PROXY.`];
}

function resolveEach(connectors: readonly Connector[], env: Environment, problems: ConfigProblem[]) {
  const resolved = new Map<string, ReadonlyMap<string, string>>();
  for (const connector of connectors) {
    const { name, servers } = connector;
    const keepsSlash = isMcpServer(connector);
    const all = servers.flatMap((server) => server.variables);
    const urls = new Map<string, string>();
    for (const { url, variables } of servers) {
      try {
        const server = { url, variables: [...variables, ...all] };
        for (const [key, value] of resolveBaseUrls([server], env, { keepsSlash })) urls.set(key, value);
      } catch (error) {
        if (!(error instanceof BaseUrlError)) throw error;
        problems.push({
          variable: error.env ?? `the descriptor of ${name}`,
          problem: 'must be an absolute http or https URL without user, query and fragment',
          example: variables[0]?.default ?? 'https://api.example.com',
        });
      }
    }
    resolved.set(name, urls);
  }
  return resolved;
}

/** Shorter names are too similar to variables of other programs, such as HOME and HOST. */
const MIN_LENGTH = 8;

/** Returns a sentence for each variable that is set under nearly the same name as one that the gateway reads. */
function findNearMisses(setVariables: readonly string[], readVariables: readonly string[]): string[] {
  const knownNames = new Set(readVariables);
  return setVariables
    .filter((name) => !knownNames.has(name) && name.length >= MIN_LENGTH)
    .flatMap((name) => {
      const suggestion = readVariables.find((candidate) => isNearMiss(name, candidate));
      return suggestion === undefined
        ? []
        : [`${name} is set, but the gateway does not read it. Did you mean ${suggestion}?`];
    });
}

function isNearMiss(name: string, candidate: string): boolean {
  const [actual = '', expected = ''] = [name, candidate].map((text) => text.toUpperCase().replaceAll(/[_-]/g, ''));
  return (
    expected.length >= MIN_LENGTH - 1 &&
    Math.abs(actual.length - expected.length) <= 2 &&
    distance(actual, expected) <= 2
  );
}

type BaseUrls = Iterable<readonly [name: string, ReadonlyMap<string, string>]>;

/** Finds base URLs to which credentials would be sent unencrypted. @param allowed hosts that permit it, in addition to this machine. */
function findPlainHttp(baseUrls: BaseUrls, allowed: readonly string[]): ConfigProblem[] {
  const urls = [...baseUrls].flatMap(([name, byServer]) =>
    [...byServer.values()].map((url) => ({ name, url: new URL(url) })),
  );
  return urls
    .filter(
      ({ url }) => url.protocol === 'http:' && !isLoopbackHostname(url.hostname) && !allowed.includes(url.hostname),
    )
    .map(({ name, url }) => ({
      variable: 'PLAIN_HTTP_UPSTREAMS',
      problem: `does not name ${url.hostname}, but the base URL of ${name} begins with http://: use https://, or accept that its credentials travel unencrypted`,
      example: [...allowed, url.hostname].join(','),
    }));
}

/** Finds base URLs to which requests would be refused. Other names are resolved when they are called. */
function findUnreachable(baseUrls: BaseUrls, networks: readonly string[]): ConfigProblem[] {
  return [...baseUrls].flatMap(([name, byServer]) => {
    const hosts = [...new Set([...byServer.values()].map((url) => new URL(url).hostname))];
    return hosts.flatMap((host) => {
      if (mayReach(host, networks)) return [];
      return {
        variable: 'OUTGOING_NETWORKS',
        problem: `does not include ${host}, but the base URL of ${name} is there: the gateway sends requests to public addresses and to these networks alone`,
        example: [...networks, addressOf(host)].join(','),
      };
    });
  });
}
