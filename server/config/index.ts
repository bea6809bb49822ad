/** The gateway's settings: the only reader of the environment. */

import { BaseUrlError, resolveBaseUrls } from '../base/base-urls.ts';
import type { EncryptionKey } from '../base/credentials/index.ts';
import { LOOPBACK_NETWORKS } from '../base/guarded-fetch/networks.ts';
import type { OutgoingProxy } from '../base/guarded-fetch/proxy.ts';
import type { CallerRates } from '../base/http/limits/caller-limits.ts';
import { isLoopbackOrigin } from '../base/http/loopback.ts';
import type { OperatorProvider } from '../base/principal/operator-rules.ts';
import type { CatalogueMode } from '../base/principal/permission.ts';
import type { Connector } from '../contract/index.ts';
import type { RegistrationPolicy } from '../identity/protocol/registration-policy.ts';
import { findNearMisses } from './near-misses.ts';
import { readOAuthOrigins } from './oauth-origins.ts';
import { toProvider } from './openid-provider.ts';
import { findIgnoredProxy, toOutgoingProxy } from './outgoing-proxy.ts';
import type { ConfigProblem } from './problem.ts';
import { fileVariableOf, readSecretFiles } from './secret-files.ts';
import { type TelemetrySettings, toTelemetry } from './telemetry.ts';
import { findPlainHttp, findUnreachable } from './upstream-hosts.ts';
import type { ListenAddress } from './values.ts';
import { describeVariables, NAMES, textOf, type VariableName } from './variable-table.ts';
import { type LogLevel, type Settings, VARIABLES } from './variables.ts';

export { describeVariables } from './variable-table.ts';

const DAY_MS = 86_400_000;

