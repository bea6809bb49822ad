import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CLIENTS, connectV1Client } from '../../../../support/official-clients.ts';
import { type RunningEndpoint, startEndpoint } from '../../mcp/support.ts';
import { type Served, serveItems } from './support.ts';

const items = Array.from({ length: 25 }, (_, id) => ({ id, name: `N${id}`, amount: id }));
let pauseMs = 0;
let served: Served;
let endpoint: RunningEndpoint;
beforeAll(async () => {
  served = await serveItems(items, {
    answer: ({ cursor }) => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, cursor === 0 ? 0 : pauseMs);
      return null;
    },
  });
  endpoint = await startEndpoint({ tools: served.provider, progress: { afterMs: 40, everyMs: 20 } });
});
afterAll(async () => {
  await endpoint.close();
  await served.close();
});

const to = () => ({ url: endpoint.url, token: 'client-token' });

describe.each(CLIENTS)('%s, which checks results against the output schema,', (_, connect) => {
  test('accepts what was selected', async () => {
    const client = await connect(to());
    await client.listTools();
    const call = (args: object) => client.callTool({ name: 'library_list', arguments: { ...args } });
    expect(await call({ where: { name: 'N24' }, fields: ['name'] })).toMatchObject({
      structuredContent: { data: [{ name: 'N24' }], page: { nextArguments: null } },
    });
    expect(await call({ sort: '-id', maxItems: 1 })).toMatchObject({ structuredContent: { data: [{ id: 24 }] } });
    expect(await call({ aggregate: { max: 'amount', by: 'name' } })).toMatchObject({
      structuredContent: { aggregate: { count: 25, max: 24 } },
    });
    expect(await call({ where: { nme: 1 } })).toMatchObject({ isError: true });
    await client.close();
  });
});

test('a client that asks for progress hears how far the search is', async () => {
  pauseMs = 60;
  const client = await connectV1Client(to());
  const heard: (string | undefined)[] = [];
  const call = { name: 'library_list', arguments: { where: { name: 'nobody' } } };
  await client.callTool(call, undefined, { onprogress: ({ message }) => heard.push(message) });
  await client.close();
  expect(heard).toContainEqual(expect.stringMatching(/^Looked at \d+ items on \d pages?: 0 match, and looking on\.$/));
});
