import { afterEach, beforeEach, expect, test } from 'vitest';
import { revokeAccess } from '../../server/identity/grants/allowed/revoke.ts';
import { type Host, startHost } from '../server/call/upstream/support.ts';
import { libraryConnector } from '../server/call/writes-once/connector.ts';
import { addBook } from '../server/call/writes-once/support.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

let host: Host;
let gateway: RunningGateway;
beforeEach(async () => {
  host = await startHost((_, response) => response.writeHead(201).end('{"said":"the answer"}'));
  gateway = await startGateway({
    connectors: [libraryConnector()],
    env: { LIBRARY_BASE_URL: host.origin },
    secretOf: () => '',
  });
});
afterEach(async () => {
  await gateway.close();
  await host.close();
});

test('a client whose access was revoked gets nothing for its keys', async () => {
  const { origin } = new URL(gateway.url);
  expect(await addBook(origin, gateway.token, 'k')).toMatchObject({ code: 'ok', text: '{"said":"the answer"}' });
  expect(await addBook(origin, gateway.token, 'k')).toMatchObject({ code: 'ok', text: '{"said":"the answer"}' });
  await revokeAccess(gateway.store.db, {}, { by: 'operator', now: Date.now() });
  expect(await addBook(origin, gateway.token, 'k')).toMatchObject({ status: 401, text: '' });
  expect(host.hits()).toBe(1);
});
