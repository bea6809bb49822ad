/** The settings of the portal as rows, and how they are read. */

import { z } from 'zod';
import { parseKeyRing } from '../../server/base/credentials/key-ring.ts';
import { LOOPBACK_NETWORKS, parseNetworks } from '../../server/base/guarded-fetch/networks.ts';
import { isLoopbackHostname, isLoopbackOrigin } from '../../server/base/http/loopback.ts';
import { parseTrustedProxies } from '../../server/base/http/origin.ts';
import { readSecretFiles } from '../../server/config/secret-files.ts';
import { type Setting, type Settings, settingIn, type ValuesOf } from '../../server/config/setting.ts';
import { parseDatabaseUrl, parsedBy, parseHost, parsePublicUrl, wholeNumber } from '../../server/config/values.ts';
import type { PortalConfig, ProviderSettings } from './config.ts';
import { loadRules, RulesError } from './rules/load.ts';

/** Title of the settings table in `--help`. */
export const PORTAL_SETTINGS_TITLE = 'Settings (environment variables)';

const portal = settingIn('Portal');
const text = z.string().min(1).max(1000);

export const PORTAL_SETTINGS = {
  publicUrl: portal({
    variable: 'PORTAL_PUBLIC_URL',
    read: parsedBy(parsePublicUrl),
    type: 'origin',
    meaning: 'Origin of the portal, as browsers reach it.',
    defaultText: 'http://127.0.0.1 with PORTAL_PORT',
    example: 'https://portal.example.com',
  }),
  host: portal({
    variable: 'PORTAL_HOST',
    read: parsedBy(parseHost),
    type: 'address',
    meaning: 'Address to listen on.',
    defaultText: '127.0.0.1 if PORTAL_PUBLIC_URL is this machine, else 0.0.0.0',
    example: '0.0.0.0',
  }),
  port: portal({
    variable: 'PORTAL_PORT',
    read: wholeNumber(1, 65_535),
    default: 3002,
    meaning: 'Port to listen on.',
  }),
  trustedProxies: portal({
    variable: 'PORTAL_TRUST_PROXY',
    read: parsedBy(parseTrustedProxies),
    type: 'addresses and ranges, or none',
    default: [],
    meaning: 'Proxies in front of the portal, whose X-Forwarded-For is trusted.',
    example: '10.0.0.0/8',
  }),
  gatewayUrl: portal({
    variable: 'PORTAL_GATEWAY_URL',
    read: parsedBy(parsePublicUrl),
    type: 'origin',
    default: 'http://127.0.0.1:3000',
    meaning: 'PUBLIC_URL of the gateway. Browsers and the portal itself reach it there.',
    example: 'https://tools.example.com',
  }),
  partnerId: portal({
    variable: 'PORTAL_PARTNER_ID',
    read: text,
    type: 'text',
    meaning: 'client_id of the portal at the gateway: utg partner add prints it. Must be set.',
    example: 'portal',
  }),
  partnerSecret: portal({
    variable: 'PORTAL_PARTNER_SECRET',
    read: text,
    type: 'text',
    meaning: 'Secret of the portal at the gateway. Must be set.',
    example: 'utg_ps_...',
    secret: true,
  }),
  issuer: portal({
    variable: 'PORTAL_ISSUER',
    read: parsedBy(parseIssuer),
    type: 'URL',
    meaning: "Issuer of the company's OpenID provider. Must be set, unless utg portal runs with --demo.",
    example: 'https://login.example.com',
  }),
  clientId: portal({
    variable: 'PORTAL_CLIENT_ID',
    read: text,
    type: 'text',
    meaning: 'client_id of the portal at the provider. Its redirect URI is PORTAL_PUBLIC_URL/sign-in/callback.',
    example: 'portal',
  }),
  clientSecret: portal({
    variable: 'PORTAL_CLIENT_SECRET',
    read: text,
    type: 'text',
    meaning: 'Secret of the portal at the provider.',
    example: '...',
    secret: true,
  }),
  scope: portal({
    variable: 'PORTAL_SCOPES',
    read: parsedBy(parseScope),
    type: 'scopes, separated by spaces',
    default: 'openid profile email offline_access',
    meaning:
      'Scopes that the portal asks the provider for. Without a refresh token, access ends PORTAL_GRACE_SECONDS after a sign-in.',
    example: "'openid profile groups offline_access'",
  }),
  userClaim: portal({
    variable: 'PORTAL_USER_CLAIM',
    read: text,
    type: 'name of a claim',
    default: 'sub',
    meaning:
      'Claim that is the user_id at the gateway. Choose one that people cannot change. An email must be verified.',
    example: 'oid',
  }),
  groupsClaim: portal({
    variable: 'PORTAL_GROUPS_CLAIM',
    read: text,
    type: 'name of a claim',
    default: 'groups',
    meaning: "Claim with the names of a person's groups, in the ID token or UserInfo.",
    example: 'roles',
  }),
  rules: portal({
    variable: 'PORTAL_RULES',
    read: text,
    type: 'path',
    meaning: 'The YAML file that says what each group may use. Without it, everyone who signs in may use everything.',
    example: 'portal-rules.yaml',
  }),
  databaseUrl: portal({
    variable: 'PORTAL_DATABASE_URL',
    read: parsedBy(parseDatabaseUrl),
    type: 'sqlite:<path> or postgres://...',
    default: 'sqlite:portal.sqlite',
    meaning: 'Store of sessions, sealed refresh tokens and used logout ids. Several portals share one on PostgreSQL.',
    example: 'postgres://portal@db.example.com/portal',
    secret: true,
  }),
  encryptionKeys: portal({
    variable: 'PORTAL_ENCRYPTION_KEYS',
    read: parsedBy(parseKeyRing),
    type: 'id:base64,...',
    meaning:
      'Keys that seal refresh tokens and forms, the current one first, in the form of ENCRYPTION_KEYS. Must be set, unless with --demo.',
    example: 'k1:$(openssl rand -base64 32)',
    secret: true,
  }),
  networks: portal({
    variable: 'PORTAL_OUTGOING_NETWORKS',
    read: parsedBy(parseNetworks),
    type: 'addresses and ranges',
    defaultText: 'this machine if PORTAL_PUBLIC_URL is, else none',
    meaning: 'Networks that the provider may be in, in addition to public addresses.',
    example: '10.0.0.0/8',
  }),
  checkSeconds: portal({
    variable: 'PORTAL_CHECK_SECONDS',
    read: wholeNumber(30, 86_400),
    default: 600,
    meaning:
      'Time between two checks of a person at the provider: a change of groups counts after this time at the latest.',
  }),
  graceSeconds: portal({
    variable: 'PORTAL_GRACE_SECONDS',
    read: wholeNumber(0, 2_592_000),
    default: 86_400,
    meaning:
      'Time for which access stays while the provider does not confirm a person, because it cannot be reached or issued no refresh token.',
  }),
  logLevel: portal({
    variable: 'PORTAL_LOG_LEVEL',
    read: z.enum(['debug', 'info', 'warn', 'error'], { error: 'must be debug, info, warn or error' }),
    default: 'info',
    meaning: 'Least level of the lines in the log.',
  }),
} as const satisfies Settings;

