import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { MCP_PATH } from '../../../server/gateway-paths.ts';
import { connectClient } from '../../support/mcp-client.ts';
import { type ConnectUnderTest, describeConnect, REDIRECT_URI } from './support.ts';

const CONNECT_URL = 'https://acme.example/connections?from=gateway&service=library';

async function connectThenLose(given: ConnectUnderTest): Promise<string> {
  const { body } = await given.connected('library', 'alice', { 'credential-0': 'good-key-1' });
  given.accepted.clear();
  return body.access_token;
}

async function reconnect(given: ConnectUnderTest): Promise<void> {
  given.now += 1;
  given.accepted.add('good-key-2');
  const code = await given.connect('library', 'alice', { 'credential-0': 'good-key-2' });
  await given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
}

function modernCall(
  given: ConnectUnderTest,
  token: string,
  more: object = {},
  capabilities: object = ASKABLE,
  name = 'library_list',
) {
  return given.send(MCP_PATH, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'MCP-Protocol-Version': '2026-07-28',
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: {},
        ...more,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
          'io.modelcontextprotocol/clientCapabilities': capabilities,
        },
      },
    }),
  });
}

const ASKABLE = { elicitation: { url: {} } };

describeConnect('a connection whose credential is refused', (given) => {
  test('needs attention, gives the model the address, and is in the audit trail once', async () => {
    const token = await connectThenLose(given);
    for (const code of ['credential_refused', 'connection_needs_attention']) {
      const { body } = await given.call(token, 'library_list');
      expect(body.result.isError).toBe(true);
      expect(body.result.content[0].text).toContain(`The user does that at ${CONNECT_URL}`);
      expect(JSON.parse(body.result.content[1].text).code).toBe(code);
    }
    const [connection] = await given.store.db.selectFrom('connections').select('status').execute();
    expect(connection?.status).toBe('attention');
    const events = await given.store.db
      .selectFrom('audit_events')
      .select('id')
      .where('type', '=', 'connection_needs_attention')
      .execute();
    expect(events).toHaveLength(1);
    await reconnect(given);
    expect((await given.call(token, 'library_list')).body.result.isError).not.toBe(true);
  });

  test('is reported without an address if the partner has no connect_uri', async () => {
    await given.store.db.updateTable('partners').set({ connect_uri: null }).execute();
    const token = await connectThenLose(given);
    const { body } = await modernCall(given, token);
    expect(body.result.isError).toBe(true);
    expect(body.result.content[0].text).toContain('the user must connect The library again');
    expect(body.result.content[0].text).not.toContain('http');
  });

  test('asks a client that can open URLs, and the call continues after reconnecting', async () => {
    const token = await connectThenLose(given);
    const asked = await modernCall(given, token);
    expect(asked.body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { reconnect: { method: 'elicitation/create', params: { mode: 'url', url: CONNECT_URL } } },
      requestState: expect.any(String),
    });
    await reconnect(given);
    const { requestState } = asked.body.result;
    const more = { requestState, inputResponses: { reconnect: { action: 'accept' } } };
    const done = await modernCall(given, token, more);
    expect(done.body.result).toMatchObject({ structuredContent: { things: [] } });
  });

  test.each(['call_reading_tool', 'call_writing_tool'])(
    'asks through %s too, and the same call continues after reconnecting',
    async (caller) => {
      const token = await connectThenLose(given);
      const inner = { arguments: { name: 'library_list', arguments: {} } };
      const asked = await modernCall(given, token, inner, ASKABLE, caller);
      expect(asked.body.result).toMatchObject({
        resultType: 'input_required',
        inputRequests: { reconnect: { method: 'elicitation/create', params: { mode: 'url', url: CONNECT_URL } } },
        requestState: expect.any(String),
      });
      await reconnect(given);
      const { requestState } = asked.body.result;
      const more = { requestState, inputResponses: { reconnect: { action: 'accept' } } };
      const done = await modernCall(given, token, { ...inner, ...more }, ASKABLE, caller);
      expect(done.body.result).toMatchObject({ structuredContent: { things: [] } });

      const other = { arguments: { name: 'library_list', arguments: { a: 1 } } };
      const refused = await modernCall(given, token, { ...other, ...more }, ASKABLE, caller);
      expect(refused.body.error).toMatchObject({ code: -32602 });
    },
  );

  test('answers with a text if the client cannot open URLs, declined, or was asked three times', async () => {
    const token = await connectThenLose(given);
    expect((await modernCall(given, token, {}, { elicitation: {} })).body.result.isError).toBe(true);
    expect((await modernCall(given, token, {}, {})).body.result.content[0].text).toContain(CONNECT_URL);

    let { requestState } = (await modernCall(given, token)).body.result;
    const decline = { requestState, inputResponses: { reconnect: { action: 'decline' } } };
    expect((await modernCall(given, token, decline)).body.result.isError).toBe(true);

    const accept = { inputResponses: { reconnect: { action: 'accept' } } };
    for (let n = 0; n < 2; n += 1) {
      requestState = (await modernCall(given, token, { requestState, ...accept })).body.result.requestState;
      expect(requestState).toEqual(expect.any(String));
    }
    expect((await modernCall(given, token, { requestState, ...accept })).body.result.isError).toBe(true);
  });

  test('refuses a state that is changed, expired, of another user or of another call', async () => {
    const token = await connectThenLose(given);
    const { requestState } = (await modernCall(given, token)).body.result;
    const accept = { inputResponses: { reconnect: { action: 'accept' } } };
    const changed = await modernCall(given, token, { requestState: `${requestState.slice(0, -2)}AA`, ...accept });
    expect(changed.body.error).toMatchObject({ code: -32602 });
    const otherCall = await modernCall(given, token, { requestState, ...accept, arguments: { a: 1 } });
    expect(otherCall.body.error).toMatchObject({ code: -32602 });

    given.accepted.add('good-key-3');
    const other = (await given.connected('library', 'mallory', { 'credential-0': 'good-key-3' })).body.access_token;
    const stolen = await modernCall(given, other, { requestState, ...accept });
    expect(stolen.body.error).toMatchObject({ code: -32602 });

    given.now += 1_800_001;
    const late = await modernCall(given, token, { requestState, ...accept });
    expect(late.body.error).toMatchObject({ code: -32602 });
  });

  test('is fixed through the official client, which opens the URL and calls again', async () => {
    const token = await connectThenLose(given);
    const opened: string[] = [];
    const client = new Client(
      { name: 'test-client', version: '1.0.0' },
      { capabilities: { elicitation: { url: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', async (request) => {
      opened.push((request.params as { url: string }).url);
      await reconnect(given);
      return { action: 'accept' };
    });
    const transport = new StreamableHTTPClientTransport(new URL(given.origin + MCP_PATH), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
    });
    await client.connect(transport);
    const result = await client.callTool({ name: 'library_list', arguments: {} });
    expect(opened).toEqual([CONNECT_URL]);
    expect(result.structuredContent).toEqual({ things: [] });
    await client.close();
  });

  test('is answered with a text for the official client of the older generation', async () => {
    const token = await connectThenLose(given);
    const client = await connectClient({ url: given.origin + MCP_PATH, token, mode: 'legacy' });
    const result = await client.callTool({ name: 'library_list', arguments: {} });
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result.content)).toContain(CONNECT_URL);
    await client.close();
  });
});

