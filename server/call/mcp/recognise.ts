/** Recognises messages that are answered without the SDK: common methods, if every member is well-formed. */

import type { IncomingHttpHeaders } from 'node:http';
import type { ProtocolEra } from '../tools/provider.ts';
import { isObject } from './json-rpc.ts';

/** A message that needs no further check. */
export type RecognisedMessage =
  /** `cancels`: id of the request that a 2025 client cancels, null for all other notifications. */
  | { readonly kind: 'notification'; readonly cancels: string | number | null }
  | { readonly kind: 'initialize'; readonly id: string | number; readonly protocolVersion: string }
  | { readonly kind: 'ping'; readonly id: string | number }
  | { readonly kind: 'discover'; readonly id: string | number }
  | {
      readonly kind: 'list';
      readonly id: string | number;
      readonly era: ProtocolEra;
      /** The cursor as the client sent it, or null for the first page. */
      readonly cursor: string | null;
    }
  | RecognisedCall;

/** A `tools/call`. */
export interface RecognisedCall {
  readonly kind: 'call';
  readonly id: string | number;
  readonly era: ProtocolEra;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Always empty in 2025. */
  readonly clientCapabilities: Readonly<Record<string, unknown>>;
  /** See `ToolCallContext`. */
  readonly meta: Readonly<Record<string, unknown>>;
  /** Null when the client did not ask for progress. */
  readonly progressToken: string | number | null;
}

type Members = Readonly<Record<string, unknown>>;
type Check = (value: unknown) => boolean;

/** Revisions without an envelope, the newest first. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'] as const;
export const MODERN_VERSION = '2026-07-28';

const PREFIX = 'io.modelcontextprotocol/';
const VERSION_KEY = `${PREFIX}protocolVersion`;
const CAPABILITIES_KEY = `${PREFIX}clientCapabilities`;
const NO_MEMBERS: Members = {};
const JSON_TYPE = /^application\/json(; ?charset=utf-8)?$/i;

const isLegacyVersion = (version: string | undefined): boolean =>
  version === undefined || (LEGACY_VERSIONS as readonly string[]).includes(version);

/**
 * Recognises a message.
 *
 * Null for everything else, valid or not: the SDK decides what to answer. So nothing here is lenient, and any
 * unexpected member is enough for null.
 */
export function recognise(headers: IncomingHttpHeaders, body: unknown): RecognisedMessage | null {
  if (!isObject(body) || body.jsonrpc !== '2.0' || !hasOnly(body, REQUEST_MEMBERS)) return null;
  const { id, method, params = NO_MEMBERS } = body;
  if (typeof method !== 'string' || !isObject(params)) return null;
  const { _meta: meta = NO_MEMBERS } = params;
  if (!isObject(meta)) return null;
  const { progressToken: token } = meta;
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token)) return null;
  if (!Object.hasOwn(body, 'id')) return recogniseNotification(headers, method, params, meta);
  if (typeof id !== 'string' && !Number.isSafeInteger(id)) return null;
  const request = { id: id as string | number, method, params, meta };
  return Object.hasOwn(meta, VERSION_KEY) ? recogniseModern(headers, request) : recogniseLegacy(headers, request);
}

interface Request {
  readonly id: string | number;
  readonly method: string;
  readonly params: Members;
  readonly meta: Members;
}

const REQUEST_MEMBERS = new Set(['jsonrpc', 'id', 'method', 'params']);
const META_ONLY = new Set(['_meta']);
const LIST_MEMBERS = new Set(['_meta', 'cursor']);
const CALL_MEMBERS = new Set(['_meta', 'name', 'arguments']);
const INITIALIZE_MEMBERS = new Set(['_meta', 'protocolVersion', 'capabilities', 'clientInfo']);

function recogniseNotification(
  headers: IncomingHttpHeaders,
  method: string,
  { requestId }: Members,
  meta: Members,
): RecognisedMessage | null {
  if (!method.startsWith('notifications/') || !isFreeOfEnvelope(meta)) return null;
  const version = headers['mcp-protocol-version'];
  if (isLegacyVersion(version as string | undefined)) {
    const isCancellation =
      method === 'notifications/cancelled' && (isString(requestId) || Number.isSafeInteger(requestId));
    return { kind: 'notification', cancels: isCancellation ? (requestId as string | number) : null };
  }
  const headerMethod = headers['mcp-method'];
  const isConsistent = headerMethod === undefined || headerMethod === method;
  return version === MODERN_VERSION && isConsistent && isJson(headers) ? { kind: 'notification', cancels: null } : null;
}

function recogniseLegacy(
  headers: IncomingHttpHeaders,
  { id, method, params, meta }: Request,
): RecognisedMessage | null {
  if (!isLegacyVersion(headers['mcp-protocol-version'] as string | undefined) || !isFreeOfEnvelope(meta)) return null;
  switch (method) {
    case 'ping':
      return hasOnly(params, META_ONLY) ? { kind: 'ping', id } : null;
    case 'initialize': {
      const { protocolVersion, capabilities, clientInfo } = params;
      const isKnown =
        hasOnly(params, INITIALIZE_MEMBERS) && isCapabilities(capabilities) && isImplementation(clientInfo);
      return isKnown && typeof protocolVersion === 'string' ? { kind: 'initialize', id, protocolVersion } : null;
    }
    case 'tools/list':
      return recogniseList(id, params, '2025');
    case 'tools/call':
      return recogniseCall({ id, params, meta, era: '2025', clientCapabilities: NO_MEMBERS });
    default:
      return null;
  }
}

