import { expect, test } from 'vitest';
import { parseIssuer, registerIssuer } from '../../../../server/modules/identity-assertions/issuers.ts';
import { listIssuers } from '../../../../server/modules/identity-assertions/stored-issuers.ts';
import { givenDashboard } from './support.ts';

const given = givenDashboard();

test("an identity provider is approved and removed on its partner's page, and the audit trail has it", async () => {
  const operator = await given.operator();
  const { partnerId } = given;
  const path = `/admin/partners/${partnerId}`;
  expect((await operator.get(path)).text).not.toContain('Identity providers');
  const typed = { issuer: 'https://idp.example', jwksUri: 'https://idp.example/keys' };
  const registration = { ...parseIssuer(typed, 'https://gateway.example'), partnerId };
  const registered = await given.store.db
    .transaction()
    .execute((transaction) => registerIssuer(transaction, registration, { now: 1 }));
  const { id } = registered!.issuer;
  expect((await operator.get(path)).text).toContain('waits for approval');
  await operator.confirm(path, `${path}/issuers/${id}/approve`, {});
  expect((await operator.get(path)).text).not.toContain('waits for approval');
  expect(await listIssuers(given.store.db, partnerId)).toMatchObject([{ approvedAt: expect.any(Number) }]);
  await operator.confirm(path, `${path}/issuers/${id}/remove`, {});
  expect(await listIssuers(given.store.db, partnerId)).toEqual([]);
  const events = await given.store.db
    .selectFrom('audit_events')
    .select('type')
    .where('type', 'like', 'identity_issuer%')
    .orderBy('type')
    .execute();
  expect(events.map(({ type }) => type)).toEqual([
    'identity_issuer_added',
    'identity_issuer_approved',
    'identity_issuer_removed',
  ]);
});
