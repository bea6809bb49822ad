import { describe, expect, test } from 'vitest';
import { createValueSealer } from '../../../../server/base/credentials/sealed-value.ts';
import { createSeed, derivePair, openSeed, sealSeed } from '../../../../server/identity/grants/refresh/derive-pair.ts';

const OLD = `utg_rt_${'a'.repeat(43)}`;
const SCOPES = ['tools:read', 'tools:write'] as const;
const sealer = createValueSealer({ keys: [{ id: 'k1', key: Buffer.alloc(32, 1) }], purpose: 'refresh token' });

describe('the successor of a refresh token', () => {
  test('is the same for every holder of its seed', () => {
    const seed = createSeed();
    expect(derivePair(seed, OLD, SCOPES)).toEqual(derivePair(seed, OLD, SCOPES));
    expect(derivePair(seed, OLD, SCOPES)).toEqual({
      accessToken: expect.stringMatching(/^utg_at_[A-Za-z0-9_-]{43}$/),
      refreshToken: expect.stringMatching(/^utg_rt_[A-Za-z0-9_-]{43}$/),
    });
  });

  test.each([
    ['seed', () => derivePair(createSeed(), OLD, SCOPES)],
    ['old token', (seed: string) => derivePair(seed, `${OLD}b`, SCOPES)],
  ])('is another one for another %s', (_title, derive) => {
    const seed = createSeed();
    const [one, other] = [derivePair(seed, OLD, SCOPES), derive(seed)];
    expect(other.refreshToken).not.toBe(one.refreshToken);
    expect(other.accessToken).not.toBe(one.accessToken);
  });

  test('has an access token per set of scopes, and neither token reveals the other', () => {
    const seed = createSeed();
    const [all, some] = [derivePair(seed, OLD, SCOPES), derivePair(seed, OLD, ['tools:read'])];
    expect(some.refreshToken).toBe(all.refreshToken);
    expect(some.accessToken).not.toBe(all.accessToken);
    expect(all.accessToken.slice(7)).not.toBe(all.refreshToken.slice(7));
  });

  test("cannot be derived from the gateway's key and the old token after the sealed seed is deleted", () => {
    const seed = createSeed();
    const sealedSeed = sealSeed(sealer, { seed, senders: ['::1'] }, 'token-1', 0);
    expect(openSeed(sealer, { id: 'token-1', sealedSeed }, 1)).toEqual({ seed, senders: ['::1'] });
    expect(openSeed(sealer, { id: 'token-1', sealedSeed: null }, 1)).toBeUndefined();
    const guesses = [OLD, Buffer.alloc(32, 1).toString('base64url'), ''].map((guess) => derivePair(guess, OLD, SCOPES));
    for (const guess of guesses) expect(guess).not.toEqual(derivePair(seed, OLD, SCOPES));
  });

  test('has a seed that opens only for its own token, for five minutes', () => {
    const seed = { seed: createSeed(), senders: [] };
    const sealedSeed = sealSeed(sealer, seed, 'token-1', 0);
    expect(sealedSeed).not.toBe(sealSeed(sealer, seed, 'token-1', 0));
    expect(openSeed(sealer, { id: 'token-2', sealedSeed }, 1)).toBeUndefined();
    expect(openSeed(sealer, { id: 'token-1', sealedSeed }, 300_000)).toBeUndefined();
  });
});
