import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startHost } from '../server/call/upstream/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const SECRET = 'sk_live/9f+2A"77=c';
const escaped = [...SECRET].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('');
const lowerCase = (text: string) => text.replace(/%../g, (byte) => byte.toLowerCase());
const spaced = [...SECRET].join('\u200b');

interface Echo {
  readonly status?: number;
  readonly type?: string;
  readonly body: string | Buffer;
}

const ECHOES: Readonly<Record<string, Echo>> = {
  'JSON with escaped slashes': { body: `{"said":"key sk_live\\/9f+2A\\"77=c"}` },
  'JSON in escapes alone': { body: `{"said":"${escaped}"}` },
  'JSON of a percent-encoded address': {
    body: JSON.stringify({ next: `/x?k=${lowerCase(encodeURIComponent(SECRET))}` }),
  },
  'JSON whose percent sign is escaped': {
    body: JSON.stringify({ next: encodeURIComponent(SECRET) }).replaceAll('%', '\\u0025'),
  },
  'a name in JSON': { body: JSON.stringify({ [SECRET]: 1 }) },
  'JSON as a text': { type: 'text/plain', body: `{"said":"sk_live\\/9f+2A\\"77=c"}` },
  'a web page': { type: 'text/html', body: `<p>sk_live&#47;9f&plus;2A&quot;77=c</p>` },
  'an image': { type: 'image/png', body: Buffer.concat([Buffer.from([0x89, 0xff]), Buffer.from(SECRET)]) },
  'an error in JSON': { status: 400, body: `{"message":"bad key sk_live\\/9f+2A\\"77=c"}` },
  'an error with hidden characters between': { status: 400, body: JSON.stringify({ message: `bad key ${spaced}` }) },
  'a code of an error': { status: 422, body: JSON.stringify({ message: 'no', code: encodeURIComponent(SECRET) }) },
  'details of an error': { status: 422, body: JSON.stringify({ message: 'no', errors: [{ key: SECRET }] }) },
  'an error in base64': { status: 500, type: 'text/plain', body: Buffer.from(`Key ${SECRET} !`).toString('base64') },
};

let host: Awaited<ReturnType<typeof startHost>>;
let gateway: RunningGateway;
beforeAll(async () => {
  const answer = (response: ServerResponse, { status = 200, type = 'application/json', body }: Echo) =>
    response.writeHead(status, { 'content-type': type }).end(body);
  host = await startHost((request, response) => {
    const name = new URL(request.url ?? '', 'http://host').searchParams.get('name') ?? '';
    answer(response, ECHOES[name] ?? { body: '{}' });
  });
  const tool = fakeTool({ name: 'library_echo', input: { properties: { name: { type: 'string' } } } });
  gateway = await startGateway({
    connectors: [fakeConnector({ tools: [tool], parts: [{ id: 'key', type: 'header', label: 'Key', name: 'x-key' }] })],
    env: { LIBRARY_BASE_URL: host.origin },
    secretOf: () => SECRET,
  });
});
afterAll(async () => {
  await gateway.close();
  await host.close();
});

describe('an upstream that repeats the credential', () => {
  test.each(Object.keys(ECHOES))('shows it to no model: %s', async (name) => {
    const client = await connectClient(gateway);
    const result = await client.callTool({ name: 'library_echo', arguments: { name } });
    await client.close();
    const sent = JSON.stringify(result);
    const blobs = [...sent.matchAll(/"data":"([^"]+)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString('latin1'),
    );
    const all = plain([sent, ...blobs].join(' '));
    expect(all).toMatch(/\[redacted\]|\*{8}/);
    expect(all).not.toContain('9f');
  });
});

function plain(text: string): string {
  return text
    .replace(/[\u200b\\]/g, '')
    .replace(/%(\w\w)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replace(/[\w+/]{16,}={0,2}/g, (word) => `${word} ${Buffer.from(word, 'base64').toString('latin1')}`);
}
