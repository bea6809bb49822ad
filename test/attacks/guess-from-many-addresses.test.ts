import { afterEach, expect, test } from 'vitest';
import { fieldOf, Visitor } from '../server/modules/admin/support.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const MAX_WRONG_SECRETS = 10;
const MAX_WRONG_SECRETS_OF_SITE = 40;

const SECRET = 'the-secret-of-the-operator';

let gateway: RunningGateway;
afterEach(() => gateway.close());

async function startBehind(proxies: string): Promise<(secret: string, address: string) => Promise<number>> {
  const env = { ADMIN_SECRET: SECRET, TRUST_PROXY: proxies };
  gateway = await startGateway({ connectors: [], secretOf: () => '', env });
  const visitor = new Visitor(
    () => new URL(gateway.url).origin,
    () => {},
  );
  const { text } = await visitor.get('/admin/sign-in');
  const form = { page_state: fieldOf(text, 'page_state') };
  return async (secret, address) =>
    (await visitor.post('/admin/sign-in', { ...form, secret }, { 'X-Forwarded-For': address })).status;
}

test.each(['none', '10.0.0.0/8'])(
  'a caller that reaches the port directly counts as one address, with TRUST_PROXY=%s',
  async (proxies) => {
    const guess = await startBehind(proxies);
    const statuses = [];
    for (let index = 0; index <= MAX_WRONG_SECRETS; index += 1) {
      statuses.push(await guess('wrong', `203.0.113.${index}`));
    }
    expect(statuses).toEqual([...Array(MAX_WRONG_SECRETS).fill(401), 429]);
  },
);

test('a caller behind the proxy counts as one address, whatever addresses it puts before its own', async () => {
  const guess = await startBehind('127.0.0.1');
  for (let index = 0; index < MAX_WRONG_SECRETS; index += 1) {
    expect(await guess('wrong', `198.51.100.${index}, 127.0.0.1, 203.0.113.7`)).toBe(401);
  }
  expect(await guess('wrong', '198.51.100.99, 203.0.113.7')).toBe(429);
  expect(await guess(SECRET, '203.0.113.8')).toBe(303);
});

test('a caller with an IPv6 /48 counts as four addresses, from however many networks', async () => {
  const guess = await startBehind('127.0.0.1');
  const statuses = [];
  for (let network = 1; network <= MAX_WRONG_SECRETS_OF_SITE + 5; network += 1) {
    statuses.push(await guess('wrong', `2001:db8:1:${network}::1`));
  }
  expect(statuses).toEqual([...Array(MAX_WRONG_SECRETS_OF_SITE).fill(401), ...Array(5).fill(429)]);
  expect(await guess(SECRET, '2001:db8:1:99::1')).toBe(429);
  expect(await guess(SECRET, '2001:db8:2:1::1')).toBe(303);
  const kept = await gateway.store.db.selectFrom('attempt_counters').select('key').execute();
  expect(kept).toHaveLength(MAX_WRONG_SECRETS_OF_SITE + 1);
});
