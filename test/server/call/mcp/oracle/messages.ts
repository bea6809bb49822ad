/** Requests to draw from: well-formed ones of every method and era. */

import { MODERN_META } from '../support.ts';
import type { Sent } from './pair.ts';

/** JSON whose objects can have a member twice and whose numbers can be written in any way. */
export type Json =
  | { readonly kind: 'object'; readonly members: readonly (readonly [string, Json])[] }
  | { readonly kind: 'array'; readonly items: readonly Json[] }
  | { readonly kind: 'text'; readonly text: string };

/** A request before it is written. */
export interface Draft {
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Json;
}

export function toJson(value: unknown): Json {
  if (Array.isArray(value)) return { kind: 'array', items: value.map(toJson) };
  if (typeof value === 'object' && value !== null) {
    return { kind: 'object', members: Object.entries(value).map(([name, member]) => [name, toJson(member)]) };
  }
  return { kind: 'text', text: JSON.stringify(value) };
}

export function write(json: Json): string {
  switch (json.kind) {
    case 'object':
      return `{${json.members.map(([name, member]) => `${JSON.stringify(name)}:${write(member)}`).join(',')}}`;
    case 'array':
      return `[${json.items.map(write).join(',')}]`;
    case 'text':
      return json.text;
  }
}

export function toSent({ headers, body }: Draft): Sent {
  return { method: 'POST', headers, body: write(body) };
}

const CLIENT_INFO = {
  name: 'client',
  title: 'Client',
  version: '1.0.0',
  websiteUrl: 'https://client.example/',
  icons: [{ src: 'https://client.example/icon.png', mimeType: 'image/png', sizes: ['48x48'], theme: 'dark' }],
};
const CAPABILITIES = {
  elicitation: { form: {}, url: {} },
  sampling: { tools: {} },
  roots: { listChanged: true },
  extensions: { 'x.example/e': { deep: [1, { a: null }] } },
  experimental: { e: {} },
};

function legacy(method: string, params?: object, version: string | null = '2025-11-25'): Draft {
  return {
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ...(version === null ? [] : [['mcp-protocol-version', version] as const]),
    ],
    body: toJson({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) }),
  };
}

function modern(method: string, params: Readonly<Record<string, unknown>> = {}, meta: object = {}): Draft {
  return {
    headers: [
      ['content-type', 'application/json'],
      ['accept', 'application/json, text/event-stream'],
      ['mcp-protocol-version', '2026-07-28'],
      ['mcp-method', method],
      ...(typeof params.name === 'string' ? [['mcp-name', params.name] as const] : []),
    ],
    body: toJson({ jsonrpc: '2.0', id: 'm-1', method, params: { _meta: { ...MODERN_META, ...meta }, ...params } }),
  };
}

function notification(method: string, version: string, params?: object): Draft {
  return {
    headers: [
      ['content-type', 'application/json'],
      ['mcp-protocol-version', version],
      ['mcp-method', method],
    ],
    body: toJson({ jsonrpc: '2.0', method, ...(params && { params }) }),
  };
}

const CALL = { name: 'library_echo', arguments: { text: 'hi', deep: { list: [1, 'a', null] } } };
const NAMES = ['library_fails', 'library_complete', 'library_meta', 'library_asks', 'library_throws', 'library_nope'];
const FULL_META = {
  'io.modelcontextprotocol/clientInfo': CLIENT_INFO,
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
  'io.modelcontextprotocol/logLevel': 'info',
  progressToken: 7,
  'claudecode/toolUseId': 'toolu_1',
  idempotencyKey: 'k-1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
};

/** Requests that the fast path answers: each is recognised unchanged. */
export const EVERYDAY: readonly Draft[] = [
  legacy(
    'initialize',
    { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'c', version: '1' } },
    null,
  ),
  legacy('initialize', { protocolVersion: '2024-11-05', capabilities: CAPABILITIES, clientInfo: CLIENT_INFO }, null),
  legacy('initialize', { protocolVersion: '2031-01-01', capabilities: {}, clientInfo: CLIENT_INFO }, '2025-06-18'),
  legacy('ping'),
  legacy('ping', {}, null),
  legacy('tools/list'),
  legacy('tools/list', { _meta: { progressToken: 'p' } }, '2025-03-26'),
  legacy('tools/call', CALL),
  legacy('tools/call', { name: 'library_echo' }, '2024-10-07'),
  legacy('tools/call', { ...CALL, _meta: { progressToken: 3, 'claudecode/toolUseId': 'toolu_1' } }),
  legacy('tools/call', { ...CALL, _meta: { idempotencyKey: 'k-1' } }),
  modern('tools/call', CALL, { idempotencyKey: 'k-1' }),
  modern('server/discover'),
  modern('server/discover', {}, FULL_META),
  modern('tools/list'),
  modern('tools/list', {}, FULL_META),
  ...['MWxpYnJhcnlfZWNobw', 'MWxpYnJhcnlfenp6', '', 'x', 'MWxpYnJhcnlfZWNobw=='].flatMap((cursor) => [
    legacy('tools/list', { cursor }),
    modern('tools/list', { cursor }, FULL_META),
  ]),
  modern('tools/call', CALL),
  modern('tools/call', CALL, FULL_META),
  notification('notifications/initialized', '2025-11-25'),
  notification('notifications/cancelled', '2025-06-18', { requestId: 1, reason: 'x' }),
  notification('notifications/cancelled', '2026-07-28', { requestId: 1 }),
  ...NAMES.flatMap((name) => [
    legacy('tools/call', { name, arguments: {} }),
    modern('tools/call', { name, arguments: {} }),
  ]),
];

/** One of each kind, with every optional member. */
export const FULL: readonly Draft[] = [
  legacy('initialize', { protocolVersion: '2025-11-25', capabilities: CAPABILITIES, clientInfo: CLIENT_INFO }),
  legacy('tools/list', { _meta: { progressToken: 'p' } }),
  legacy('tools/call', { ...CALL, _meta: { progressToken: 3 } }),
  modern('server/discover'),
  modern('tools/call', CALL, FULL_META),
  notification('notifications/cancelled', '2025-11-25', { requestId: 1 }),
  notification('notifications/cancelled', '2026-07-28', { requestId: 1, _meta: { progressToken: 3 } }),
];

/** Requests that the SDK answers; others are drawn from them too. */
export const OTHERS: readonly Draft[] = [
  legacy('server/discover'),
  legacy('prompts/list'),
  legacy('logging/setLevel', { level: 'info' }),
  legacy('tools/list', { cursor: 1 }),
  modern('tools/list', { cursor: null }),
  modern('ping'),
  modern('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: CLIENT_INFO }),
  modern('resources/read', { uri: 'x:///y' }),
  modern('subscriptions/listen', { notifications: {} }),
  notification('tools/list', '2025-11-25'),
  notification('subscriptions/listen', '2026-07-28'),
  legacy('tools/call', { ...CALL, _meta: { 'io.modelcontextprotocol/idempotencyKey': 'k-2' } }),
  modern('tools/call', CALL, { 'io.modelcontextprotocol/idempotencyKey': 'k-2' }),
  modern('tools/call', { ...CALL, requestState: 'sealed', inputResponses: { connect: { action: 'accept' } } }),
  modern(
    'tools/call',
    { name: 'library_asks', arguments: {} },
    { 'io.modelcontextprotocol/clientCapabilities': CAPABILITIES },
  ),
];
