import { expect, test, vi } from 'vitest';
import { openStore } from '../../../../server/base/store/index.ts';
import { tableSetsOf } from '../../../../server/module.ts';
import { MODULES } from '../../../../server/modules/index.ts';
import { startGateway } from '../../../support/gateway.ts';
import { Visitor } from './support.ts';

const SECRET = 'the-secret-of-the-operator';

test('a page of one gateway follows the calls of another, and its stream ends when its gateway stops', async () => {
  const env = { ADMIN_SECRET: SECRET };
  const gateway = await startGateway({ alone: false, connectors: [], secretOf: () => 'secret', env });
  const otherNode = await openStore({ url: gateway.databaseUrl, sets: tableSetsOf(MODULES) });
  const operator = new Visitor(
    () => gateway.listensAt,
    () => {},
  );
  await operator.signIn(SECRET);
  const Cookie = [...operator.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const stream = await fetch(`${gateway.listensAt}/admin/calls/live`, { headers: { Cookie } });
  let text = '';
  const read = async () => {
    for await (const chunk of stream.body!.pipeThrough(new TextDecoderStream())) text += chunk;
    return 'ended';
  };
  const ended = read();
  const { id: partnerId } = await otherNode.db.selectFrom('partners').select('id').executeTakeFirstOrThrow();
  await otherNode.insertCallRecords([
    {
      createdAt: Date.now(),
      partnerId,
      userId: 'user',
      tokenId: 'token',
      service: 'library',
      tool: 'tool_of_the_other_node',
      outcome: 'ok',
      upstreamStatus: 200,
      upstreamCode: null,
      durationMs: 45,
      requestBytes: 10,
      responseBytes: 20,
      requestId: 'request',
    },
  ]);
  await vi.waitFor(() => expect(text).toContain('tool_of_the_other_node'), { timeout: 10_000 });
  await otherNode.close();
  await gateway.stop();
  expect([await ended, text.includes('event: end')]).toEqual(['ended', false]);
  await gateway.close();
});
