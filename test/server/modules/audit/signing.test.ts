import { expect, test } from 'vitest';
import { goneReference } from '../../../../server/base/store/repositories/user-references.ts';
import {
  type AuditKeys,
  type ChainedEvent,
  checkChain,
  checkEvent,
  sealChain,
  signEvent,
} from '../../../../server/modules/audit/signing.ts';

const keys: AuditKeys = {
  sign: (text) => text,
  check: (signature, text) => (signature === text ? 'valid' : 'invalid'),
};

const EVENT: ChainedEvent = {
  chain: 1,
  chain_seq: 3,
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
  '["utg audit event v1",1,3,"before","event",1000,"consent_given","partner","gone-RhlJda_BqmvWvyXT1kudlOSx","client","grant","192.0.2.1","request","{\\"a\\":1}"]';
const CHAIN = { number: 1, created_at: 5, base_seq: 2, base_mac: 'base', head_seq: 9, head_mac: 'head' };
const SEALED = '["utg audit chain v1",1,5,2,"base",9,"head"]';

test('an event is signed with all its members, and the event before it', () => {
  expect(signEvent(keys, EVENT, 'before')).toBe(SIGNED);
  expect([checkEvent(keys, EVENT, SIGNED, 'before'), checkEvent(keys, EVENT, SIGNED, 'other')]).toEqual([
    'valid',
    'invalid',
  ]);
});

test('an event stays valid when its user is removed', () => {
  expect(goneReference('user')).toBe('gone-RhlJda_BqmvWvyXT1kudlOSx');
  const removed = { ...EVENT, user_id: goneReference('user') };
  expect(checkEvent(keys, removed, SIGNED, 'before')).toBe('valid');
  expect(checkEvent(keys, { ...EVENT, user_id: 'agone-' }, SIGNED, 'before')).toBe('invalid');
  expect(signEvent(keys, { ...EVENT, user_id: null }, 'before')).toBe(
    SIGNED.replace('"gone-RhlJda_BqmvWvyXT1kudlOSx"', 'null'),
  );
});

test('a lone surrogate is signed as a database returns it', () => {
  const signed = (details: string) => signEvent(keys, { ...EVENT, details }, 'before');
  expect(signed('\ud800')).toBe(signed('\ufffd'));
});

test('a chain is signed with both of its ends', () => {
  expect(sealChain(keys, CHAIN)).toBe(SEALED);
  expect(checkChain(keys, { ...CHAIN, seal: SEALED })).toBe('valid');
  expect(checkChain(keys, { ...CHAIN, head_seq: 8, seal: SEALED })).toBe('invalid');
});
