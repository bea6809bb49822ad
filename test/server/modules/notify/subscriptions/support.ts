/** A service that tells events, its signed calls, and a client of 2026-07-28. */

import { createHmac } from 'node:crypto';
import type { Connector } from '../../../../../server/contract/index.ts';
import { MCP_PATH } from '../../../../../server/gateway-paths.ts';
import { fakeConnector, fakeTool } from '../../../../support/fake-connector.ts';
import type { UserPageUnderTest, World } from '../../me/support.ts';

const text = { type: 'string' };

/** `library` tells of books, `archive` of nothing. */
export const LIBRARY: Connector = {
  ...fakeConnector({
    tools: [
      fakeTool({
        name: 'library_find',
        input: { properties: { shelf: text } },
        more: { result: { mayBeEmpty: true, withhold: { 'owner.taxNumber': 'drop' } } },
      }),
      fakeTool({ name: 'library_lend', method: 'POST' }),
    ],
  }),
  events: {
    signature: { header: 'X-Signature', encoding: 'hex', signed: '{body}' },
    type: 'body.type',
    id: 'body.nonce',
    time: 'body.at',
    data: 'payload',
    types: [
      {
        name: 'library.book_returned',
        description: 'A book was returned.',
        value: 'book_returned',
        tool: 'library_find',
        inputSchema: {
          type: 'object',
          properties: { shelf: { ...text, description: 'Only of this shelf.' }, taxNumber: text },
          additionalProperties: false,
        },
        payloadSchema: {
          type: 'object',
          properties: { id: {}, shelf: {}, owner: { properties: { name: {}, taxNumber: {} } } },
        },
        filters: { shelf: 'shelf', 'owner.taxNumber': 'taxNumber' },
      },
    ],
  },
};

export const WORLD: World = {
  connectors: [
    LIBRARY,
    fakeConnector({ name: 'archive', title: 'Archive', tools: [fakeTool({ name: 'archive_read' })] }),
  ],
  upstream: (_, response) => void response.setHeader('Content-Type', 'application/json').end('{"done":true}'),
};

export const SECRET = 'the-secret-of-the-library';
export const NAME = 'library.book_returned';
export const CLIENT_SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

/** Makes the address of `library` of `alice`. @returns its path. */
export async function openAddress(given: UserPageUnderTest, service = 'library'): Promise<string> {
  const path = `alice/connections/${service}/event-address`;
  const { body } = await given.api('POST', path);
  await given.api('PUT', path, { secret: SECRET });
  return String(body.url).slice(given.origin.length);
}

/** What the service says of one book. */
export function told(nonce: string, payload: object = {}): string {
  return JSON.stringify({ nonce, type: 'book_returned', payload: { id: nonce, shelf: 'north', ...payload } });
}

export function sign(body: string, secret = SECRET): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/** A call of the service. @returns its status. */
export async function tell(
  given: UserPageUnderTest,
  path: string,
  body: string,
  signature = sign(body),
): Promise<number> {
  const headers = { 'Content-Type': 'application/json', 'X-Signature': signature };
  return (await given.send(path, { method: 'POST', headers, body })).status;
}

/** Asks the endpoint. @returns `result` or `error`. */
// biome-ignore lint/suspicious/noExplicitAny: the tests inspect raw answers
export async function ask(given: UserPageUnderTest, token: string, method: string, params: object = {}): Promise<any> {
  const { result, error } = JSON.parse(await askText(given, token, method, params));
  return result ?? error;
}

/** Asks the endpoint. @returns the answer as it came. */
export async function askText(
  given: UserPageUnderTest,
  token: string,
  method: string,
  params: object,
): Promise<string> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const { text } = await given.send(MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': method,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  return text;
}
