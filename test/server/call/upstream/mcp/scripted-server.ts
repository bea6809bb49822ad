import type { ServerResponse } from 'node:http';
import { afterEach } from 'vitest';
import { createValueSealer } from '../../../../../server/base/credentials/sealed-value.ts';
import type { Tool } from '../../../../../server/contract/index.ts';
import type { McpTool } from '../../../../../shared/mcp/lock.ts';
import { keyBytes } from '../../../../support/keys.ts';
import { createFixture, type FixtureOptions } from '../../tools/support.ts';
import { startHost } from '../support.ts';
import { GREET, mcpConnector, mcpTool } from './support.ts';

export const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

export interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params?: Record<string, unknown>;
}

export type Answer = (message: Message, response: ServerResponse, headers: Record<string, unknown>) => void;

export const PAGES = {
  states: createValueSealer({ keys: [{ id: 'test', key: keyBytes(1) }], purpose: 'tool call' }),
  consentLinks: { urlOf: () => '', open: () => null },
};

const RESULTS: Record<string, (message: Message) => unknown> = {
  'server/discover': () => ({
    resultType: 'complete',
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/list': () => ({ resultType: 'complete', tools: [GREET], ttlMs: 0, cacheScope: 'private' }),
};

export function send(response: ServerResponse, { id }: Message, result: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
}

export async function openServer(
  onCall: Answer,
  options: {
    tool?: McpTool;
    timeoutMs?: number;
    results?: Partial<typeof RESULTS>;
    path?: string;
    annotations?: Tool['annotations'];
    more?: Partial<FixtureOptions>;
  } = {},
) {
  const { tool = GREET, timeoutMs = 5000, results = {}, path = '/mcp', annotations, more = {} } = options;
  const messages: Message[] = [];
  const paths = new Set<string | undefined>();
  const host = await startHost(async (request, response) => {
    paths.add(request.url);
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const message = JSON.parse(Buffer.concat(chunks).toString() || '{"method":"GET"}') as Message;
    messages.push(message);
    const result = (message.method in results ? results : RESULTS)[message.method];
    if (result !== undefined) send(response, message, result(message));
    else if (message.method.startsWith('notifications/')) response.writeHead(202).end();
    else onCall(message, response, request.headers);
  });
  const limits = { timeoutMs, maxResultBytes: 100_000 };
  const fixture = createFixture({
    connectors: [mcpConnector([mcpTool(tool, annotations && { annotations })])],
    origin: host.origin + path,
    ...more,
    upstream: limits,
    changes: { ...limits, pages: PAGES },
  });
  open.push(host.close, fixture.close);
  const call = async () => {
    const result = await fixture.call('people_greet', { name: 'Ada' });
    const code = result.isError === true ? JSON.parse(String(result.content[1]?.text)).code : 'ok';
    return { result, code, text: String(result.content[0]?.text) };
  };
  return { call, messages, paths, host, fixture };
}

export const stream = (response: ServerResponse) => response.writeHead(200, { 'content-type': 'text/event-stream' });
