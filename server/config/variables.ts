/** The environment variables: how each is read, and its description in the help table and error messages. */

import { z } from 'zod';
import { parseKeyRing } from '../base/credentials/key-ring.ts';
import { parseNetworks } from '../base/guarded-fetch/networks.ts';
import { parseDirectHosts } from '../base/guarded-fetch/proxy.ts';
import { parseTrustedProxies } from '../base/http/forwarded.ts';
import { parseOperatorRules } from '../base/principal/operator-rules.ts';
import { CATALOGUE_MODES } from '../base/principal/permission.ts';
import { DEFAULT_DATABASE_URL } from '../base/store/default-url.ts';
import { parseRegistrationPolicy } from '../identity/protocol/registration-policy.ts';
import { described } from './described.ts';
import { TELEMETRY_VARIABLES } from './telemetry-variables.ts';
import {
  parseAdminSecret,
  parseContacts,
  parseDatabaseUrl,
  parsedBy,
  parseHost,
  parseHosts,
  parseListenAddress,
  parseOpenIdScope,
  parseOrigins,
  parsePrivateUseSchemes,
  parseProviderUrl,
  parseProxyUrl,
  parsePublicUrl,
  parseRedisUrl,
  wholeNumber,
} from './values.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const MEBIBYTE = 1_048_576;

