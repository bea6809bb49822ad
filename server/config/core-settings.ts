/** The settings of the core, in the order of the help table. Those of modules are in their folders. */

import { z } from 'zod';
import { parseKeyRing } from '../base/credentials/key-ring.ts';
import { parseNetworks } from '../base/guarded-fetch/networks.ts';
import { parseDirectHosts } from '../base/guarded-fetch/proxy.ts';
import { parseTrustedProxies } from '../base/http/origin.ts';
import { CATALOGUE_MODES } from '../base/principal/permission.ts';
import { DEFAULT_DATABASE_URL } from '../base/store/default-url.ts';
import { parseRegistrationPolicy } from '../identity/protocol/registration-policy.ts';
import { ON_OFF, setting } from './setting.ts';
import {
  parseDatabaseUrl,
  parsedBy,
  parseHost,
  parseHosts,
  parseOrigins,
  parsePrivateUseSchemes,
  parseProxyUrl,
  parsePublicUrl,
  parseRedisUrl,
  wholeNumber,
} from './values.ts';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const MEBIBYTE = 1_048_576;
const DAY_MS = 86_400_000;

/** By the name under which `Config` has the value. */
export const CORE_SETTINGS = {
  publicUrl: setting({
    variable: 'PUBLIC_URL',
    group: 'Address',
    read: parsedBy(parsePublicUrl),
    default: null,
    defaultText: 'http://127.0.0.1:PORT',
    type: 'origin',
    meaning: 'Origin under which clients reach the gateway. http is accepted for this machine only.',
    example: 'https://tools.example.com',
  }),
  port: setting({
    variable: 'PORT',
    group: 'Address',
    read: wholeNumber(1, 65_535),
    default: 3000,
    meaning: 'Port to listen on.',
    example: '3000',
  }),
  host: setting({
    variable: 'HOST',
    group: 'Address',
    read: parsedBy(parseHost),
    default: null,
    defaultText: '127.0.0.1 when PUBLIC_URL names this machine, else 0.0.0.0',
    type: 'address',
    meaning: 'Address to listen on.',
    example: '0.0.0.0',
  }),
  databaseUrl: setting({
    variable: 'DATABASE_URL',
    group: 'Store and keys',
    read: parsedBy(parseDatabaseUrl),
    default: DEFAULT_DATABASE_URL,
    type: 'sqlite: or postgres: URL',
    meaning: 'The store: a SQLite file, or a PostgreSQL server that several gateways share.',
    example: 'postgres://gateway:secret@db.example.com/gateway',
    secret: true,
  }),
  limitsRedisUrl: setting({
    variable: 'LIMITS_REDIS_URL',
    group: 'Store and keys',
    read: parsedBy(parseRedisUrl),
    default: null,
    defaultText: 'none: in the PostgreSQL database',
    type: 'redis: or rediss: URL',
    meaning:
      'A Redis or Valkey server in which several gateways count together what has a rate limit, such as sign-ins, registrations and calls.',
    example: 'rediss://:secret@redis.example.com/1',
    secret: true,
  }),
  encryptionKeys: setting({
    variable: 'ENCRYPTION_KEYS',
    group: 'Store and keys',
    read: parsedBy(parseKeyRing),
    default: null,
    defaultText: 'a key kept in data/, for a local run only',
    type: 'id:base64, ...',
    meaning: 'Keys that seal upstream credentials, id:base64 of 32 bytes, separated by commas; the first seals.',
    example: '"k1:$(openssl rand -base64 32)"',
    secret: true,
  }),
  trustedProxies: setting({
    variable: 'TRUST_PROXY',
    group: 'Address',
    read: parsedBy(parseTrustedProxies),
    default: null,
    defaultText: 'none',
    type: 'addresses and CIDR ranges',
    meaning:
      'Addresses or CIDR ranges of the proxies in front, separated by commas, whose X-Forwarded-For is trusted, or none. Required when PUBLIC_URL is https.',
    example: '127.0.0.1,10.0.0.0/8',
  }),
  allowedOrigins: setting({
    variable: 'ALLOWED_ORIGINS',
    group: 'Address',
    read: parsedBy(parseOrigins),
    default: [],
    defaultText: 'none',
    type: 'origins',
    meaning: "Origins of web pages that may call the MCP endpoint, separated by commas, besides the gateway's own.",
    example: 'https://app.example.com,https://inspector.example.com',
  }),
  privateUseSchemes: setting({
    variable: 'PRIVATE_USE_REDIRECT_SCHEMES',
    group: 'Clients and grants',
    read: parsedBy(parsePrivateUseSchemes),
    default: [],
    defaultText: 'none: https, http on localhost, and the known callbacks of common clients',
    type: 'schemes',
    meaning:
      "More schemes of applications' own that clients may register redirect URIs with, separated by commas; see docs/guides/clients.md.",
    example: 'com.example.app',
  }),
  registration: setting({
    variable: 'CLIENT_REGISTRATION',
    group: 'Clients and grants',
    read: parsedBy(parseRegistrationPolicy),
    default: 'open',
    type: 'open, off or hosts',
    meaning:
      'Which clients may register themselves: open, off, or those with redirect URIs of the listed hosts (localhost: this machine; cursor: a scheme), separated by commas. Metadata documents have a setting of their own.',
    example: 'claude.ai,chatgpt.com,localhost',
  }),
  maxUnusedClients: setting({
    variable: 'MAX_UNUSED_CLIENTS',
    group: 'Clients and grants',
    read: wholeNumber(10, 1_000_000),
    default: 1_000,
    meaning:
      'Registered clients that no user has allowed which are kept, over all addresses. Above it, the oldest of the busiest address are removed. A client that a user has allowed is never removed.',
    example: '10000',
  }),
  registrationsPerMinute: setting({
    variable: 'REGISTRATIONS_PER_MINUTE',
    group: 'Limits',
    read: wholeNumber(1, 100_000),
    default: 60,
    meaning: 'Registrations that one address may send per minute; an IPv6 /48, four times as many.',
    example: '60',
  }),
  refusedPerMinute: setting({
    variable: 'REFUSED_REQUESTS_PER_MINUTE',
    group: 'Limits',
    read: wholeNumber(10, 1_000_000),
    default: 600,
    meaning:
      'Failed requests for tokens, codes and the partner API that one address may send per minute; an IPv6 /48, four times as many.',
    example: '600',
  }),
  partnerPerMinute: setting({
    variable: 'PARTNER_REQUESTS_PER_MINUTE',
    group: 'Limits',
    read: wholeNumber(10, 1_000_000),
    default: 6_000,
    meaning: 'Authenticated requests that one partner may send per minute.',
    example: '6000',
  }),
  maxGrantMs: setting({
    variable: 'MAX_GRANT_DAYS',
    group: 'Clients and grants',
    read: wholeNumber(0, 3650).transform((days) => (days === 0 ? null : days * DAY_MS)),
    default: 365 * DAY_MS,
    defaultText: '365',
    meaning:
      'Days after which a user must allow a client again, however often it refreshes; 0: never. A partner can set less for one code.',
    example: '90',
  }),
  refreshHoldMs: setting({
    variable: 'REFRESH_HOLD_MS',
    group: 'Clients and grants',
    read: wholeNumber(0, 5_000),
    default: 1_000,
    meaning:
      'Time that a token refresh waits for others of the same client, in milliseconds, so that all get the same tokens.',
    example: '250',
  }),
  refreshRetryMs: setting({
    variable: 'REFRESH_RETRY_SECONDS',
    group: 'Clients and grants',
    read: wholeNumber(0, 60).transform((seconds) => seconds * 1000),
    default: 0,
    defaultText: '0: never',
    meaning: 'Time in which a client can repeat a refresh whose answer was lost, while the new tokens are unused.',
    example: '30',
  }),
  clientDocuments: setting({
    variable: 'CLIENT_ID_METADATA_DOCUMENTS',
    group: 'Clients and grants',
    read: ON_OFF,
    default: null,
    defaultText: 'on when PUBLIC_URL is https, else off',
    meaning:
      'Whether a client may name the https URL of its metadata document as client_id. The gateway fetches that document, so it needs access to the internet.',
    example: 'off',
  }),
  logLevel: setting({
    variable: 'LOG_LEVEL',
    group: 'Records and logs',
    read: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }),
    default: 'info',
    meaning: `Least severe lines to log: ${LOG_LEVELS.join(', ')}.`,
    example: 'debug',
  }),
  maxBodyBytes: setting({
    variable: 'MAX_BODY_BYTES',
    group: 'Tools and results',
    read: wholeNumber(1024, 100 * MEBIBYTE),
    default: 4 * MEBIBYTE,
    meaning: 'Largest request body that is read.',
    example: '4194304',
  }),
  maxResultBytes: setting({
    variable: 'MAX_RESULT_BYTES',
    group: 'Tools and results',
    read: wholeNumber(1024, 100 * MEBIBYTE),
    default: 4 * MEBIBYTE,
    meaning: 'Largest answer of an upstream that is read. A longer one is an error.',
    example: '4194304',
  }),
  resultTokens: setting({
    variable: 'RESULT_TOKENS',
    group: 'Tools and results',
    read: wholeNumber(1000, 10_000_000),
    default: 20_000,
    meaning:
      'Tokens of text that a tool result may have, estimated at 2.5 bytes each. A longer answer is shown in parts. A connection code can override it.',
    example: '20000',
  }),
  catalogueMode: setting({
    variable: 'CATALOGUE_MODE',
    group: 'Tools and results',
    read: z.enum(CATALOGUE_MODES, { error: `must be one of ${CATALOGUE_MODES.join(', ')}` }),
    default: 'full',
    meaning:
      'How clients are shown their tools: full, compact (first sentences and types of arguments) or search (four tools that find, describe and call the others). A connection code can override it.',
    example: 'search',
  }),
  requireReviewed: setting({
    variable: 'REQUIRE_REVIEWED',
    group: 'Tools and results',
    read: z.string(),
    default: null,
    defaultText: 'none: every tool is served',
    type: 'file or git revision',
    meaning:
      'What was reviewed: a file that npm run tools:diff -- --approve wrote, or a git revision of this project. A tool with another definition is not served.',
    example: 'origin/main',
  }),
  listPageTools: setting({
    variable: 'LIST_PAGE_TOOLS',
    group: 'Tools and results',
    read: wholeNumber(10, 100_000),
    default: 1000,
    meaning:
      'Tools on one page of a list. A longer list continues at its cursor; some clients never ask for a second page.',
    example: '1000',
  }),
  upstreamTimeoutMs: setting({
    variable: 'UPSTREAM_TIMEOUT_MS',
    group: 'Upstreams',
    read: wholeNumber(100, 600_000),
    default: 30_000,
    meaning: 'Time that an upstream has for one tool call, in milliseconds.',
    example: '30000',
  }),
  upstreamConcurrency: setting({
    variable: 'UPSTREAM_CONCURRENCY',
    group: 'Upstreams',
    read: wholeNumber(1, 100_000),
    default: 256,
    meaning:
      'Concurrent requests that one gateway may send to one upstream at one base URL. As many again wait, for at most five seconds.',
    example: '256',
  }),
  plainHttpUpstreams: setting({
    variable: 'PLAIN_HTTP_UPSTREAMS',
    group: 'Upstreams',
    read: parsedBy(parseHosts),
    default: [],
    defaultText: 'none',
    type: 'hosts',
    meaning:
      'Hosts whose base URLs may begin with http://, separated by commas. Credentials travel to them unencrypted. This machine is always allowed.',
    example: 'crm.internal,10.0.0.7',
  }),
  outgoingNetworks: setting({
    variable: 'OUTGOING_NETWORKS',
    group: 'Upstreams',
    read: parsedBy(parseNetworks),
    default: null,
    defaultText: 'none; this machine where PUBLIC_URL is this machine',
    type: 'addresses and CIDR ranges',
    meaning:
      'Addresses or CIDR ranges besides the public internet that the gateway may send requests to, separated by commas, or none: upstreams, webhooks, the OpenID provider.',
    example: '10.20.0.0/16,fd00:20::/32',
  }),
  outgoingProxyUrl: setting({
    variable: 'OUTGOING_PROXY',
    group: 'Upstreams',
    read: parsedBy(parseProxyUrl),
    default: null,
    defaultText: 'none',
    type: 'URL',
    meaning:
      'Proxy that tunnels every outgoing request. It must refuse addresses that are not public, because the gateway no longer sees them. HTTPS_PROXY and similar variables are ignored.',
    example: 'http://user:password@proxy.internal:3128',
    secret: true,
  }),
  directHosts: setting({
    variable: 'OUTGOING_NO_PROXY',
    group: 'Upstreams',
    read: parsedBy(parseDirectHosts),
    default: [],
    defaultText: 'none',
    type: 'hosts, addresses and CIDR ranges',
    meaning:
      'Host names (with their subdomains), addresses and CIDR ranges that are reached without OUTGOING_PROXY, separated by commas. This machine always is.',
    example: 'crm.internal,10.20.0.0/16',
  }),
  toolCallsPerMinute: setting({
    variable: 'TOOL_CALLS_PER_MINUTE',
    group: 'Limits',
    read: wholeNumber(1, 1_000_000),
    default: 120,
    meaning: 'Requests of all kinds, tool calls among them, that one user may send to the endpoint per minute.',
    example: '120',
  }),
  callRecordRetentionDays: setting({
    variable: 'CALL_RECORD_RETENTION_DAYS',
    group: 'Records and logs',
    read: wholeNumber(1, 3650),
    default: 90,
    meaning: 'Days after which the record of a tool call is removed.',
    example: '30',
  }),
  anonymousEventRetentionDays: setting({
    variable: 'ANONYMOUS_EVENT_RETENTION_DAYS',
    group: 'Records and logs',
    read: wholeNumber(1, 365),
    default: 7,
    meaning: 'Days after which counts of events by callers without credentials are removed.',
    example: '30',
  }),
  stopTimeoutMs: setting({
    variable: 'STOP_TIMEOUT_MS',
    group: 'Address',
    read: wholeNumber(0, 600_000),
    default: 10_000,
    meaning: 'Time that open requests have to finish after SIGTERM or SIGINT, in milliseconds.',
    example: '10000',
  }),
} as const;
