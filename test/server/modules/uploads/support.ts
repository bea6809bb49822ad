/** Services with tools that take files, and the steps of an upload. */

import type { RequestListener } from 'node:http';
import { fakeConnector, fakeTool } from '../../../support/fake-connector.ts';
import { type Answer, type Browser, fieldOf, type UserPageUnderTest, type World } from '../me/support.ts';

export const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
export const PDF = Buffer.from(`%PDF-1.7 ${'report '.repeat(200)}`);
export const TOOL = 'gateway_request_upload';

const BASE64 = { type: 'string', contentEncoding: 'base64' };
const FILE = {
  type: 'object',
  properties: { data: BASE64, name: { type: 'string' }, mimeType: { type: 'string' } },
  required: ['data'],
  additionalProperties: false,
};
const MULTIPART = { as: 'multipart', mediaType: 'multipart/form-data' } as const;
const DESTROYS = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true };

const attach = (name: string, mediaTypes: readonly string[], more = {}) =>
  fakeTool({
    name,
    method: 'POST',
    path: '/store',
    input: {
      properties: {
        file: FILE,
        other: FILE,
        note: { type: 'string' },
        also: { type: 'array', items: { type: 'string' } },
        count: { type: 'integer' },
      },
    },
    request: {
      body: {
        ...MULTIPART,
        members: {
          file: { argument: 'file', file: mediaTypes },
          other: { argument: 'other', file: [] },
          note: 'note',
        },
      },
    },
    more: { title: 'Attach a file', gatewayArguments: ['also', 'count'], batch: ['note'], ...more },
  });

/** Bytes that the upstream got last, the status of its answers, the state of work that was begun, and what happens at every request. */
export const upstreamState = { body: Buffer.alloc(0), status: 200, state: 'done', onRequest: (): void => {} };

const upstream: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('end', () => {
    if (request.method !== 'GET') upstreamState.body = Buffer.concat(chunks);
    upstreamState.onRequest();
    response.statusCode = upstreamState.status;
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ stored: true, state: upstreamState.state }));
  });
};

export const WORLD: World = {
  connectors: [
    fakeConnector({
      tools: [
        attach('library_attach', []),
        attach('library_attach_picture', ['image/png', 'image/jpeg']),
        attach('library_attach_table', ['text/csv', 'application/vnd.oasis.opendocument.spreadsheet']),
        attach('library_replace', [], { title: 'Replace a file', annotations: DESTROYS }),
        fakeTool({
          name: 'library_put',
          method: 'POST',
          path: '/store',
          input: { properties: { body: { ...BASE64, maxLength: 40 } } },
          request: { body: { mediaType: 'application/octet-stream', as: 'bytes', argument: 'body' } },
        }),
        fakeTool({ name: 'library_find' }),
        attach('library_convert', [], {
          wait: { tool: 'library_find', arguments: {}, state: '/state', until: ['done'], failed: [] },
        }),
      ],
    }),
    fakeConnector({ name: 'archive', title: 'City Archive', tools: [fakeTool({ name: 'archive_read' })] }),
  ],
  upstream,
};

/** An upload as the tool tells it. */
export interface AskedUpload {
  readonly handle: string;
  readonly putUrl: string;
  readonly pageUrl: string;
  readonly maxBytes: number;
  readonly mediaTypes: readonly string[];
}

/** Asks for an upload. */
export async function askUpload(given: UserPageUnderTest, token: string, args: object = {}): Promise<AskedUpload> {
  const answer = await given.call(token, TOOL, { tool: 'library_attach', argument: 'file', ...args });
  return answer.body.result.structuredContent.upload;
}

/** Sends bytes to an address. */
export function put(
  given: UserPageUnderTest,
  { putUrl }: Pick<AskedUpload, 'putUrl'>,
  bytes: Uint8Array,
  type: string | null = null,
): Promise<Answer> {
  const headers: Record<string, string> = type === null ? {} : { 'Content-Type': type };
  const path = putUrl.slice(given.origin.length);
  return given.send(path, { method: 'PUT', body: new Uint8Array(bytes), headers });
}

/** Sends a file as the form of the page does, in a browser that is signed in. */
export async function submitFile(
  browser: Browser,
  { pageUrl }: Pick<AskedUpload, 'pageUrl'>,
  bytes: Uint8Array,
  name: string,
  type = 'text/html',
): Promise<Answer> {
  const path = new URL(pageUrl).pathname;
  const body = new FormData();
  body.set('csrf', fieldOf((await browser.get(path)).text, 'csrf'));
  body.set('file', new File([new Uint8Array(bytes)], name, { type }));
  return browser.send(path, { method: 'POST', body });
}

/** The code of a failed call, or `ok`. */
export function codeOf({ body: { result } }: Answer): string {
  return result.isError === true ? JSON.parse(result.content[1].text).code : 'ok';
}
