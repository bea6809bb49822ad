/** The settings of the core, in the order of the help table. Those of modules are in their folders. */

import { z } from 'zod';
import { parseKeyRing } from '../base/credentials/key-ring.ts';
import { parseTrustedProxies } from '../base/http/origin.ts';
import { CATALOGUE_MODES } from '../base/principal/permission.ts';
import { DEFAULT_DATABASE_URL } from '../base/store/default-url.ts';
import { ANSWER_CONTENTS } from '../call/mcp/answer-content.ts';
import { APPROVAL_CHANNELS, APPROVAL_KINDS } from '../call/tools/approvals/policy.ts';
import { parseCallRules } from '../call/tools/catalogue/call-rules.ts';
import { parseWithhold } from '../call/tools/catalogue/withheld.ts';
import { parseRegistrationPolicy } from '../identity/protocol/registration-policy.ts';
import { ON_OFF, settingIn } from './setting.ts';
import { UPSTREAM_SETTINGS } from './upstream-settings.ts';
import {
  parseChoices,
  parseDatabaseUrl,
  parsedBy,
  parseHost,
  parseOrigins,
  parsePrivateUseSchemes,
  parsePublicUrl,
  parseRedisUrl,
  parseWorkers,
  wholeNumber,
} from './values.ts';

const address = settingIn('Address');
const store = settingIn('Store and keys');
const clients = settingIn('Clients and grants');
const tools = settingIn('Tools and results');
const limits = settingIn('Limits');
const records = settingIn('Records and logs');

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const MEBIBYTE = 1_048_576;
const DAY_MS = 86_400_000;

