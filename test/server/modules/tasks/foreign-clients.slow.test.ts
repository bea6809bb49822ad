import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { findTool } from '../../../support/fuller-checks.ts';
import { INSPECTOR, inspectCall } from '../../../support/inspector.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { describeUserPage, type UserPageUnderTest, type World } from '../me/support.ts';
import { slowLibrary } from './connector.ts';
import { DECLARED, type Raw } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const EXT_TASKS = findTool('@modelcontextprotocol/ext-tasks/dist/client/index.js');
const VERSION = '2026-07-28';

const WORLD: World = {
  connectors: [slowLibrary()],
  upstream(_, response) {
    response.setHeader('content-type', 'application/json');
    setTimeout(() => response.end('{"done":true}'), 700);
  },
};

/** A client of the extension's own library, and what the gateway answered it. */
async function openSession(given: UserPageUnderTest, clientCapabilities: object) {
  const { createTaskSessionFromClient } = await import(pathToFileURL(EXT_TASKS!).href);
  const { token } = await given.allow('Agent');
  const client = await connectClient({ url: given.origin + MCP_PATH, token, mode: VERSION });
  const heard: { readonly line: string; readonly message: string | undefined }[] = [];
  let asked = 0;
  const rawDispatch = async (request: Raw) => {
    const { method, params } = request;
    const response = await fetch(given.origin + MCP_PATH, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        'mcp-name': params.name ?? params.taskId,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
    });
    const { result, error } = (await response.json()) as Raw;
    heard.push({
      line: `${method} ${error?.code ?? result.status ?? result.resultType}`,
      message: result?.statusMessage,
    });
    return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
  };
  const session = createTaskSessionFromClient(client, {
    endpointId: 'gateway',
    rawDispatch,
    v2RequestFraming: {
      protocolVersion: VERSION,
      clientInfo: { name: 'ext-tasks', version: '1' },
      clientCapabilities,
    },
    onInputRequest: async () => {
      asked += 1;
      return { action: 'accept', content: {} };
    },
  });
  return {
    heard,
    asked: () => asked,
    call: (name: string): Promise<Raw> => session.callTool(name, {}),
    async close() {
      await session.close();
      await client.close();
    },
  };
}

describeUserPage(
  'clients of others that follow tasks',
  (given) => {
    test.skipIf(EXT_TASKS === null).each([
      ['library_search', 0],
      ['library_burn', 1],
    ])('the client of the extension calls %s, and answers %i questions', async (name, questions) => {
      const { resultFromTaskOutcome } = await import(pathToFileURL(EXT_TASKS!).href);
      const session = await openSession(given, { ...DECLARED, elicitation: { form: {} } });
      const { outcome } = await (await session.call(name)).settle();
      expect(resultFromTaskOutcome(outcome).structuredContent).toEqual({ done: true });
      expect(session.asked()).toBe(questions);
      expect(session.heard[0]?.line).toBe(`tools/call ${questions === 0 ? 'working' : 'input_required'}`);
      expect(session.heard.at(-1)?.line).toBe('tasks/get completed');
      await session.close();
    });

    test.skipIf(INSPECTOR === null)('the Inspector calls a slow tool', async () => {
      const { token } = await given.allow('Inspector');
      const gateway = { url: given.origin + MCP_PATH, token };
      const { exitCode, output } = await inspectCall(gateway, 'modern', { name: 'library_search', arguments: {} });
      expect(exitCode, output).toBe(0);
      expect(output).toContain('done');
      const kept = await given.store.db.selectFrom('tasks').select('status').execute();
      expect(kept).toEqual([{ status: 'completed' }]);
    });
  },
  { APPROVALS: 'destroy', APPROVAL_CHANNELS: 'client-always', TASK_AFTER_MS: '200' },
  WORLD,
);

describeUserPage(
  'the client of the extension that shows neither pages nor forms',
  (given) => {
    test.skipIf(EXT_TASKS === null)('waits until its user has approved the call', async () => {
      const { resultFromTaskOutcome } = await import(pathToFileURL(EXT_TASKS!).href);
      const session = await openSession(given, { extensions: DECLARED.extensions });
      const execution = await session.call('library_burn');
      const settled = execution.settle();
      const [url = ''] = /http\S+$/.exec(session.heard[0]?.message ?? '') ?? [];
      const path = url.slice(given.origin.length);
      const browser = await given.entered();
      const [, call = ''] = /name="call" value="([^"]+)"/.exec((await browser.get(path)).text) ?? [];
      await browser.submit(path, '/me/approvals/decide', [
        ['call', call],
        ['decision', 'approve'],
      ]);
      expect(resultFromTaskOutcome((await settled).outcome).structuredContent).toEqual({ done: true });
      expect([session.heard[0]?.line, session.asked()]).toEqual(['tools/call working', 0]);
      await session.close();
    });
  },
  { APPROVALS: 'destroy', TASK_AFTER_MS: '200' },
  WORLD,
);
