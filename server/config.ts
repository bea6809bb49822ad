/** The gateway's settings: the only reader of the environment. */

import { z } from 'zod';
import { findNearMisses } from './config-near-misses.ts';
import {
  parseAdminSecret,
  parseDatabaseUrl,
  parsedBy,
  parseHost,
  parseOrigins,
  parsePrivateUseSchemes,
  parsePublicUrl,
  wholeNumber,
} from './config-values.ts';
import type { Connector } from './contract/index.ts';
import type { EncryptionKey } from './credentials/index.ts';
import { parseKeyRing } from './credentials/key-ring.ts';
import { isLoopbackOrigin } from './http/loopback.ts';
import { BaseUrlError, resolveBaseUrls } from './upstream/base-urls.ts';

/** Everything that an operator can set, checked and complete. */
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
  /** The key ring, current key first; null: a local run, which keeps its own. */
  readonly encryptionKeys: readonly EncryptionKey[] | null;
  /** Proxies in front of the gateway that add to `X-Forwarded-For`. */
  readonly trustedProxies: number;
  /** Origins whose pages may call the MCP endpoint, besides the gateway's own. */
  readonly allowedOrigins: readonly string[];
  /** Schemes of redirect URIs that clients may register besides https and loopback http: lower case, without the colon. */
  readonly privateUseSchemes: readonly string[];
  readonly logLevel: LogLevel;
  readonly maxBodyBytes: number;
  readonly maxResultBytes: number;
  readonly upstreamTimeoutMs: number;
  /** Per user. */
  readonly toolCallsPerMinute: number;
  readonly callRecordRetentionDays: number;
  readonly stopTimeoutMs: number;
  /** What an operator signs in to the dashboard with; null: there is no dashboard. */
  readonly adminSecret: string | null;
  /** By connector name: base URLs by server template. */
  readonly baseUrls: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Sentences for the log about settings that work but look unintended. */
  readonly warnings: readonly string[];
}

type LogLevel = (typeof LOG_LEVELS)[number];

/** One setting that cannot be used. */
export interface ConfigProblem {
  readonly variable: string;
  /** Continues the sentence that begins with the variable's name. */
  readonly problem: string;
  /** A value that would do, as it is written in a shell. */
  readonly example: string;
}

/** Every setting that cannot be used, at once. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ variable, problem, example }) => `  ${variable} ${problem}\n    for example: ${variable}=${example}`,
    );
    super(`The gateway cannot start with this environment:\n${lines.join('\n')}`);
    this.problems = problems;
  }
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Description of a variable, for the help table and for error messages. */
interface VariableText {
  readonly meaning: string;
  readonly example: string;
  /** As text, where it is not a fixed value. */
  readonly default?: string;
}

function described<Schema extends z.ZodType>(schema: Schema, text: VariableText): Schema {
  return schema.meta({ ...text });
}

const MEBIBYTE = 1_048_576;

/** The environment. Order is that of the help table. */
const VARIABLES = z.object({
  PUBLIC_URL: described(parsedBy(parsePublicUrl).optional(), {
    meaning: 'Origin under which clients reach the gateway. http is accepted for this machine only.',
    default: 'http://127.0.0.1:PORT',
    example: 'https://tools.example.com',
  }),
  PORT: described(wholeNumber(1, 65_535).default(3000), { meaning: 'Port to listen on.', example: '3000' }),
  HOST: described(parsedBy(parseHost).optional(), {
    meaning: 'Address to listen on.',
    default: '127.0.0.1 when PUBLIC_URL names this machine, else 0.0.0.0',
    example: '0.0.0.0',
  }),
  DATABASE_URL: described(parsedBy(parseDatabaseUrl).default('sqlite:data/gateway.sqlite'), {
    meaning: 'Where the gateway keeps what it knows: a SQLite file, or a PostgreSQL server that many gateways share.',
    example: 'postgres://gateway:secret@db.example.com/gateway',
  }),
  ENCRYPTION_KEYS: described(parsedBy(parseKeyRing).optional(), {
    meaning: 'Keys that seal upstream credentials, id:base64 of 32 bytes, separated by commas; the first seals.',
    default: 'a key kept in data/, for a local run only',
    example: '"k1:$(openssl rand -base64 32)"',
  }),
  TRUST_PROXY: described(wholeNumber(0, 10).default(0), {
    meaning: 'Number of proxies in front of the gateway whose X-Forwarded-For and X-Forwarded-Host are believed.',
    example: '1',
  }),
  ALLOWED_ORIGINS: described(parsedBy(parseOrigins).default([]), {
    meaning: "Origins of web pages that may call the MCP endpoint, separated by commas, besides the gateway's own.",
    default: 'none',
    example: 'https://app.example.com,https://inspector.example.com',
  }),
  PRIVATE_USE_REDIRECT_SCHEMES: described(parsedBy(parsePrivateUseSchemes).default([]), {
    meaning: "Schemes of applications' own redirect URIs that clients may register, separated by commas.",
    default: 'none: https, and http on localhost',
    example: 'cursor,com.example.app',
  }),
  LOG_LEVEL: described(z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'), {
    meaning: `Least severe lines to log: ${LOG_LEVELS.join(', ')}.`,
    example: 'debug',
  }),
  MAX_BODY_BYTES: described(wholeNumber(1024, 100 * MEBIBYTE).default(4 * MEBIBYTE), {
    meaning: 'Largest request body that is read.',
    example: '4194304',
  }),
  MAX_RESULT_BYTES: described(wholeNumber(1024, 100 * MEBIBYTE).default(MEBIBYTE), {
    meaning: 'Largest answer of an upstream that becomes a tool result.',
    example: '1048576',
  }),
  UPSTREAM_TIMEOUT_MS: described(wholeNumber(100, 600_000).default(30_000), {
    meaning: 'Time that an upstream has for one tool call, in milliseconds.',
    example: '30000',
  }),
  TOOL_CALLS_PER_MINUTE: described(wholeNumber(1, 1_000_000).default(120), {
    meaning:
      'Requests of all kinds, tool calls among them, that one user may send to the endpoint per minute on one gateway.',
    example: '120',
  }),
  CALL_RECORD_RETENTION_DAYS: described(wholeNumber(1, 3650).default(90), {
    meaning: 'Days after which the record of a tool call is removed.',
    example: '30',
  }),
  STOP_TIMEOUT_MS: described(wholeNumber(0, 600_000).default(10_000), {
    meaning: 'Time that open requests have to end after SIGTERM or SIGINT, in milliseconds.',
    example: '10000',
  }),
  ADMIN_SECRET: described(parsedBy(parseAdminSecret).optional(), {
    meaning: 'What operators sign in to the dashboard at /admin with.',
    default: 'none: there is no dashboard',
    example: '"$(openssl rand -base64 24)"',
  }),
});

