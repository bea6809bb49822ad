import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DONE, type Service, startService } from '../requests/right-or-refused/service.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';
import { connectClient } from '../support/mcp-client.ts';

const arrived: string[] = [];
const upstream = createServer((request, response) => {
  arrived.push(`${request.method} ${request.url}`);
  response.writeHead(204).end();
});
const bucket = { name: 'bucket', in: 'path', required: true, schema: { type: 'string' } };
const remove = (operationId: string, ...more: object[]) => ({
  delete: { operationId, parameters: [bucket, ...more], ...DONE },
});

let service: Service;
let gateway: RunningGateway;
beforeAll(async () => {
  service = await startService({
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
    security: [{ key: [] }],
    paths: {
      '/{bucket}': remove('deleteBucket'),
      '/{bucket}#tagging': remove('deleteTags', {
        name: 'tagging',
        in: 'query',
        required: true,
        schema: { type: 'boolean' },
      }),
      '/{bucket}?policy': remove('deletePolicy'),
      '/{bucket}#website': remove('deleteWebsite'),
    },
  });
  await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve));
  gateway = await startGateway({
    connectors: [service.connector],
    env: { FORMS_BASE_URL: `http://127.0.0.1:${(upstream.address() as AddressInfo).port}` },
    secretOf: () => 'secret',
  });
}, 120_000);
afterAll(async () => {
  await gateway?.close();
  await service?.close();
  upstream.close();
});

test('a tool for a subresource of a bucket never sends the request that deletes the bucket', async () => {
  const client = await connectClient(gateway);
  const { tools } = await client.listTools();
  const names = tools.map(({ name }) => name).filter((name) => name !== 'forms_delete_bucket');
  expect(names.sort()).toEqual(['forms_delete_policy', 'forms_delete_tags']);
  for (const name of names) await client.callTool({ name, arguments: { bucket: 'photos' } });
  await client.close();
  expect(arrived).toEqual(['DELETE /photos?policy', 'DELETE /photos?tagging=true']);
});
