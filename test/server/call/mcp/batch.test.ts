import { describe, expect, it } from 'vitest';
import { createRateLimiter } from '../../../../server/base/limits/limiter.ts';
import { closeAfterEach } from '../../../support/close-after-each.ts';
import {
  type EndpointOptions,
  echo,
  MODERN_META,
  provideTools,
  type RunningEndpoint,
  startEndpoint,
} from './support.ts';

const running = closeAfterEach<RunningEndpoint>();

const message = (id: number | undefined, method: string, params?: object) => ({ jsonrpc: '2.0', id, method, params });
const call = (id: number, text: string) => message(id, 'tools/call', { name: 'library_echo', arguments: { text } });
const many = (count: number) => Array.from({ length: count }, (_, index) => message(index + 1, 'ping'));

async function send(body: unknown, options: Partial<EndpointOptions> = {}, version?: string) {
  const endpoint = await startEndpoint({ tools: provideTools({ library_echo: echo }), ...options });
  running.push(endpoint);
  const response = await fetch(endpoint.url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(version === undefined ? {} : { 'mcp-protocol-version': version }),
    },
    body: JSON.stringify(body),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

describe('arguments as JSON text', () => {
  it.each([null, '2025-11-25'])('are read if the text is an object', async (version) => {
    const message = { ...call(1, ''), params: { name: 'library_echo', arguments: '{"text":"a"}' } };
    const { body } = await send(version === null ? [message, call(2, '')] : message, {}, version ?? undefined);
    expect((version === null ? body[0] : body).result.structuredContent).toEqual({ text: 'a' });
  });

  it.each(['x', '[1]', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`])('are refused otherwise: %s', async (text) => {
    const message = { ...call(1, ''), params: { name: 'library_echo', arguments: text } };
    const { status, body } = await send(message);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 1,
      error: { code: -32602, message: expect.stringContaining('"arguments" must be') },
    });
  });
});

describe('a batch (MCP 2025-03-26, Base Protocol, Batching)', () => {
  it.each([undefined, '2025-03-26', '2024-11-05'])('is answered message by message (%s)', async (version) => {
    const batch = [
      call(1, 'a'),
      message(undefined, 'notifications/initialized'),
      message(2, 'ping'),
      call(3, 'b'),
      message(4, 'nope'),
    ];
    const { status, body } = await send(batch, {}, version);
    expect(status).toBe(200);
    const byId = Object.fromEntries(body.map((answer: { id: number }) => [answer.id, answer]));
    expect(Object.keys(byId)).toEqual(['1', '2', '3', '4']);
    expect(byId[1].result.structuredContent).toEqual({ text: 'a' });
    expect(byId[2].result).toEqual({});
    expect(byId[3].result.structuredContent).toEqual({ text: 'b' });
    expect(byId[4].error.code).toBe(-32601);
  });

  it('of only notifications is 202', async () => {
    const { status, body } = await send([message(undefined, 'notifications/initialized')]);
    expect([status, body]).toEqual([202, null]);
  });

  it.each<[string, unknown, string | undefined]>([
    ['of a revision without batches', many(2), '2025-06-18'],
    ['of the newest 2025 revision', many(2), '2025-11-25'],
    ['of 2026', many(2), '2026-07-28'],
    ['of nothing', [], undefined],
    ['of more than twenty messages', many(21), undefined],
    ['with a message of 2026', [message(1, 'tools/list', { _meta: MODERN_META })], undefined],
  ])('%s is refused', async (_title, batch, version) => {
    const { status, body } = await send(batch, {}, version);
    expect([status, body.error.code]).toEqual([400, -32600]);
  });

  it('counts each of its messages against the limit of its user', async () => {
    const limited = () => ({ limit: createRateLimiter({ points: 3, durationSeconds: 60 }) });
    expect((await send(many(3), limited())).status).toBe(200);
    const { status, headers } = await send(many(4), limited());
    expect([status, headers.has('retry-after')]).toEqual([429, true]);
  });

  it('is refused as a whole if a call in it needs more scopes', async () => {
    const tools = {
      ...provideTools({ library_echo: echo }),
      missingScopes: () => ['tools:read', 'tools:write'] as const,
    };
    const { status, headers } = await send([message(1, 'ping'), call(2, 'a')], { tools });
    expect(status).toBe(403);
    expect(headers.get('www-authenticate')).toContain('scope="tools:read tools:write"');
  });
});
