import { afterEach, expect, test } from 'vitest';
import { addOperator } from '../../server/modules/admin/operators.ts';
import { Visitor } from '../server/modules/admin/support.ts';
import { type RunningGateway, startGateway } from '../support/gateway.ts';

const MAX_WRONG_SECRETS = 10;

let gateway: RunningGateway;
afterEach(() => gateway.close());

test('wrong guesses from the address of a named operator do not lock the operator out', async () => {
  const env = { ADMIN_SECRET: 'the-secret-of-the-operator' };
  gateway = await startGateway({ connectors: [], secretOf: () => '', env });
  const { db } = gateway.store;
  const secret = await db
    .transaction()
    .execute((transaction) => addOperator(transaction, { name: 'ada', role: 'act' }, { now: Date.now() }));
  const visitor = new Visitor(
    () => new URL(gateway.url).origin,
    () => {},
  );
  for (let guess = 0; guess <= MAX_WRONG_SECRETS; guess += 1) await visitor.signIn(`wrong-${guess}`);
  expect((await visitor.signIn('wrong')).status).toBe(429);
  expect((await visitor.signIn(secret)).status).toBe(303);
});
