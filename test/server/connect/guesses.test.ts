import { expect, test } from 'vitest';
import { tryCredential } from '../../../server/connect/try-credential.ts';
import { describeStore } from '../base/store/dialects.ts';

describeStore('credential attempts on the connect page', (given) => {
  const tryFrom = async (
    source: { pageId: string; address: string; service?: string; partnerId?: string | null },
    accepted = false,
  ): Promise<boolean> => {
    const { pageId, address, service = 'crm', partnerId = null } = source;
    const request = { connector: { name: service }, partner: { id: partnerId } };
    const visit = { request, pageId, session: partnerId === null ? null : {} };
    const verifyCredential = async () => (accepted ? { kind: 'accepted' } : { kind: 'refused', said: 'No.' });
    const deps = { db: given.store.db, now: () => 1, verifyCredential };
    const problem = await tryCredential({ ip: address } as never, visit as never, {}, deps as never);
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

  test('count only for the service if the upstream accepted them', async () => {
    for (let index = 0; index < 40; index += 1) {
      expect(await tryFrom({ pageId: 'page', address: '192.0.2.1' }, true)).toBe(true);
    }
    const kept = await given.store.db.selectFrom('attempt_counters').select(['key', 'count']).execute();
    expect(kept).toEqual([{ key: 'connect:service:crm', count: 40 }]);
  });

  test('are not counted by network once their /48 is over its limit', async () => {
    for (let index = 0; index < 150; index += 1) await begin(`2001:db8:1:${index.toString(16)}::1`, `page-${index}`);
    const kept = await given.store.db.selectFrom('attempt_counters').select('key').execute();
    const [site, service, networksAndPages] = [1, 1, 2 * 120];
    expect(kept).toHaveLength(site + service + networksAndPages);
  });

  const tryFromAnywhere = (index: number, partnerId: string | null, accepted: boolean) =>
    tryFrom({ pageId: `page-${index}`, address: `192.0.${index % 200}.1`, partnerId }, accepted);

  test.each([
    ['refused', false],
    ['accepted', true],
  ])(
    'by plain links are limited to 300 per service in ten minutes over all addresses, if they are %s',
    async (_, accepted) => {
      const verdicts: boolean[] = [];
      for (let index = 0; index < 310; index += 1) verdicts.push(await tryFromAnywhere(index, null, accepted));
      expect(verdicts.filter(Boolean)).toHaveLength(300);
      expect(await tryFromAnywhere(400, 'partner', false)).toBe(true);
      expect(await tryFrom({ pageId: 'other', address: '198.51.100.1', service: 'mailer' })).toBe(true);
    },
  );

  test('in connect sessions are limited per partner and service, by refused ones', async () => {
    for (let index = 0; index < 310; index += 1) expect(await tryFromAnywhere(index, 'acme', true)).toBe(true);
    for (let index = 0; index < 300; index += 1) expect(await tryFromAnywhere(index, 'acme', false)).toBe(true);
    expect(await tryFromAnywhere(300, 'acme', false)).toBe(false);
    expect(await tryFromAnywhere(300, 'another', false)).toBe(true);
  });
});
