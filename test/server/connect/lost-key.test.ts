import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createLog } from '../../../server/base/http/log.ts';
import { createGateway } from '../../../server/gateway.ts';
import { loadConfig } from '../../../server/index.ts';
import { CONNECTORS, type ConnectUnderTest, describeConnect, KEYS, REDIRECT_URI } from './support.ts';

const GOOD = { 'credential-0': 'good-key-1' };

async function withOtherKeys(given: ConnectUnderTest, run: (lines: readonly string[]) => Promise<void>): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { PUBLIC_URL: given.origin, DATABASE_URL: given.databaseUrl };
  const lines: string[] = [];
  const log = createLog({ level: 'debug', destination: { write: (line) => lines.push(line) } });
  const start = (ENCRYPTION_KEYS: string) => {
    const config = loadConfig({ connectors: CONNECTORS, env: { ...env, ENCRYPTION_KEYS } });
    return createGateway({ config, connectors: CONNECTORS, log, now: () => given.now, alone: false });
  };
  // Moves on to a new key, and drops the old one before the credentials were sealed again.
  await (await start(`k2:${KEYS.k2},k1:${KEYS.k1}`)).close();
  const gateway = await start(`k2:${KEYS.k2}`);
  server.on('request', gateway.handle);
  const own = given.origin;
  given.origin = origin;
  try {
    await run(lines);
  } finally {
    given.origin = own;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await gateway.close();
  }
}

describeConnect('a gateway that lost the key of stored credentials', (given) => {
  test('does not start with other keys than those of its store, or of the backup that was restored', async () => {
    const env = { PUBLIC_URL: given.origin, DATABASE_URL: given.databaseUrl };
    for (const ENCRYPTION_KEYS of [`k2:${KEYS.k2}`, `k1:${KEYS.k2}`]) {
      const config = loadConfig({ connectors: CONNECTORS, env: { ...env, ENCRYPTION_KEYS } });
      const start = createGateway({
        config,
        connectors: CONNECTORS,
        log: createLog({ level: 'silent' }),
        alone: false,
      });
      await expect(start).rejects.toThrow(
        'The store was sealed with the encryption key "k1", which ENCRYPTION_KEYS does not hold, or holds with another value',
      );
    }
  });

  test('starts, names the key in its log, and answers calls with an error', async () => {
    const { body } = await given.connected('library', 'alice', GOOD);
    await withOtherKeys(given, async (lines) => {
      expect(lines.join('')).toMatch(/"level":"error".*"keyId":"k1".*ENCRYPTION_KEYS does not hold/);
      const answer = await given.call(body.access_token, 'library_list');
      expect(answer.status).toBe(200);
      const [text, error] = answer.body.result.content;
      expect(JSON.parse(error.text).code).toBe('credential_unreadable');
      expect(text.text).toContain('the operator of the gateway has to restore its encryption key');
    });
    expect((await given.call(body.access_token, 'library_list')).body.result.isError).not.toBe(true);
  });

  test('refuses a code that it cannot complete, and leaves it valid for a gateway with the key', async () => {
    const code = await given.connect('library', 'alice', GOOD);
    const redeem = () =>
      given.token({ grant_type: 'authorization_code', code, redirect_uri: REDIRECT_URI, user_id: 'alice' });
    await withOtherKeys(given, async () => {
      const answer = await redeem();
      expect([answer.status, answer.body.error]).toEqual([400, 'invalid_grant']);
    });
    expect((await redeem()).status).toBe(200);
  });

  test('does not accept the page of a gateway with other keys', async () => {
    const visitor = given.visitor();
    await visitor.open('library');
    await withOtherKeys(given, async () => {
      expect((await visitor.submit('library', { decision: 'connect', ...GOOD })).status).toBe(400);
    });
    expect((await visitor.submit('library', { decision: 'connect', ...GOOD })).status).toBe(303);
  });
});
