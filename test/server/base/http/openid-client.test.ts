import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createOutgoing } from '../../../../server/base/guarded-fetch/outgoing.ts';
import { createOpenIdClient } from '../../../../server/base/http/openid-client.ts';

const MAX_SENT = 32 * 1024 * 1024;

test('a provider whose answer does not end is cut off', async () => {
  let sent = 0;
  const server = createServer((_, response) => {
    const chunk = Buffer.alloc(1024 * 1024, ' ');
    const push = (): void => {
      while (!response.destroyed && sent < MAX_SENT) {
        sent += chunk.length;
        if (!response.write(chunk)) return void response.once('drain', push);
      }
      response.end();
    };
    response.setHeader('content-type', 'application/json');
    push();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outgoing = createOutgoing({ networks: ['127.0.0.0/8'] });
  const provider = { issuer, clientId: 'portal', clientSecret: 'secret', scope: 'openid' };
  const client = createOpenIdClient(provider, { redirectUri: 'http://127.0.0.1/', outgoing, now: Date.now });
  await expect(client.signatures()).rejects.toThrow();
  expect(sent).toBeLessThan(MAX_SENT);
  await outgoing.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