/** The environment, in the order of the help table. */
export const VARIABLES = z.object({
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
  DATABASE_URL: described(parsedBy(parseDatabaseUrl).default(DEFAULT_DATABASE_URL), {
    meaning: 'The store: a SQLite file, or a PostgreSQL server that several gateways share.',
    example: 'postgres://gateway:secret@db.example.com/gateway',
    secret: true,
  }),
  LIMITS_REDIS_URL: described(parsedBy(parseRedisUrl).optional(), {
    meaning:
      'A Redis or Valkey server in which several gateways count together what has a rate limit, such as sign-ins, registrations and calls.',
    default: 'none: in the PostgreSQL database',
    example: 'rediss://:secret@redis.example.com/1',
    secret: true,
  }),
  ENCRYPTION_KEYS: described(parsedBy(parseKeyRing).optional(), {
    meaning: 'Keys that seal upstream credentials, id:base64 of 32 bytes, separated by commas; the first seals.',
    default: 'a key kept in data/, for a local run only',
    example: '"k1:$(openssl rand -base64 32)"',
    secret: true,
  }),
  TRUST_PROXY: described(parsedBy(parseTrustedProxies).optional(), {
    meaning:
      'Addresses or CIDR ranges of the proxies in front, separated by commas, whose X-Forwarded-For is trusted, or none. Required when PUBLIC_URL is https.',
    default: 'none',
    example: '127.0.0.1,10.0.0.0/8',
  }),
  ALLOWED_ORIGINS: described(parsedBy(parseOrigins).default([]), {
    meaning: "Origins of web pages that may call the MCP endpoint, separated by commas, besides the gateway's own.",
    default: 'none',
    example: 'https://app.example.com,https://inspector.example.com',
  }),
  PRIVATE_USE_REDIRECT_SCHEMES: described(parsedBy(parsePrivateUseSchemes).default([]), {
    meaning:
      "More schemes of applications' own that clients may register redirect URIs with, separated by commas; see docs/guides/clients.md.",
    default: 'none: https, http on localhost, and the known callbacks of common clients',
    example: 'com.example.app',
  }),
  CLIENT_REGISTRATION: described(parsedBy(parseRegistrationPolicy).default('open'), {
    meaning:
      'Which clients may register themselves: open, off, or those with redirect URIs of the listed hosts (localhost: this machine; cursor: a scheme), separated by commas. Metadata documents have a setting of their own.',
    example: 'claude.ai,chatgpt.com,localhost',
  }),
  MAX_UNUSED_CLIENTS: described(wholeNumber(10, 1_000_000).default(1_000), {
    meaning:
      'Registered clients that no user has allowed which are kept, over all addresses. Above it, the oldest of the busiest address are removed. A client that a user has allowed is never removed.',
    example: '10000',
  }),
  REGISTRATIONS_PER_MINUTE: described(wholeNumber(1, 100_000).default(60), {
    meaning: 'Registrations that one address may send per minute; an IPv6 /48, four times as many.',
    example: '60',
  }),
  REFUSED_REQUESTS_PER_MINUTE: described(wholeNumber(10, 1_000_000).default(600), {
    meaning:
      'Failed requests for tokens, codes and the partner API that one address may send per minute; an IPv6 /48, four times as many.',
    example: '600',
  }),
  PARTNER_REQUESTS_PER_MINUTE: described(wholeNumber(10, 1_000_000).default(6_000), {
    meaning: 'Authenticated requests that one partner may send per minute.',
    example: '6000',
  }),
  MAX_GRANT_DAYS: described(wholeNumber(0, 3650).default(365), {
    meaning:
      'Days after which a user must allow a client again, however often it refreshes; 0: never. A partner can set less for one code.',
    example: '90',
  }),
  REFRESH_HOLD_MS: described(wholeNumber(0, 5_000).default(1_000), {
    meaning:
      'Time that a token refresh waits for others of the same client, in milliseconds, so that all get the same tokens.',
    example: '250',
  }),
  REFRESH_RETRY_SECONDS: described(wholeNumber(0, 60).default(0), {
    meaning: 'Time in which a client can repeat a refresh whose answer was lost, while the new tokens are unused.',
    default: '0: never',
    example: '30',
  }),
  CLIENT_ID_METADATA_DOCUMENTS: described(z.enum(['on', 'off'], { error: 'must be on or off' }).optional(), {
    meaning:
      'Whether a client may name the https URL of its metadata document as client_id. The gateway fetches that document, so it needs access to the internet.',
    default: 'on when PUBLIC_URL is https, else off',
    example: 'off',
  }),
  SECURITY_CONTACT: described(parsedBy(parseContacts).default([]), {
    meaning:
      'Where to report a vulnerability, as mailto:, https: or tel: URLs separated by commas; served as /.well-known/security.txt.',
    default: 'none: there is no such file',
    example: 'mailto:security@example.com',
  }),
  LOG_LEVEL: described(z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'), {
    meaning: `Least severe lines to log: ${LOG_LEVELS.join(', ')}.`,
    example: 'debug',
  }),
  MAX_BODY_BYTES: described(wholeNumber(1024, 100 * MEBIBYTE).default(4 * MEBIBYTE), {
    meaning: 'Largest request body that is read.',
    example: '4194304',
  }),
  MAX_RESULT_BYTES: described(wholeNumber(1024, 100 * MEBIBYTE).default(4 * MEBIBYTE), {
    meaning: 'Largest answer of an upstream that is read. A longer one is an error.',
    example: '4194304',
  }),
  RESULT_TOKENS: described(wholeNumber(1000, 10_000_000).default(20_000), {
    meaning:
      'Tokens of text that a tool result may have, estimated at 2.5 bytes each. A longer answer is shown in parts. A connection code can override it.',
    example: '20000',
  }),
  CATALOGUE_MODE: described(
    z.enum(CATALOGUE_MODES, { error: `must be one of ${CATALOGUE_MODES.join(', ')}` }).default('full'),
    {
      meaning:
        'How clients are shown their tools: full, compact (first sentences and types of arguments) or search (four tools that find, describe and call the others). A connection code can override it.',
      example: 'search',
    },
  ),
  TOOL_PAGES: described(z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'), {
    meaning: 'Whether everybody may read at /tools which tools there are and what each takes.',
    example: 'off',
  }),
  REQUIRE_REVIEWED: described(z.string().optional(), {
    meaning:
      'What was reviewed: a file that npm run tools:diff -- --approve wrote, or a git revision of this project. A tool with another definition is not served.',
    default: 'none: every tool is served',
    example: 'origin/main',
  }),
  LIST_PAGE_TOOLS: described(wholeNumber(10, 100_000).default(1000), {
    meaning:
      'Tools on one page of a list. A longer list continues at its cursor; some clients never ask for a second page.',
    example: '1000',
  }),
  UPSTREAM_TIMEOUT_MS: described(wholeNumber(100, 600_000).default(30_000), {
    meaning: 'Time that an upstream has for one tool call, in milliseconds.',
    example: '30000',
  }),
  UPSTREAM_CONCURRENCY: described(wholeNumber(1, 100_000).default(256), {
    meaning:
      'Concurrent requests that one gateway may send to one upstream at one base URL. As many again wait, for at most five seconds.',
    example: '256',
  }),
  PLAIN_HTTP_UPSTREAMS: described(parsedBy(parseHosts).default([]), {
    meaning:
      'Hosts whose base URLs may begin with http://, separated by commas. Credentials travel to them unencrypted. This machine is always allowed.',
    default: 'none',
    example: 'crm.internal,10.0.0.7',
  }),
  OUTGOING_NETWORKS: described(parsedBy(parseNetworks).optional(), {
    meaning:
      'Addresses or CIDR ranges besides the public internet that the gateway may send requests to, separated by commas, or none: upstreams, webhooks, the OpenID provider.',
    default: 'none; this machine where PUBLIC_URL is this machine',
    example: '10.20.0.0/16,fd00:20::/32',
  }),
  OUTGOING_PROXY: described(parsedBy(parseProxyUrl).optional(), {
    meaning:
      'Proxy that tunnels every outgoing request. It must refuse addresses that are not public, because the gateway no longer sees them. HTTPS_PROXY and similar variables are ignored.',
    default: 'none',
    example: 'http://user:password@proxy.internal:3128',
    secret: true,
  }),
  OUTGOING_NO_PROXY: described(parsedBy(parseDirectHosts).default([]), {
    meaning:
      'Host names (with their subdomains), addresses and CIDR ranges that are reached without OUTGOING_PROXY, separated by commas. This machine always is.',
    default: 'none',
    example: 'crm.internal,10.20.0.0/16',
  }),
  TOOL_CALLS_PER_MINUTE: described(wholeNumber(1, 1_000_000).default(120), {
    meaning: 'Requests of all kinds, tool calls among them, that one user may send to the endpoint per minute.',
    example: '120',
  }),
  CALL_RECORD_RETENTION_DAYS: described(wholeNumber(1, 3650).default(90), {
    meaning: 'Days after which the record of a tool call is removed.',
    example: '30',
  }),
  COUNT_USAGE: described(z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'), {
    meaning:
      'Whether the gateway counts which published arguments and classes of values the calls of each tool have, for npm run usage. Never values.',
    example: 'on',
  }),
  ANONYMOUS_EVENT_RETENTION_DAYS: described(wholeNumber(1, 365).default(7), {
    meaning: 'Days after which counts of events by callers without credentials are removed.',
    example: '30',
  }),
  STOP_TIMEOUT_MS: described(wholeNumber(0, 600_000).default(10_000), {
    meaning: 'Time that open requests have to finish after SIGTERM or SIGINT, in milliseconds.',
    example: '10000',
  }),
  ADMIN_LISTEN: described(parsedBy(parseListenAddress).optional(), {
    meaning: 'Address and port of a listener for the dashboard alone; /admin is then served only there.',
    default: 'none: the dashboard is at PUBLIC_URL/admin',
    example: '127.0.0.1:3001',
  }),
  ADMIN_URL: described(parsedBy(parsePublicUrl).optional(), {
    meaning: 'Origin under which browsers reach the listener of ADMIN_LISTEN.',
    default: 'http://127.0.0.1 at its port, when it listens on this machine only',
    example: 'https://admin.example.com',
  }),
  ADMIN_IDLE_MINUTES: described(wholeNumber(1, 1_440).default(60), {
    meaning: "Minutes without a request after which an operator's session expires.",
    example: '15',
  }),
  ADMIN_SESSION_HOURS: described(wholeNumber(1, 168).default(12), {
    meaning: "Hours after which an operator's session expires, even if it is in use.",
    example: '8',
  }),
  ADMIN_OPENID_ISSUER: described(parsedBy(parseProviderUrl).optional(), {
    meaning: "Issuer of the company's OpenID provider, through which operators sign in to the dashboard.",
    default: 'none: operators sign in with secrets',
    example: 'https://login.example.com',
  }),
  ADMIN_OPENID_CLIENT_ID: described(z.string().optional(), {
    meaning: 'The client_id of this gateway at the provider.',
    default: 'none',
    example: 'tool-gateway',
  }),
  ADMIN_OPENID_CLIENT_SECRET: described(z.string().optional(), {
    meaning: 'The client secret of this gateway at the provider.',
    default: 'none',
    example: '"$(cat client-secret)"',
    secret: true,
  }),
  ADMIN_OPENID_SCOPE: described(parsedBy(parseOpenIdScope).default('openid email profile'), {
    meaning: 'Scopes to request, separated by spaces.',
    example: '"openid email groups"',
  }),
  ADMIN_OPENID_LOOK: described(parsedBy(parseOperatorRules).default([]), {
    meaning: 'Who may see the dashboard: verified e-mail addresses, @domains, or claim=value, separated by commas.',
    default: 'nobody',
    example: '@example.com',
  }),
  ADMIN_OPENID_ACT: described(parsedBy(parseOperatorRules).default([]), {
    meaning: 'Who may also act there, in the same form.',
    default: 'nobody',
    example: 'ada@example.com,groups=gateway-operators',
  }),
  ADMIN_SECRET: described(parsedBy(parseAdminSecret).optional(), {
    meaning:
      'The secret with which the operator "admin" signs in to the dashboard at /admin, for a first sign-in or in an emergency.',
    default: 'none: operators are added with npm run operator, or come from ADMIN_OPENID_ISSUER',
    example: '"$(openssl rand -base64 24)"',
    secret: true,
  }),
  ...TELEMETRY_VARIABLES,
});

export type LogLevel = (typeof LOG_LEVELS)[number];

/** The settings as read, before those that depend on others are resolved. */
export type Settings = z.output<typeof VARIABLES>;
