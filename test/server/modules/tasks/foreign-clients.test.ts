import { pathToFileURL } from 'node:url';
import { expect, test, vi } from 'vitest';
import { MCP_PATH } from '../../../../server/gateway-paths.ts';
import { findTool } from '../../../support/fuller-checks.ts';
import { INSPECTOR, inspectCall } from '../../../support/inspector.ts';
import { connectClient } from '../../../support/mcp-client.ts';
import { describeUserPage, type World } from '../me/support.ts';
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

describeUserPage(
  'clients of others that follow tasks',
  (given) => {
    test.skipIf(EXT_TASKS === null).each([
      ['library_search', 0],
      ['library_burn', 1],
    ])('the client of the extension calls %s, and answers %i questions', async (name, questions) => {
      const { createTaskSessionFromClient, resultFromTaskOutcome } = await import(pathToFileURL(EXT_TASKS!).href);
      const { token } = await given.allow('Agent');
      const client = await connectClient({ url: given.origin + MCP_PATH, token, mode: VERSION });
      const heard: string[] = [];
      const rawDispatch = async (request: Raw) => {
        const { method, params } = request;
        const response = await fetch(given.origin + MCP_PATH, {
          method: 'POST',
          headers: {
            ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
            ...{ accept: 'application/json, text/event-stream', 'mcp-protocol-version': VERSION },
            ...{ 'mcp-method': method, 'mcp-name': params.name ?? params.taskId },
          },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...request }),
        });
        const { result, error } = (await response.json()) as Raw;
        heard.push(`${method} ${error?.code ?? result.status ?? result.resultType}`);
        return error === undefined ? { kind: 'result', result } : { kind: 'error', error };
      };
      let asked = 0;
      const session = createTaskSessionFromClient(client, {
        ...{ endpointId: 'gateway', rawDispatch },
        v2RequestFraming: {
          protocolVersion: VERSION,
          ...{ clientInfo: { name: 'ext-tasks', version: '1' } },
          clientCapabilities: { ...DECLARED, elicitation: { form: {} } },
        },
        onInputRequest: async () => {
          asked += 1;
          return { action: 'accept', content: {} };
        },
      });
      const execution = await session.callTool(name, {});
      const { outcome } = await execution.settle();
      expect(resultFromTaskOutcome(outcome).structuredContent).toEqual({ done: true });
      expect(asked).toBe(questions);
      expect(heard[0]).toBe(`tools/call ${questions === 0 ? 'working' : 'input_required'}`);
      expect(heard.at(-1)).toBe('tasks/get completed');
      await session.close();
      await client.close();
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
