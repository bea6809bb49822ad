import { expect, test } from 'vitest';
import { tryConnectionCode } from '../../../../server/identity/oauth/try-connection-code.ts';
import { describeStore } from '../../base/store/dialects.ts';

describeStore('guesses at connection codes', (given) => {
  test('are allowed four times as often from an IPv6 /48 as from one /64', async () => {
    const verdictFrom = (ip: string, pageId: string) =>
      tryConnectionCode(ip, { text: 'WRONG', pageId }, { db: given.store.db, now: () => 1 });
    const verdicts: unknown[] = [];
    for (let index = 0; index < 100; index += 1) {
      verdicts.push(await verdictFrom(`2001:db8:1:${index.toString(16)}::1`, `page-${index}`));
    }
    expect(verdicts.filter((verdict) => verdict === 'wrong')).toHaveLength(80);
    expect(await verdictFrom('2001:db8:2::1', 'another')).toBe('wrong');
  });
});