describeConnect('a service that is not connected', (given) => {
  const OPEN_URL = 'https://acme.example/connections?from=gateway&service=open';
  const start = async () => {
    const { body } = await given.connected('library', 'alice', { 'credential-0': 'good-key-1' });
    return body.access_token as string;
  };

  test('is reported with the address where the user connects it', async () => {
    const { body } = await given.call(await start(), 'open_list');
    expect(JSON.parse(body.result.content[1].text).code).toBe('not_connected');
    expect(body.result.content[0].text).toContain(`The user does that at ${OPEN_URL}`);
  });

  test('is connected through a client that can open URLs, and the call continues', async () => {
    const token = await start();
    const asked = await modernCall(given, token, {}, ASKABLE, 'open_list');
    expect(asked.body.result).toMatchObject({
      resultType: 'input_required',
      inputRequests: { connect: { method: 'elicitation/create', params: { mode: 'url', url: OPEN_URL } } },
    });
    await given.connected('open', 'alice', {});
    const more = { requestState: asked.body.result.requestState, inputResponses: { connect: { action: 'accept' } } };
    const done = await modernCall(given, token, more, ASKABLE, 'open_list');
    expect(done.body.result).toMatchObject({ structuredContent: { things: [] } });
  });

  test('is reported without an address to a token that is narrowed to other services', async () => {
    const token = await start();
    await given.store.db.updateTable('access_tokens').set({ services: 'library' }).execute();
    const { body } = await given.call(token, 'open_list');
    expect(JSON.parse(body.result.content[1].text).code).toBe('not_allowed');
    expect(body.result.content[0].text).not.toContain('http');
  });
});
