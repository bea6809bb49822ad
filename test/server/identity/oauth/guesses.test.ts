import { expect, test } from 'vitest';
import { beginGuess, settleGuess } from '../../../../server/identity/oauth/consent/guesses.ts';
import { describeStore } from '../../base/store/dialects.ts';

describeStore('guesses at connection codes', (given) => {
  test('are allowed four times as often from an IPv6 /48 as from one /64', async () => {
    const verdictFrom = async (address: string, pageId: string) => {
      const source = { pageId, address };
      const verdict = await beginGuess(given.store.db, source, 1);
      if (verdict === 'allowed') await settleGuess(given.store.db, source, { isRight: false, now: 1 });
      return verdict;
    };
    const verdicts: string[] = [];
    for (let index = 0; index < 100; index += 1) {
      verdicts.push(await verdictFrom(`2001:db8:1:${index.toString(16)}::1`, `page-${index}`));
    }
    expect(verdicts.filter((verdict) => verdict === 'allowed')).toHaveLength(80);
    expect(await verdictFrom('2001:db8:2::1', 'another')).toBe('allowed');
  });
});