type Values = ValuesOf<typeof PORTAL_SETTINGS>;

/** All settings, with what the command needs. */
export interface PortalSettings extends PortalConfig {
  readonly host: string;
  readonly port: number;
  readonly logLevel: string;
}

/** Reports all invalid settings at once. */
export class PortalSettingsError extends Error {
  override readonly name = 'PortalSettingsError';

  constructor(problems: readonly string[]) {
    super(`The portal cannot start with these settings:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the settings. An empty variable counts as not set. A secret may come from the file that `NAME_FILE` names.
 *
 * @param demo.keys for `--demo`, which needs no provider and no keys. Null: not the demo.
 * @throws {PortalSettingsError} with every problem.
 */
export function loadPortalSettings(env: Environment, demo: Pick<PortalConfig, 'keys'> | null): PortalSettings {
  const problems: string[] = [];
  const onProblem = (variable: string, problem: string) => void problems.push(`${variable} ${problem}`);
  const values = readValues(env, onProblem);
  const publicUrl = values.publicUrl ?? `http://127.0.0.1:${values.port}`;
  const isLoopback = isLoopbackOrigin(publicUrl);
  const host = values.host ?? (isLoopback ? '127.0.0.1' : '0.0.0.0');
  const require = (name: 'partnerId' | 'partnerSecret' | 'encryptionKeys') => {
    if (values[name] === null) onProblem(PORTAL_SETTINGS[name].variable, 'must be set');
  };
  require('partnerId');
  require('partnerSecret');
  if (demo === null) require('encryptionKeys');
  else if (!isLoopback || !isLoopbackHostname(host))
    onProblem(
      isLoopback ? 'PORTAL_HOST' : 'PORTAL_PUBLIC_URL',
      'must be this machine with --demo, because anyone can sign in',
    );
  const provider = demo === null ? readProvider(values, onProblem) : null;
  const rules = readRules(values.rules, onProblem);
  if (problems.length > 0) throw new PortalSettingsError(problems);
  return {
    publicUrl,
    host,
    provider,
    rules,
    port: values.port,
    gateway: { url: values.gatewayUrl, clientId: values.partnerId ?? '', clientSecret: values.partnerSecret ?? '' },
    databaseUrl: values.databaseUrl,
    keys: values.encryptionKeys ?? demo?.keys ?? [],
    trustedProxies: values.trustedProxies,
    networks: values.networks ?? (isLoopback ? LOOPBACK_NETWORKS : []),
    checkSeconds: values.checkSeconds,
    graceSeconds: values.graceSeconds,
    logLevel: values.logLevel,
  };
}

type OnProblem = (variable: string, problem: string) => void;

function readValues(source: Environment, onProblem: OnProblem): Values {
  const rows = Object.entries<Setting>(PORTAL_SETTINGS);
  const secrets = rows.filter(([, { secret }]) => secret === true).map(([, { variable }]) => variable);
  const set = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const env = readSecretFiles(set, secrets, onProblem);
  const values = rows.map(([name, { variable, read, default: otherwise, example }]) => {
    const value = env[variable];
    if (value === undefined) return [name, otherwise];
    const parsed = read.safeParse(value);
    if (parsed.success) return [name, parsed.data];
    const sentences = parsed.error.issues.map(({ message }) => message).join('; ');
    onProblem(variable, `${sentences}, for example: ${variable}=${example}`);
    return [name, otherwise];
  });
  return Object.fromEntries(values) as Values;
}

function readProvider(values: Values, onProblem: OnProblem): ProviderSettings | null {
  const { issuer, clientId, clientSecret, scope, userClaim, groupsClaim } = values;
  if (issuer === null)
    onProblem('PORTAL_ISSUER', 'must be set. To try the portal without a provider: utg portal --demo');
  if (clientId === null) onProblem('PORTAL_CLIENT_ID', 'must be set');
  if (clientSecret === null) onProblem('PORTAL_CLIENT_SECRET', 'must be set');
  if (issuer === null || clientId === null || clientSecret === null) return null;
  return { issuer, clientId, clientSecret, scope, userClaim, groupsClaim };
}

function readRules(path: string | null, onProblem: OnProblem): PortalConfig['rules'] {
  if (path === null) return null;
  try {
    return loadRules(path);
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    onProblem('PORTAL_RULES', error.message);
    return null;
  }
}

/** An issuer is compared byte by byte, so it stays as it is (OpenID Connect Discovery 1.0 §4.3). */
function parseIssuer(issuer: string): string {
  const url = URL.parse(issuer);
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHostname(url.hostname));
  if (url === null || !isSecure || url.search !== '' || url.hash !== '')
    throw new Error('must be a URL that begins with https://, without query and fragment');
  return issuer;
}

function parseScope(scope: string): string {
  if (!scope.split(' ').includes('openid')) throw new Error('must include openid');
  return scope;
}
