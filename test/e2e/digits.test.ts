import type { IncomingMessage } from 'node:http';
import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { type CatalogueMode, FULL_PERMISSION, writePermission } from '../../server/base/principal/permission.ts';
import { MCP_PATH } from '../../server/gateway-paths.ts';
import { describeUserPage, type World } from '../server/modules/me/support.ts';
import { fakeConnector, fakeTool } from '../support/fake-connector.ts';
import { connectClient } from '../support/mcp-client.ts';
import { numRuns } from '../support/num-runs.ts';
import { type AnyResult, CLIENTS } from '../support/official-clients.ts';

vi.setConfig({ testTimeout: 120_000 });

const ID = '725653563933458433';
const INT64 = { type: 'integer', format: 'int64' };
const RECORD = {
  id: INT64,
  price: { type: 'number' },
  deep: { type: 'object', properties: { parentId: INT64, list: { type: 'array', items: INT64 } } },
};

let answer = '{}';
const received: string[] = [];

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}

const WORLD: World = {
  connectors: [
    fakeConnector({
      tools: [
        fakeTool({
          name: 'library_get',
          path: '/things/{id}',
          input: { properties: { id: INT64, parent: INT64 }, required: ['id'] },
          output: { properties: RECORD },
        }),
        fakeTool({
          name: 'library_put',
          method: 'POST',
          path: '/things',
          input: { properties: { ...RECORD, any: { type: 'object' } } },
          output: { properties: RECORD },
          request: {
            body: { mediaType: 'application/json', members: { id: 'id', price: 'price', deep: 'deep', any: 'any' } },
          },
        }),
      ],
    }),
  ],
  async upstream(request, response) {
    received.push(`${request.url} ${await textOf(request)}`.trim());
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
  },
};

const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }).map(String);
const price = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 25n }), fc.stringMatching(/^\d{1,25}[1-9]$/))
  .map(([whole, decimals]) => `${whole}.${decimals}`);

describeUserPage(
  'numbers of any length',
  (given) => {
    const allow = async (catalogue: CatalogueMode) =>
      (await given.allow('Claude', { permission: writePermission({ ...FULL_PERMISSION, catalogue }) })).token;
    const send = async (token: string, args: string, name = 'library_put'): Promise<AnyResult> => {
      const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${name}","arguments":${args}}}`;
      const headers = {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      };
      const response = await fetch(given.origin + MCP_PATH, { method: 'POST', headers, body });
      return ((await response.json()) as { result: AnyResult }).result;
    };

    test.each(CLIENTS)(
      'reach %s as texts that its validation accepts, and go back to the service',
      async (_title, connect) => {
        answer = `{"id":${ID},"price":12345678901234567.89,"deep":{"parentId":-${ID},"list":[${ID},1]}}`;
        const client = await connect({ url: given.origin + MCP_PATH, token: await allow('full') });
        await client.listTools();
        const got = await client.callTool({ name: 'library_get', arguments: { id: ID, parent: `-${ID}` } });
        const want = { id: ID, price: '12345678901234567.89', deep: { parentId: `-${ID}`, list: [ID, 1] } };
        expect(got.structuredContent).toEqual(want);
        expect(JSON.parse(got.content[0]?.text ?? '')).toEqual(want);
        expect(received.at(-1)).toBe(`/things/${ID}?parent=-${ID}`);
        await client.callTool({ name: 'library_put', arguments: { ...got.structuredContent } });
        expect(received.at(-1)).toBe(`/things ${answer}`);
        await client.close();
      },
    );

    test('go from an answer through a program into a request, with exactly their text', async () => {
      const client = await connectClient({ url: given.origin + MCP_PATH, token: await allow('code'), mode: 'legacy' });
      await fc.assert(
        fc.asyncProperty(int64, price, fc.array(int64, { maxLength: 3 }), async (id, amount, list) => {
          answer = `{"id":${id},"price":${amount},"deep":{"parentId":${id},"list":[${list.join(',')}]}}`;
          const code =
            'const r = await library.get({ id: 1 }); await library.put(r); return await library.get({ id: r.id })';
          await client.callTool({ name: 'run_code', arguments: { code } });
          expect(received.slice(-2)).toEqual([`/things ${answer}`, `/things/${id}`]);
        }),
        { numRuns: numRuns(5) },
      );
      await client.close();
    });

    test('go as bare numbers of a request to the service unchanged, also inside of free-form objects', async () => {
      const token = await allow('full');
      await fc.assert(
        fc.asyncProperty(int64, price, async (id, amount) => {
          fc.pre(Number.isSafeInteger(Number(id)) || String(Number(id)) !== id);
          const args = `{"id":${id},"price":${amount},"deep":{"list":[${id}]},"any":{"a":[${id},"${id}"],"1":${amount}}}`;
          await send(token, args);
          expect(JSON.stringify(received.at(-1)).replaceAll('"1"', '')).toContain(id);
          expect(received.at(-1)).toContain(`"any":{"1":${amount},"a":[${id},"${id}"]}`);
          expect(received.at(-1)).toContain(`{"id":${id},"price":${amount},"deep":{"list":[${id}]}`);
        }),
        { numRuns: numRuns(20) },
      );
    });

    test.each([
      ['1e400', '{"price":1e400}', '"price" is not a finite number (got 1e400)'],
      [
        'a negative one inside of a free-form object',
        '{"any":{"a":[1,{"b":-1E999}]}}',
        '"any.a[1].b" is not a finite number',
      ],
      [
        'an integer that a client has rounded',
        '{"id":725653563933458400}',
        '"id" is a whole number beyond 9007199254740991',
      ],
      ['1e400 as text', '{"price":"1e400"}', '"price" must be a number (got "1e400")'],
    ])('are refused with their path, and nothing is sent: %s', async (_title, args, message) => {
      const before = received.length;
      const result = await send(await allow('full'), args);
      expect([result.isError, result.content[0]?.text]).toEqual([true, expect.stringContaining(message)]);
      expect(received).toHaveLength(before);
    });

    test.each([
      ['return { a: [1, { b: 1 / 0 }] }', 'The result holds Infinity at a.1.b'],
      ['return NaN', 'The result holds NaN'],
      [
        'await library.put({ deep: { parentId: -Infinity } })',
        'The argument of library_put holds -Infinity at deep.parentId',
      ],
    ])('that are not finite end a program: %s', async (code, message) => {
      const before = received.length;
      const client = await connectClient({ url: given.origin + MCP_PATH, token: await allow('code'), mode: 'legacy' });
      const result = (await client.callTool({ name: 'run_code', arguments: { code } })) as unknown as AnyResult;
      await client.close();
      expect([result.isError, result.content[0]?.text]).toEqual([true, expect.stringContaining(message)]);
      expect(received).toHaveLength(before);
    });

    test('a program may calculate with them, as BigInt', async () => {
      answer = `{"id":${ID}}`;
      const client = await connectClient({ url: given.origin + MCP_PATH, token: await allow('code'), mode: 'legacy' });
      const code =
        'const { id } = await library.get({ id: 1 }); await library.put({ id: BigInt(id) + 1n }); return BigInt(id) + 2n';
      const result = (await client.callTool({ name: 'run_code', arguments: { code } })) as unknown as AnyResult;
      await client.close();
      expect(result.content[0]?.text).toBe('"725653563933458435"');
      expect(received.at(-1)).toBe('/things {"id":725653563933458434}');
    });
  },
  {},
  WORLD,
);