/** By the name under which `Config` has the value. */
export const CORE_SETTINGS = {
  publicUrl: address({
    variable: 'PUBLIC_URL',
    read: parsedBy(parsePublicUrl),
    defaultText: 'http://127.0.0.1:PORT',
    type: 'origin',
    meaning: 'Origin under which clients reach the gateway. http is accepted for this machine only.',
    example: 'https://tools.example.com',
  }),
  port: address({
    variable: 'PORT',
    read: wholeNumber(1, 65_535),
    default: 3000,
    meaning: 'Port to listen on.',
  }),
  host: address({
    variable: 'HOST',
    read: parsedBy(parseHost),
    defaultText: 'the address of PUBLIC_URL, or 127.0.0.1 for localhost, if that is this machine; else 0.0.0.0',
    type: 'address',
    meaning: 'Address to listen on.',
    example: '0.0.0.0',
  }),
  workers: address({
    variable: 'WORKERS',
    read: parsedBy(parseWorkers),
    default: 1,
    type: 'number from 1 to 64, or auto',
    meaning:
      'Processes that answer requests on this port, to use several cores of one machine; auto: one for each core. Limits and caps hold over all of them.',
    example: 'auto',
  }),
  databaseUrl: store({
    variable: 'DATABASE_URL',
    read: parsedBy(parseDatabaseUrl),
    default: DEFAULT_DATABASE_URL,
    type: 'sqlite: or postgres: URL',
    meaning:
      'The store: a SQLite file, or a PostgreSQL server that several gateways share. With ?pgbouncer=true, a pooler in transaction mode.',
    example: 'postgres://gateway:secret@db.example.com/gateway',
    secret: true,
  }),
  limitsRedisUrl: store({
    variable: 'LIMITS_REDIS_URL',
    read: parsedBy(parseRedisUrl),
    defaultText: 'none: in the PostgreSQL database',
    type: 'redis: or rediss: URL',
    meaning:
      'A Redis or Valkey server in which several gateways count together what has a rate limit, such as sign-ins, registrations and calls.',
    example: 'rediss://:secret@redis.example.com/1',
    secret: true,
  }),
  encryptionKeys: store({
    variable: 'ENCRYPTION_KEYS',
    read: parsedBy(parseKeyRing),
    defaultText: 'a key kept in data/, for a local run only',
    type: 'id:base64, ...',
    meaning: 'Keys that seal upstream credentials, id:base64 of 32 bytes, separated by commas; the first seals.',
    example: '"k1:$(openssl rand -base64 32)"',
    secret: true,
  }),
  encryptionKeysCommand: store({
    variable: 'ENCRYPTION_KEYS_COMMAND',
    read: z.string(),
    type: 'program and arguments',
    meaning:
      'In place of ENCRYPTION_KEYS: a program that prints them, with its arguments, such as the client of a secret manager. Each start and each command runs it once, without a shell.',
    example: "'vault kv get -mount=secret -field=keys gateway'",
  }),
  trustedProxies: address({
    variable: 'TRUST_PROXY',
    read: parsedBy(parseTrustedProxies),
    type: 'addresses and CIDR ranges',
    meaning:
      'Addresses or CIDR ranges of the proxies in front, separated by commas, whose X-Forwarded-For is trusted, or none. Required when PUBLIC_URL is https.',
    example: '127.0.0.1,10.0.0.0/8',
  }),
  allowedOrigins: address({
    variable: 'ALLOWED_ORIGINS',
    read: parsedBy(parseOrigins),
    default: [],
    type: 'origins',
    meaning: "Origins of web pages that may call the MCP endpoint, separated by commas, besides the gateway's own.",
    example: 'https://app.example.com,https://inspector.example.com',
  }),
  privateUseSchemes: clients({
    variable: 'PRIVATE_USE_REDIRECT_SCHEMES',
    read: parsedBy(parsePrivateUseSchemes),
    default: [],
    defaultText: 'none: https, http on localhost, and the known callbacks of common clients',
    type: 'schemes',
    meaning:
      "More schemes of applications' own that clients may register redirect URIs with, separated by commas; see docs/guides/clients.md.",
    example: 'com.example.app',
  }),
  registration: clients({
    variable: 'CLIENT_REGISTRATION',
    read: parsedBy(parseRegistrationPolicy),
    default: 'open',
    type: 'open, off or hosts',
    meaning:
      'Which clients may register themselves: open, off, or those with redirect URIs of the listed hosts (localhost: this machine; cursor: a scheme), separated by commas. Metadata documents have a setting of their own.',
    example: 'claude.ai,chatgpt.com,localhost',
  }),
  maxUnusedClients: clients({
    variable: 'MAX_UNUSED_CLIENTS',
    read: wholeNumber(10, 1_000_000),
    default: 1_000,
    meaning:
      'Registered clients that no user has allowed which are kept, over all addresses. Above it, the oldest of the busiest address are removed, but none in its first ten minutes or while its consent page is open: for these, the number may grow ten times. A client that a user has allowed is never removed.',
    example: '10000',
  }),
  registrationsPerMinute: limits({
    variable: 'REGISTRATIONS_PER_MINUTE',
    read: wholeNumber(1, 100_000),
    default: 60,
    meaning: 'Registrations that one address may send per minute; an IPv6 /48, four times as many.',
  }),
  refusedPerMinute: limits({
    variable: 'REFUSED_REQUESTS_PER_MINUTE',
    read: wholeNumber(10, 1_000_000),
    default: 600,
    meaning:
      'Failed requests for tokens, codes and the partner API that one address may send per minute; an IPv6 /48, four times as many.',
  }),
  partnerPerMinute: limits({
    variable: 'PARTNER_REQUESTS_PER_MINUTE',
    read: wholeNumber(10, 1_000_000),
    default: 6_000,
    meaning: 'Authenticated requests that one partner may send per minute.',
  }),
  consent: clients({
    variable: 'CONSENT',
    read: z.enum(['all', 'need'], { error: 'must be all or need' }),
    default: 'all',
    meaning:
      'What the consent page suggests. all: everything that code and request allow. need: only reading; writing, and deleting and overwriting, are choices of their own, and what the user did not choose is asked for when it is needed.',
    example: 'need',
  }),
  maxGrantMs: clients({
    variable: 'MAX_GRANT_DAYS',
    read: wholeNumber(0, 3650).transform((days) => (days === 0 ? null : days * DAY_MS)),
    default: 365 * DAY_MS,
    defaultText: '365',
    meaning:
      'Days after which a user must allow a client again, however often it refreshes; 0: never. A partner can set less for one code.',
    example: '90',
  }),
  refreshHoldMs: clients({
    variable: 'REFRESH_HOLD_MS',
    read: wholeNumber(0, 5_000),
    default: 1_000,
    meaning:
      'Time after a token refresh in which parallel refreshes of the same client get the same tokens, in milliseconds.',
    example: '250',
  }),
  refreshRetryMs: clients({
    variable: 'REFRESH_RETRY_SECONDS',
    read: wholeNumber(0, 60).transform((seconds) => seconds * 1000),
    default: 0,
    defaultText: '0: never',
    meaning: 'Time in which a client can repeat a refresh whose answer was lost, while the new tokens are unused.',
    example: '30',
  }),
  clientDocuments: clients({
    variable: 'CLIENT_ID_METADATA_DOCUMENTS',
    read: ON_OFF,
    defaultText: 'on when PUBLIC_URL is https, else off',
    meaning:
      'Whether a client may name the https URL of its metadata document as client_id. The gateway fetches that document, so it needs access to the internet.',
    example: 'off',
  }),
  logLevel: records({
    variable: 'LOG_LEVEL',
    read: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }),
    default: 'info',
    meaning: `Least severe lines to log: ${LOG_LEVELS.join(', ')}.`,
    example: 'debug',
  }),
  maxBodyBytes: tools({
    variable: 'MAX_BODY_BYTES',
    read: wholeNumber(1024, 100 * MEBIBYTE),
    default: 4 * MEBIBYTE,
    meaning: 'Largest request body that is read.',
  }),
  maxResultBytes: tools({
    variable: 'MAX_RESULT_BYTES',
    read: wholeNumber(1024, 100 * MEBIBYTE),
    default: 4 * MEBIBYTE,
    meaning: 'Largest answer of an upstream that is read. A longer one is an error.',
  }),
  resultTokens: tools({
    variable: 'RESULT_TOKENS',
    read: wholeNumber(1000, 10_000_000),
    default: 20_000,
    meaning:
      'Tokens of text that a tool result may have, estimated at 2.75 bytes each. A longer answer is shown in parts. A connection code can override it.',
  }),
  catalogueMode: tools({
    variable: 'CATALOGUE_MODE',
    read: z.enum(CATALOGUE_MODES, { error: `must be one of ${CATALOGUE_MODES.join(', ')}` }),
    default: 'lean',
    meaning:
      'How clients are shown their tools: lean (answers by the names of their members), full (with output schemas and every hint), compact (first sentences and types of arguments), search (four tools that find, describe and call the others) or code (the model writes programs; see docs/guides/code-mode.md). A connection code can override it.',
    example: 'search',
  }),
  answerContent: tools({
    variable: 'ANSWER_CONTENT',
    read: z.enum(ANSWER_CONTENTS, { error: `must be one of ${ANSWER_CONTENTS.join(', ')}` }),
    default: 'auto',
    meaning:
      'What results carry where an answer would travel twice: text, structured (content) or both. auto: what the client gives its model, and both for clients without a profile; see docs/reference/client-profiles.md. A tool whose output schema is listed always has structured content.',
    example: 'text',
  }),
  approvals: tools({
    variable: 'APPROVALS',
    read: parsedBy(parseChoices(APPROVAL_KINDS)),
    default: [],
    type: 'some of destroy, send, pay, write',
    meaning:
      'Which calls their user approves one by one before they are made, separated by commas. Partners can require more for their users, and a connector for single tools; see docs/guides/approvals.md.',
    example: 'destroy,send,pay',
  }),
  approvalChannels: tools({
    variable: 'APPROVAL_CHANNELS',
    read: parsedBy(parseChoices(APPROVAL_CHANNELS)),
    default: ['page', 'partner'],
    defaultText: 'page,partner',
    type: `some of ${APPROVAL_CHANNELS.join(', ')}`,
    meaning:
      "Who may tell what a user decided about a call: page (the user's own page), partner (the partner's application), client (the client that asked, for calls that neither destroy nor pay) and client-always (for all calls). A client's answer proves that the client answered, and no person.",
    example: 'page,partner,client',
  }),
  approvalRemember: tools({
    variable: 'APPROVAL_REMEMBER',
    read: parsedBy(parseChoices(APPROVAL_KINDS)),
    default: [],
    type: 'some of destroy, send, pay, write',
    meaning:
      'Which calls a user may approve for a day: all calls of one tool by one client, without being asked again. Everything that the tool does has to be named; write is for tools that neither destroy nor send nor pay. Partners can switch it off for their users.',
    example: 'send,write',
  }),
  callLimits: tools({
    variable: 'CALL_LIMITS',
    read: parsedBy(parseCallRules),
    default: [],
    type: 'rules',
    meaning:
      'How many calls may be sent, as rules separated by commas: of a tool, a service or an effect, in a minute, an hour or a day (UTC), by a user, by one client of a user, or by all users of a partner. Partners can add rules for their users; see docs/guides/limits.md.',
    example: "'tool:crm_send_mail 50/day/user, pay 5/hour/client'",
  }),
  withhold: tools({
    variable: 'WITHHOLD',
    read: parsedBy(parseWithhold),
    default: [],
    type: 'JSON list of rules',
    meaning:
      'Members of answers that never leave, besides those that connectors withhold: of a service or a tool, for everyone, for the users of a partner or for one client; see docs/guides/operators.md.',
    example: `'[{"service": "crm", "members": {"**.birthday": "drop"}}]'`,
    secret: true,
  }),
  requireReviewed: tools({
    variable: 'REQUIRE_REVIEWED',
    read: z.string(),
    defaultText: 'none: every tool is served',
    type: 'file or git revision',
    meaning:
      'What was reviewed: a file that npm run tools:diff -- --approve wrote, or a git revision of this project. A tool with another definition is not served.',
    example: 'origin/main',
  }),
  ...UPSTREAM_SETTINGS,
  toolCallsPerMinute: limits({
    variable: 'TOOL_CALLS_PER_MINUTE',
    read: wholeNumber(1, 1_000_000),
    default: 120,
    meaning: 'Requests of all kinds, tool calls among them, that one user may send to the endpoint per minute.',
  }),
  workSecondsPerMinute: limits({
    variable: 'WORK_SECONDS_PER_MINUTE',
    read: wholeNumber(1, 600),
    default: 10,
    meaning:
      'Seconds of one processor that the large answers (from 64 KiB) and the programs of one user may take per minute, in one process. After that, such calls are refused until the minute is over, and the refusal says for how long.',
    example: '20',
  }),
  callRecordRetentionDays: records({
    variable: 'CALL_RECORD_RETENTION_DAYS',
    read: wholeNumber(1, 3650),
    default: 90,
    meaning: 'Days after which the record of a tool call is removed.',
    example: '30',
  }),
  stopDelayMs: address({
    variable: 'STOP_DELAY_MS',
    read: wholeNumber(0, 600_000),
    default: 1000,
    meaning:
      'Time after SIGTERM or SIGINT in which requests are still accepted, each as the last one of its connection, so that clients with open connections lose none, in milliseconds. Without an open connection the gateway stops at once.',
  }),
  stopTimeoutMs: address({
    variable: 'STOP_TIMEOUT_MS',
    read: wholeNumber(0, 600_000),
    default: 10_000,
    meaning: 'Time that open requests have to finish after STOP_DELAY_MS, in milliseconds.',
  }),
} as const;
