import { afterAll, beforeAll, expect, test } from 'vitest';
import { listPartners } from '../../server/base/store/repositories/partners.ts';
import { addOperator, removeOperator } from '../../server/modules/admin/operators.ts';
import { findOperator } from '../../server/modules/admin/stored-operators.ts';
import { fieldOf, Visitor } from '../server/modules/admin/support.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startGateway({ connectors: [], secretOf: () => '' });
});
afterAll(() => gateway.close());

async function signedIn(name: string): Promise<Visitor> {
  const { db } = gateway.store;
  const visitor = new Visitor(
    () => new URL(gateway.url).origin,
    () => {},
  );
  const secret = await db
    .transaction()
    .execute((transaction) => addOperator(transaction, { name, role: 'look' }, { now: Date.now() }));
  await visitor.signIn(secret);
  return visitor;
}

test('an operator with the look role and a valid form token adds no partner', async () => {
  const eve = await signedIn('eve');
  const csrf = fieldOf((await eve.get('/admin')).text, 'csrf');
  expect((await eve.post('/admin/partners', { csrf, name: 'Planted' })).status).toBe(403);
  expect((await listPartners(gateway.store.db, 10)).map(({ name }) => name)).toEqual(['test']);
});

test('an operator who was removed has no session left', async () => {
  const { db } = gateway.store;
  const mallory = await signedIn('mallory');
  expect((await mallory.get('/admin')).status).toBe(200);
  const operator = (await findOperator(db, 'mallory'))!;
  await db.transaction().execute((transaction) => removeOperator(transaction, operator, { now: Date.now() }));
  expect((await mallory.get('/admin')).status).toBe(303);
});
