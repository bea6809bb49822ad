import { expect, test } from 'vitest';
import { goneReference } from '../../../../server/base/store/repositories/users.ts';
import { type AuditKeys, checkEvent, signEvent } from '../../../../server/modules/audit/signing.ts';
import type { AuditEvent } from '../../../../server/modules/audit/tables.ts';

const keys: AuditKeys = {
  sign: (text) => text,
  check: (mac, text) => (mac === text ? 'valid' : 'invalid'),
};

const EVENT: AuditEvent = {
  id: 'event',
  created_at: 1000,
  type: 'consent_given',
  partner_id: 'partner',
  user_id: 'user',
  client_id: 'client',
  grant_id: 'grant',
  address: '192.0.2.1',
  request_id: 'request',
  details: '{"a":1}',
};
const SIGNED =
  '["utg audit event v2","event",1000,"consent_given","partner","gone-RhlJda_BqmvWvyXT1kudlOSx","client","grant","192.0.2.1","request","{\\"a\\":1}"]';

test('a MAC covers every member of an event', () => {
  expect(signEvent(keys, EVENT)).toBe(SIGNED);
  expect(checkEvent(keys, EVENT, SIGNED)).toBe('valid');
  for (const [name, value] of Object.entries(EVENT)) {
    const changed = { ...EVENT, [name]: typeof value === 'number' ? value + 1 : `${value}-` };
    expect([name, checkEvent(keys, changed, SIGNED)]).toEqual([name, 'invalid']);
  }
});

test('an event stays valid when its user is removed', () => {
  expect(goneReference('user')).toBe('gone-RhlJda_BqmvWvyXT1kudlOSx');
  const removed = { ...EVENT, user_id: goneReference('user') };
  expect(checkEvent(keys, removed, SIGNED)).toBe('valid');
  expect(checkEvent(keys, { ...EVENT, user_id: 'agone-' }, SIGNED)).toBe('invalid');
  expect(signEvent(keys, { ...EVENT, user_id: null })).toBe(SIGNED.replace('"gone-RhlJda_BqmvWvyXT1kudlOSx"', 'null'));
});

test('a lone surrogate is signed as a database returns it', () => {
  const signed = (details: string) => signEvent(keys, { ...EVENT, details });
  expect(signed('\ud800')).toBe(signed('\ufffd'));
});
