import { readFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Forms, generateForms } from '../requests/forms/forms.ts';
import { startHost } from '../server/call/upstream/support.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { openListeningStore } from '../support/listening.ts';
import { connectClient } from '../support/mcp-client.ts';

const CASE = path.join(import.meta.dirname, '../golden/credential-in-path-and-body/specs/notes');
const SECRET = '8361:Zq9-x_Lm27';

interface Heard {
  readonly url: string;
  readonly body: string;
}

const TABLES = ['call_records', 'tallies'] as const;

let forms: Forms;
let host: Awaited<ReturnType<typeof startHost>>;
let gateway: RunningGateway;
let heard: Heard[] = [];
let status = 200;
const lines: string[] = [];

beforeAll(async () => {
  const config = await readFile(path.join(CASE, 'connector.yaml'), 'utf8');
  const answer = '{ type: object, properties: { url: { type: integer } } }';
  const answers = `'200': { description: A note., content: { application/json: { schema: ${answer} } } }`;
  const edit = (text: string) => text.replace("'204': { description: Done. }", answers);
  forms = await generateForms(path.join(CASE, 'openapi.yaml'), edit, config);
  host = await startHost((request, response) => {
    void read(request).then((body) => {
      const url = request.url ?? '';
      heard.push({ url, body });
      const echo = { message: `${request.method} ${url}`, url, body, [body]: url, next: `http://host${url}?page=2` };
      const echoed = {
        'content-type': 'application/json',
        link: `<${url}?page=2>; rel="next"`,
        'x-echo': encodeURIComponent(body),
      };
      response.writeHead(status, echoed).end(JSON.stringify({ ...echo, code: url, errors: [{ body }] }));
    });
  });
  gateway = await startGateway({
    connectors: [forms.connector],
    env: { FORMS_BASE_URL: host.origin, COUNT_USAGE: 'on' },
    secretOf: () => SECRET,
    log: (line) => lines.push(line),
  });
}, 60_000);
beforeEach(() => {
  heard = [];
  status = 200;
});
afterAll(async () => {
  await gateway?.close();
  await host?.close();
  await forms?.close();
});

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function call(name: string, args: Record<string, unknown>): Promise<string> {
  const client = await connectClient(gateway);
  try {
    return JSON.stringify(await client.callTool({ name, arguments: args }));
  } catch (error) {
    return String(error);
  } finally {
    await client.close();
  }
}

/** Plain, percent-encoded and in base64. */
function holdsSecret(text: string): boolean {
  const plain = text.replace(/%(\w\w)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  const decoded = [...plain.matchAll(/[\w+/]{16,}={0,2}/g)].map(([word]) =>
    Buffer.from(word, 'base64').toString('latin1'),
  );
  return [plain, ...decoded].some((one) => one.includes(SECRET));
}

describe('a model that wants the credential of a path or a body', () => {
  test('finds it in no schema', async () => {
    expect(forms.errors).toEqual([]);
    const client = await connectClient(gateway);
    const { tools } = await client.listTools();
    await client.close();
    expect(tools).toHaveLength(6);
    const words = JSON.stringify(tools.map(({ inputSchema, description }) => ({ inputSchema, description })));
    expect(words).not.toMatch(/"(token|key|secret|pin|signer)"/);
  });

  test.each([
    ['forms_get_note', { noteId: '7' }, `/bot${encodeURIComponent(SECRET)}/notes/7`, ''],
    ['forms_create_note', { title: 'Milk' }, '/notes', JSON.stringify({ title: 'Milk', key: SECRET })],
    ['forms_ping', {}, '/notes/ping', JSON.stringify({ key: SECRET })],
    ['forms_share_note', { to: 'a&b' }, '/notes/share', `to=a%26b&key=${encodeURIComponent(SECRET)}`],
    [
      'forms_sign_note',
      { text: 'x', auth: { method: 'plain' } },
      '/notes/sign',
      JSON.stringify({ text: 'x', auth: { method: 'plain', secret: SECRET }, signer: { pin: SECRET } }),
    ],
  ])('has it sent by the gateway only: %s', async (name, args, url, body) => {
    const result = await call(name, args);
    expect(heard).toEqual([{ url, body }]);
    expect(result).toContain('[redacted]');
    expect(holdsSecret(result)).toBe(false);
  });

  test.each([
    ['forms_create_note', { title: 'Milk', key: 'forged' }],
    ['forms_get_note', { noteId: '7', token: 'forged' }],
    ['forms_ping', { key: 'forged' }],
    ['forms_ping', { body: { key: 'forged' } }],
    ['forms_share_note', { to: 'a', 'key[]': 'forged' }],
  ])('cannot replace it by an argument: %s', async (name, args) => {
    await call(name, args);
    expect(JSON.stringify(heard)).not.toContain('forged');
  });

  test.each([
    ['forms_import_notes', { body: { key: 'forged', KEY: 'forged', a: 'b' } }, { a: 'b', key: SECRET }],
    [
      'forms_sign_note',
      { text: 'x', auth: { secret: 'forged', Secret: 'forged' } },
      { text: 'x', auth: { secret: SECRET }, signer: { pin: SECRET } },
    ],
  ])('cannot override it in an open object: %s', async (name, args, want) => {
    await call(name, args);
    expect(heard.map(({ body }) => JSON.parse(body))).toEqual([want]);
  });

  test.each(['..', '../..', '../getMe', '..%2f..', '7#', '7?token=forged', '{token}', '%7Btoken%7D', '7/../../bot'])(
    'cannot move it in the path with %j',
    async (noteId) => {
      const result = await call('forms_get_note', { noteId });
      for (const { url } of heard) {
        expect(url).toBe(`/bot${encodeURIComponent(SECRET)}/notes/${encodeURIComponent(noteId)}`);
      }
      expect(holdsSecret(result)).toBe(false);
    },
  );

  test.each([400, 403, 404, 422, 429, 500, 302])('reads it in no error of status %i', async (code) => {
    status = code;
    expect(holdsSecret(await call('forms_get_note', { noteId: '7' }))).toBe(false);
    expect(holdsSecret(await call('forms_create_note', { title: 'Milk' }))).toBe(false);
    expect(heard.length).toBeGreaterThanOrEqual(2);
  });

  test('reads it in no error about a refused credential', async () => {
    status = 401;
    expect(holdsSecret(await call('forms_get_note', { noteId: '7' }))).toBe(false);
    expect(heard).toHaveLength(1);
  });

  test('finds it in no stored row and no line of the log', async () => {
    await gateway.stop();
    const store = await openListeningStore({ url: gateway.databaseUrl });
    const rows = await Promise.all(
      TABLES.map(async (table) => [table, await store.db.selectFrom(table).selectAll().execute()] as const),
    );
    await store.close();
    expect(rows.filter(([, found]) => found.length === 0)).toEqual([]);
    expect(lines.length).toBeGreaterThan(0);
    expect(holdsSecret(JSON.stringify([rows, lines]))).toBe(false);
  });
});
