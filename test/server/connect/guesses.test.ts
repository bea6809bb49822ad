import { expect, test } from 'vitest';
import { tryCredential } from '../../../server/connect/try-credential.ts';
import { someOf } from '../../support/some-of.ts';
import { describeStore } from '../base/store/dialects.ts';

describeStore('credential attempts on the connect page', (given) => {
  const tryFrom = async (
    source: { pageId: string; address: string; service?: string; partnerId?: string; isSession?: boolean },
    accepted = false,
  ): Promise<boolean> => {
    const { pageId, address, service = 'crm', partnerId = 'acme', isSession = false } = source;
    const request = { connector: { name: service }, partner: { id: partnerId } };
    const visit = { request, pageId, session: isSession ? {} : null };
    const verifyCredential = async () => (accepted ? { kind: 'accepted' } : { kind: 'refused', explanation: 'No.' });
    const deps = { db: given.store.db, now: () => 1, realms: { of: () => ({ verifyCredential }) } };
    const problem = await tryCredential({ ip: address } as never, visit as never, { fields: {} }, deps as never);
    return problem?.kind !== 'too-many';
  };
  const begin = (address: string, pageId: string) => tryFrom({ address, pageId });

  test('are allowed four times as often from an IPv6 /48 as from one /64', async () => {
    const verdicts: boolean[] = [];
    for (let index = 0; index < 130; index += 1) {
      verdicts.push(await begin(`2001:db8:1:${index.toString(16)}::1`, `page-${index}`));
    }
    expect(verdicts.filter(Boolean)).toHaveLength(120);
    expect(await begin('2001:db8:2::1', 'another')).toBe(true);
  });

  test.each([true, false])('do not count if the upstream accepted them (in a session: %s)', async (isSession) => {
    for (let index = 0; index < 20; index += 1) {
      const address = `192.0.2.${index % 3}`;
      expect(await tryFrom({ pageId: 'page', address, isSession }, true)).toBe(true);
    }
    expect(await given.store.db.selectFrom('attempt_counters').select(['key', 'count']).execute()).toEqual([]);
  });

  test('are not counted by network once their /48 is over its limit', async () => {
    for (let index = 0; index < 150; index += 1) await begin(`2001:db8:1:${index.toString(16)}::1`, `page-${index}`);
    const kept = await given.store.db.selectFrom('attempt_counters').select('key').execute();
    const [site, service, networksAndPages] = [1, 1, 2 * 120];
    expect(kept).toHaveLength(site + service + networksAndPages);
  });

  test.each(someOf([true, false]))(
    'that are refused are limited per partner and service (in a session: %s)',
    async (isSession) => {
      const tryFromAnywhere = (
        index: number,
        more: { partnerId?: string; service?: string; isSession?: boolean } = {},
      ) => tryFrom({ pageId: `page-${index}`, address: `192.0.${index % 200}.1`, isSession, ...more });
      const verdicts: boolean[] = [];
      for (let index = 0; index < 310; index += 1) verdicts.push(await tryFromAnywhere(index));
      expect(verdicts.filter(Boolean)).toHaveLength(300);
      expect(await tryFromAnywhere(400, { partnerId: 'another' })).toBe(true);
      expect(await tryFromAnywhere(401, { service: 'mailer' })).toBe(true);
      expect(await tryFromAnywhere(402, { isSession: !isSession })).toBe(true);
    },
  );
});