function recogniseModern(
  headers: IncomingHttpHeaders,
  { id, method, params, meta }: Request,
): RecognisedMessage | null {
  const isConsistent = headers['mcp-protocol-version'] === MODERN_VERSION && headers['mcp-method'] === method;
  if (!isConsistent || !isJson(headers) || !isEnvelope(meta)) return null;
  switch (method) {
    case 'server/discover':
      return hasOnly(params, META_ONLY) ? { kind: 'discover', id } : null;
    case 'tools/list':
      return recogniseList(id, params, '2026');
    case 'tools/call': {
      const clientCapabilities = meta[CAPABILITIES_KEY] as Members;
      const call = recogniseCall({ id, params, meta: withoutEnvelope(meta), era: '2026', clientCapabilities });
      return call !== null && headers['mcp-name'] === call.name && !call.name.startsWith('=?') ? call : null;
    }
    default:
      return null;
  }
}

function recogniseList(id: string | number, params: Members, era: ProtocolEra): RecognisedMessage | null {
  const { cursor = null } = params;
  if (!hasOnly(params, LIST_MEMBERS) || (Object.hasOwn(params, 'cursor') && typeof cursor !== 'string')) return null;
  return { kind: 'list', id, era, cursor: cursor as string | null };
}

/** A request of the method `tools/call`. */
interface CallMessage {
  readonly id: string | number;
  readonly era: ProtocolEra;
  readonly params: Members;
  readonly meta: Members;
  readonly clientCapabilities: Members;
}

function recogniseCall({ id, era, params, meta, clientCapabilities }: CallMessage): RecognisedCall | null {
  const { name, arguments: args = NO_MEMBERS } = params;
  if (!hasOnly(params, CALL_MEMBERS) || typeof name !== 'string' || !isObject(args)) return null;
  // The SDK omits this member.
  if (Object.hasOwn(args, '__proto__')) return null;
  const { progressToken = null } = meta as { progressToken?: string | number };
  return { kind: 'call', id, era, name, args, clientCapabilities, meta, progressToken };
}

function withoutEnvelope(meta: Members): Members {
  let otherMembers: Record<string, unknown> | null = null;
  for (const name in meta) {
    if (Object.hasOwn(ENVELOPE, name)) continue;
    otherMembers ??= {};
    otherMembers[name] = meta[name];
  }
  return otherMembers ?? NO_MEMBERS;
}

const isJson = (headers: IncomingHttpHeaders): boolean => JSON_TYPE.test(headers['content-type'] ?? '');

const isString: Check = (value) => typeof value === 'string';
const isBoolean: Check = (value) => typeof value === 'boolean';
const isPlain: Check = (value) => isObject(value) && isFiniteJson(value);
const isArrayOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
const isRecordOf =
  (check: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value).every(check);
const isOneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.includes(value as string);

/** An object with no other members than these; each is optional unless it is `required`. */
const isShape =
  (members: Readonly<Record<string, Check>>, required: readonly string[] = []): Check =>
  (value) =>
    isObject(value) &&
    Object.keys(value).every((name) => Object.hasOwn(members, name) && members[name]?.(value[name])) &&
    required.every((name) => Object.hasOwn(value, name));

const isImplementation = isShape(
  {
    name: isString,
    version: isString,
    title: isString,
    description: isString,
    websiteUrl: isString,
    icons: isArrayOf(
      isShape({ src: isString, mimeType: isString, sizes: isArrayOf(isString), theme: isOneOf('light', 'dark') }, [
        'src',
      ]),
    ),
  },
  ['name', 'version'],
);

const isCapabilities = isShape({
  experimental: isRecordOf(isPlain),
  extensions: isRecordOf(isPlain),
  sampling: isShape({ context: isPlain, tools: isPlain }),
  elicitation: isShape({ form: isShape({ applyDefaults: isBoolean }), url: isPlain }),
  roots: isShape({ listChanged: isBoolean }),
});

const ENVELOPE: Readonly<Record<string, Check>> = {
  [VERSION_KEY]: (value) => value === MODERN_VERSION,
  [CAPABILITIES_KEY]: isCapabilities,
  [`${PREFIX}clientInfo`]: isImplementation,
  [`${PREFIX}logLevel`]: isOneOf('debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'),
};

/** The envelope of a 2026 request; it may also hold members of other owners. */
function isEnvelope(meta: Members): boolean {
  const isKnown = (name: string): boolean =>
    name.startsWith(PREFIX) ? ENVELOPE[name]?.(meta[name]) === true : name !== '__proto__';
  return Object.hasOwn(meta, CAPABILITIES_KEY) && Object.keys(meta).every(isKnown);
}

function isFreeOfEnvelope(meta: Members): boolean {
  return Object.keys(meta).every((name) => !name.startsWith(PREFIX) && name !== '__proto__');
}

function hasOnly(members: Members, names: ReadonlySet<string>): boolean {
  for (const name in members) if (!names.has(name)) return false;
  return true;
}

/** `1e999` is valid JSON, but becomes `Infinity`, which the SDK does not accept as a number. */
function isFiniteJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isFiniteJson);
}

/** Each message counts against its user's limit, and all are answered together. */
const MAX_MESSAGES = 20;

const VERSIONS: readonly (string | undefined)[] = ['2025-03-26', '2024-11-05', '2024-10-07', undefined];

/**
 * The messages of a batch, which servers of those revisions MUST accept. A request that names no revision has 2025-03-26
 * (MCP 2025-11-25, Protocol Version Header).
 *
 * Null for a body that is not a batch, and for a refused one: of a later revision, empty, or of more than 20 messages.
 */
export function batchOf(headers: IncomingHttpHeaders, body: unknown): readonly unknown[] | null {
  if (!Array.isArray(body) || body.length === 0 || body.length > MAX_MESSAGES) return null;
  return VERSIONS.includes(headers['mcp-protocol-version'] as string | undefined) ? body : null;
}
