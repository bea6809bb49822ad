import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test, vi } from 'vitest';
import { openSandbox } from '../../../../../sandbox/index.ts';
import { loadConnectors } from '../../../../../server/call/tools/catalogue/connectors.ts';
import { MCP_PATH } from '../../../../../server/gateway-paths.ts';
import { findTool } from '../../../../support/fuller-checks.ts';
import { describeUserPage } from '../../me/support.ts';
import { ask, openAddress, SECRET } from './support.ts';

vi.setConfig({ testTimeout: 60_000 });

const NAME = 'retrieval.document_status_updated';
const sandbox = await openSandbox({ root: process.cwd(), services: ['retrieval'], world: 20 });
const connectors = (await loadConnectors()).filter(({ name }) => name === 'retrieval');
const AI_SDK = findTool('@ai-sdk/mcp/dist/index.js');

describeUserPage(
  'events of a service that calls when its world changes',
  (given) => {
    /** Registers the address of `alice` at the service. */
    const register = async () => {
      const path = await openAddress(given, 'retrieval');
      await fetch(`${sandbox.origin}/__sandbox/webhooks`, { method: 'DELETE' });
      const body = JSON.stringify({ service: 'retrieval', url: given.origin + path, secret: SECRET });
      const { status } = await fetch(`${sandbox.origin}/__sandbox/webhooks`, { method: 'POST', body });
      expect(status).toBe(200);
    };
    /** Somebody adds a document. @returns its id. */
    const add = async (name: string) => {
      const headers = { Authorization: 'Bearer a-key', 'Content-Type': 'application/json' };
      const init = { method: 'POST', headers, body: JSON.stringify({ name, data: 'Text.', partition: 'legal' }) };
      const { id } = (await (await fetch(`${sandbox.origin}/retrieval/documents/raw`, init)).json()) as { id: string };
      await sandbox.services.get('retrieval')?.webhooks?.pending;
      return id;
    };

    test('are polled with what the service told', async () => {
      await register();
      const { token } = await given.allow('Claude');
      const { cursor } = await ask(given, token, 'events/poll', { name: NAME, cursor: null });
      const id = await add('Lease');
      const { events } = await ask(given, token, 'events/poll', {
        name: NAME,
        cursor,
        arguments: { partition: 'legal' },
      });
      expect(events).toMatchObject([{ name: NAME, data: { document_id: id, name: 'Lease', status: 'ready' } }]);
      const headers = { Authorization: 'Bearer a-key' };
      await fetch(`${sandbox.origin}/retrieval/documents/${id}`, { method: 'DELETE', headers });
      await sandbox.services.get('retrieval')?.webhooks?.pending;
      const deleted = { name: 'retrieval.document_deleted', cursor };
      expect(await ask(given, token, 'events/poll', deleted)).toMatchObject({
        events: [{ data: { document_id: id } }],
      });
    });

    test.skipIf(AI_SDK === null)(
      'reach the AI SDK, which subscribes, verifies, refreshes and unsubscribes',
      async () => {
        given.now = Date.now();
        await register();
        const { token } = await given.allow('AI SDK');
        const { createMCPClient, experimental_createMCPEventWebhook: createWebhook } = await import(AI_SDK as string);
        const kept = new Map<string, { id?: string; key?: string }>();
        const store = {
          get: async (key: string) => kept.get(key),
          getById: async (id: string) => [...kept.values()].find((one) => one.id === id),
          set: async (one: { key: string }) => void kept.set(one.key, one),
          update: async (key: string, patch: object) => void kept.set(key, { ...kept.get(key), ...patch }),
          delete: async (key: string) => void kept.delete(key),
        };
        const events: { data: object }[] = [];
        const terminated: object[] = [];
        const errors: unknown[] = [];
        const handle = createWebhook({
          ...{ store, onError: (error: unknown) => errors.push(error) },
          onEvent: async ({ event }: { event: { data: object } }) => void events.push(event),
          onTerminated: async ({ termination }: { termination: object }) => void terminated.push(termination),
        });
        const receiver = createServer(async (request, response) => {
          const chunks: Buffer[] = [];
          for await (const chunk of request) chunks.push(chunk as Buffer);
          const url = `http://127.0.0.1${request.url}`;
          const init = {
            method: 'POST',
            headers: request.headers as Record<string, string>,
            body: Buffer.concat(chunks),
          };
          const answer: Response = await handle(new Request(url, init));
          response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
        });
        await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
        const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
        const transport = { type: 'http', url: given.origin + MCP_PATH, headers: { Authorization: `Bearer ${token}` } };
        const client = await createMCPClient({ transport, experimental_events: { store } });
        const api = client.experimental_events;
        expect((await api.list()).events.map(({ name }: { name: string }) => name)).toEqual([
          'retrieval.document_deleted',
          NAME,
        ]);
        const delivery = { mode: 'webhook', url, allowInsecureLocalhost: true };
        const { id } = await api.subscribe({ name: NAME, arguments: { partition: 'legal' }, delivery });
        const first = await add('Lease');
        await vi.waitUntil(() => events.length === 1, { timeout: 15_000 });
        expect(events[0]?.data).toMatchObject({ document_id: first, partition: 'legal' });
        expect((await api.refresh({ id })).id).toBe(id);
        const second = await add('Rent');
        await vi.waitUntil(() => events.length === 2, { timeout: 15_000 });
        expect(events[1]?.data).toMatchObject({ document_id: second });
        await api.unsubscribe({ id });
        expect([kept.size, errors]).toEqual([0, []]);
        await api.subscribe({ name: NAME, delivery });
        await given.api('DELETE', 'alice/connections/retrieval');
        await vi.waitUntil(() => terminated.length === 1, { timeout: 15_000 });
        expect([kept.size, errors]).toEqual([0, []]);
        await client.close();
        receiver.closeAllConnections();
        receiver.close();
      },
    );
  },
  sandbox.environment.retrieval as Record<string, string>,
  { connectors, upstream: (_, response) => void response.end() },
);