/** All settings, validated and complete. */
export interface Config {
  /** The gateway's origin as clients see it, without a final slash; also the issuer. */
  readonly publicUrl: string;
  /** True when `publicUrl` names this machine only. */
  readonly isLoopback: boolean;
  readonly port: number;
  /** Address to listen on. */
  readonly host: string;
  /** See `StoreOptions.url`. */
  readonly databaseUrl: string;
  /** Redis for the limits that several gateways share; null: they use the database. */
  readonly limitsRedisUrl: string | null;
  /** The key ring, current key first; null: a local run, which keeps its own key ring. */
  readonly encryptionKeys: readonly EncryptionKey[] | null;
  /** Addresses and CIDR ranges of the proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
  /** Other origins whose pages may call the MCP endpoint. */
  readonly allowedOrigins: readonly string[];
  /** URLs for reporting a vulnerability. */
  readonly securityContacts: readonly string[];
  /** Schemes of redirect URIs that clients may register in addition to https and loopback http: lower case, without the colon. */
  readonly privateUseSchemes: readonly string[];
  readonly registration: RegistrationPolicy;
  /** Limit of registered clients that no user has ever allowed anything. */
  readonly maxUnusedClients: number;
  /** Limit per address. */
  readonly registrationsPerMinute: number;
  readonly callerRates: CallerRates;
  /** The longest lifetime of a client's grant; null: each refresh extends it. */
  readonly maxGrantMs: number | null;
  /** See `createRefresh`. */
  readonly refreshHoldMs: number;
  /** See `createRefresh`. */
  readonly refreshRetryMs: number;
  /** Whether the URL of a metadata document is accepted as a client id. */
  readonly clientDocuments: boolean;
  readonly logLevel: LogLevel;
  readonly maxBodyBytes: number;
  readonly maxResultBytes: number;
  /** How lists show tools if the connection code does not say. */
  readonly catalogueMode: CatalogueMode;
  readonly listPageTools: number;
  /** Whether there are public pages about tools. */
  readonly toolPages: boolean;
  readonly resultTokens: number;
  /** File or git revision with the reviewed tools; null: every tool is served. */
  readonly requireReviewed: string | null;
  readonly upstreamTimeoutMs: number;
  /** Limit per upstream and base URL, on this gateway. */
  readonly upstreamConcurrency: number;
  /** Addresses and CIDR ranges that requests may be sent to, in addition to public addresses. */
  readonly outgoingNetworks: readonly string[];
  /** The proxy for outgoing requests; null: they are sent directly. */
  readonly outgoingProxy: OutgoingProxy | null;
  /** Limit per user. */
  readonly toolCallsPerMinute: number;
  readonly callRecordRetentionDays: number;
  /** Whether the gateway counts calls of tools. */
  readonly countUsage: boolean;
  readonly anonymousEventRetentionDays: number;
  readonly stopTimeoutMs: number;
  /** Address of the dashboard's own listener; null: it has none. */
  readonly adminListen: ListenAddress | null;
  /** The origin of the dashboard as browsers see it, without a final slash. */
  readonly adminUrl: string;
  /** The secret of the dashboard's operator `admin`; null: there is no such operator. */
  readonly adminSecret: string | null;
  /** The OpenID provider for operators; null: there is none. */
  readonly adminOpenId: OperatorProvider | null;
  /** How long an operator's session lasts without a request. */
  readonly adminIdleSeconds: number;
  /** Longest duration of an operator's session. */
  readonly adminSessionSeconds: number;
  /** Metrics and traces; null: there are none. */
  readonly telemetry: TelemetrySettings | null;
  /** By connector name: base URLs by server template. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** By connector name: the origin that replaces that of the upstream's authorization server. */
  readonly oauthOrigins: ReadonlyMap<string, string>;
  /** Sentences for the log about settings that work but look like mistakes. */
  readonly warnings: readonly string[];
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

const SECRETS = NAMES.filter((name) => textOf(name).secret === true);

/** Where settings are read from. */
interface ConfigSource {
  /** Default: the process's environment. */
  readonly env?: Environment;
  /** Command-line values by name of the variable; they take precedence over the environment. */
  readonly flags?: Environment;
  /** Connectors whose base URLs the environment can replace. */
  readonly connectors: readonly Connector[];
}

/**
 * Reads the settings. An empty variable counts as not set. A secret may come from a file; see `readSecretFiles`.
 *
 * @throws {ConfigError} with every problem.
 */
export function loadConfig(source: ConfigSource): Config {
  const problems: ConfigProblem[] = [];
  const env = readSecretFiles(
    withoutEmpty({ ...(source.env ?? process.env), ...source.flags }),
    SECRETS,
    (variable, problem) => problems.push({ variable, problem, example: '/run/secrets/gateway' }),
  );
  const settings = parseEach(env, problems);
  const baseUrls = resolveEach(source.connectors, env, problems);
  const oauthOrigins = readOAuthOrigins(source.connectors, env, (problem) => problems.push(problem));
  const urls = [...baseUrls, ...[...oauthOrigins].map(([name, url]) => [name, new Map([['', url]])] as const)];
  problems.push(...findPlainHttp(urls, settings.PLAIN_HTTP_UPSTREAMS ?? []));
  const publicUrl = settings.PUBLIC_URL ?? `http://127.0.0.1:${settings.PORT}`;
  const isLoopback = settings.PUBLIC_URL === undefined || isLoopbackOrigin(settings.PUBLIC_URL);
  const outgoingNetworks = settings.OUTGOING_NETWORKS ?? (isLoopback ? LOOPBACK_NETWORKS : []);
  problems.push(...findUnreachable(urls, outgoingNetworks));
  const hasKeys = env.ENCRYPTION_KEYS !== undefined || env[fileVariableOf('ENCRYPTION_KEYS')] !== undefined;
  if (!isLoopback && !hasKeys) {
    problems.push(problemOf('ENCRYPTION_KEYS', 'must be set, because PUBLIC_URL is not this machine'));
  }
  if (publicUrl.startsWith('https:') && settings.TRUST_PROXY === undefined) {
    problems.push(problemOf('TRUST_PROXY', 'must be set, because PUBLIC_URL is https: the proxies in front, or none'));
  }
  const { ADMIN_LISTEN: adminListen = null } = settings;
  const listensHere = adminListen !== null && isLoopbackOrigin(originAt(adminListen));
  if (adminListen !== null && !listensHere && settings.ADMIN_URL === undefined) {
    problems.push(problemOf('ADMIN_URL', 'must be set, because other machines can reach ADMIN_LISTEN'));
  }
  if (adminListen === null && settings.ADMIN_URL !== undefined) {
    problems.push(problemOf('ADMIN_LISTEN', 'must be set, because ADMIN_URL is the origin of its listener'));
  }
  const onProblem = (variable: VariableName, problem: string) => problems.push(problemOf(variable, problem));
  const adminOpenId = problems.some(({ variable }) => variable.startsWith('ADMIN_OPENID_'))
    ? null
    : toProvider(settings, onProblem);
  const outgoingProxy = toOutgoingProxy(settings, onProblem);
  const telemetry = toTelemetry(settings, source.connectors, onProblem);
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    publicUrl,
    isLoopback,
    port: settings.PORT,
    host: settings.HOST ?? (isLoopback ? '127.0.0.1' : '0.0.0.0'),
    databaseUrl: settings.DATABASE_URL,
    limitsRedisUrl: settings.LIMITS_REDIS_URL ?? null,
    encryptionKeys: settings.ENCRYPTION_KEYS ?? null,
    trustedProxies: settings.TRUST_PROXY ?? [],
    allowedOrigins: settings.ALLOWED_ORIGINS,
    securityContacts: settings.SECURITY_CONTACT,
    privateUseSchemes: settings.PRIVATE_USE_REDIRECT_SCHEMES,
    registration: settings.CLIENT_REGISTRATION,
    maxUnusedClients: settings.MAX_UNUSED_CLIENTS,
    registrationsPerMinute: settings.REGISTRATIONS_PER_MINUTE,
    callerRates: {
      refusedPerMinute: settings.REFUSED_REQUESTS_PER_MINUTE,
      partnerPerMinute: settings.PARTNER_REQUESTS_PER_MINUTE,
    },
    maxGrantMs: settings.MAX_GRANT_DAYS === 0 ? null : settings.MAX_GRANT_DAYS * DAY_MS,
    refreshHoldMs: settings.REFRESH_HOLD_MS,
    refreshRetryMs: settings.REFRESH_RETRY_SECONDS * 1000,
    clientDocuments:
      (settings.CLIENT_ID_METADATA_DOCUMENTS ?? (publicUrl.startsWith('https:') ? 'on' : 'off')) === 'on',
    logLevel: settings.LOG_LEVEL,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxResultBytes: settings.MAX_RESULT_BYTES,
    catalogueMode: settings.CATALOGUE_MODE,
    listPageTools: settings.LIST_PAGE_TOOLS,
    toolPages: settings.TOOL_PAGES === 'on',
    resultTokens: settings.RESULT_TOKENS,
    countUsage: settings.COUNT_USAGE === 'on',
    requireReviewed: settings.REQUIRE_REVIEWED ?? null,
    upstreamTimeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    upstreamConcurrency: settings.UPSTREAM_CONCURRENCY,
    outgoingNetworks,
    outgoingProxy,
    toolCallsPerMinute: settings.TOOL_CALLS_PER_MINUTE,
    callRecordRetentionDays: settings.CALL_RECORD_RETENTION_DAYS,
    anonymousEventRetentionDays: settings.ANONYMOUS_EVENT_RETENTION_DAYS,
    stopTimeoutMs: settings.STOP_TIMEOUT_MS,
    adminListen,
    adminUrl: settings.ADMIN_URL ?? (adminListen === null ? publicUrl : originAt(adminListen)),
    adminSecret: settings.ADMIN_SECRET ?? null,
    adminOpenId,
    adminIdleSeconds: settings.ADMIN_IDLE_MINUTES * 60,
    adminSessionSeconds: settings.ADMIN_SESSION_HOURS * 3600,
    telemetry,
    baseUrls,
    oauthOrigins,
    warnings: [
      ...findNearMisses(Object.keys(env), [
        ...describeVariables(source.connectors).map(({ name }) => name),
        ...SECRETS.map(fileVariableOf),
      ]),
      ...(outgoingProxy === null ? findIgnoredProxy(env) : []),
    ],
  };
}

function originAt({ host, port }: ListenAddress): string {
  return new URL(`http://${host.includes(':') ? `[${host}]` : host}:${port}`).origin;
}

function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

function problemOf(variable: VariableName, problem: string): ConfigProblem {
  return { variable, problem, example: textOf(variable).example };
}

/** Parses each variable on its own, so that one that is wrong does not hide another. */
function parseEach(env: Environment, problems: ConfigProblem[]): Settings {
  const settings: Record<string, unknown> = {};
  for (const name of NAMES) {
    const parsed = VARIABLES.shape[name].safeParse(env[name]);
    if (parsed.success) settings[name] = parsed.data;
    else problems.push(problemOf(name, parsed.error.issues.map((issue) => issue.message).join('; ')));
  }
  return settings as Settings;
}

function resolveEach(connectors: readonly Connector[], env: Environment, problems: ConfigProblem[]) {
  const resolved = new Map<string, ReadonlyMap<string, string>>();
  for (const { name, servers } of connectors) {
    const all = servers.flatMap((server) => server.variables);
    const urls = new Map<string, string>();
    for (const { url, variables } of servers) {
      try {
        for (const [key, value] of resolveBaseUrls([{ url, variables: [...variables, ...all] }], env))
          urls.set(key, value);
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