type VariableName = keyof typeof VARIABLES.shape;
type Settings = z.output<typeof VARIABLES>;
type Environment = Readonly<Record<string, string | undefined>>;

const NAMES = Object.keys(VARIABLES.shape) as VariableName[];

/** Where the settings come from. */
interface ConfigSource {
  /** Default: the process's environment. */
  readonly env?: Environment;
  /** Connectors whose base URLs the environment may replace. */
  readonly connectors: readonly Connector[];
}

/**
 * Reads the settings. An empty variable counts as one that is not set.
 *
 * @throws {ConfigError} with every problem.
 */
export function loadConfig(source: ConfigSource): Config {
  const env = withoutEmpty(source.env ?? process.env);
  const problems: ConfigProblem[] = [];
  const settings = parseEach(env, problems);
  const baseUrls = resolveEach(source.connectors, env, problems);
  const publicUrl = settings.PUBLIC_URL ?? `http://127.0.0.1:${settings.PORT}`;
  const isLoopback = settings.PUBLIC_URL === undefined || isLoopbackOrigin(settings.PUBLIC_URL);
  if (!isLoopback && env.ENCRYPTION_KEYS === undefined) {
    problems.push(problemOf('ENCRYPTION_KEYS', 'must be set, because PUBLIC_URL is not this machine'));
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return {
    publicUrl,
    isLoopback,
    port: settings.PORT,
    host: settings.HOST ?? (isLoopback ? '127.0.0.1' : '0.0.0.0'),
    databaseUrl: settings.DATABASE_URL,
    encryptionKeys: settings.ENCRYPTION_KEYS ?? null,
    trustedProxies: settings.TRUST_PROXY,
    allowedOrigins: settings.ALLOWED_ORIGINS,
    privateUseSchemes: settings.PRIVATE_USE_REDIRECT_SCHEMES,
    logLevel: settings.LOG_LEVEL,
    maxBodyBytes: settings.MAX_BODY_BYTES,
    maxResultBytes: settings.MAX_RESULT_BYTES,
    upstreamTimeoutMs: settings.UPSTREAM_TIMEOUT_MS,
    toolCallsPerMinute: settings.TOOL_CALLS_PER_MINUTE,
    callRecordRetentionDays: settings.CALL_RECORD_RETENTION_DAYS,
    stopTimeoutMs: settings.STOP_TIMEOUT_MS,
    adminSecret: settings.ADMIN_SECRET ?? null,
    baseUrls,
    warnings: findNearMisses(
      Object.keys(env),
      describeVariables(source.connectors).map(({ name }) => name),
    ),
  };
}

/** One row of the help table. */
interface VariableDescription {
  readonly name: string;
  readonly default: string;
  readonly meaning: string;
}

/** Every variable that the gateway reads, its own first, then the base URLs of the connectors. */
export function describeVariables(connectors: readonly Connector[]): VariableDescription[] {
  const own = NAMES.map((name) => {
    const { meaning, default: words } = textOf(name);
    const parsed = VARIABLES.shape[name].safeParse(undefined);
    return { name, default: words ?? String(parsed.data), meaning };
  });
  const servers = connectors.flatMap((connector) => {
    const variables = connector.servers.flatMap((server) => server.variables);
    const envOf = (variable: string) => variables.find(({ name }) => name === variable)?.env ?? variable;
    return variables.map(({ name, env, derive, default: value }) => ({
      name: env,
      default: derive === null ? value : `that of ${envOf(derive.from)} without ${derive.removeSuffix}`,
      meaning: `Base URL of ${connector.title}: {${name}} in specs/${connector.name}.`,
    }));
  });
  return [...own, ...new Map(servers.map((server) => [server.name, server])).values()];
}

function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
}

function textOf(name: VariableName): VariableText {
  return VARIABLES.shape[name].meta() as unknown as VariableText;
}

function problemOf(variable: VariableName, problem: string): ConfigProblem {
  return { variable, problem, example: textOf(variable).example };
}

/** Variable by variable, so that one that is wrong does not hide another. */
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
