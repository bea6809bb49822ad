import fc from 'fast-check';
import { expect, test } from 'vitest';
import { numRuns } from '../../../support/num-runs.ts';
import { authorize, describeOAuth, type OAuthUnderTest } from './support.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const REFRESH_MS = 30 * 24 * HOUR_MS;
const GRACE_MS = 10 * SECOND_MS;
const CODE_MS = 300 * SECOND_MS;

interface RefreshToken {
  readonly text: string;
  readonly endsAt: number;
  usedAt: number | null;
}

interface AccessToken {
  readonly text: string;
  readonly endsAt: number;
  revoked: boolean;
}

/** The behaviour of a family of tokens in RFC 6749, 7009 and 9700, in memory. */
class Family {
  readonly refreshTokens: RefreshToken[] = [];
  readonly accessTokens: AccessToken[] = [];
  revoked = false;
  codeUsed = false;
  readonly codeEndsAt: number;

  constructor(now: number) {
    this.codeEndsAt = now + CODE_MS;
  }

  exchange(now: number): boolean {
    if (this.codeUsed) this.revoked = true;
    const good = !this.codeUsed && now < this.codeEndsAt;
    if (good) this.codeUsed = true;
    return good;
  }

  refresh(token: RefreshToken, now: number): 'tokens' | 'invalid_grant' | 'temporarily_unavailable' {
    if (this.revoked) return 'invalid_grant';
    if (token.usedAt !== null) {
      if (now - token.usedAt <= GRACE_MS) return 'temporarily_unavailable';
      this.revoked = true;
      return 'invalid_grant';
    }
    if (now >= token.endsAt) return 'invalid_grant';
    token.usedAt = now;
    return 'tokens';
  }

  issue(body: { access_token: string; refresh_token: string }, now: number): void {
    this.accessTokens.push({ text: body.access_token, endsAt: now + HOUR_MS, revoked: false });
    this.refreshTokens.push({ text: body.refresh_token, endsAt: now + REFRESH_MS, usedAt: null });
  }

  works(token: AccessToken, now: number): boolean {
    return !this.revoked && !token.revoked && now < token.endsAt;
  }
}

type Step =
  | { readonly do: 'exchange' }
  | { readonly do: 'refresh' | 'revoke refresh' | 'revoke access'; readonly which: number }
  | { readonly do: 'wait'; readonly ms: number };

const which = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Step>({ do: 'exchange' }) },
  { weight: 10, arbitrary: fc.record({ do: fc.constant('refresh' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke refresh' as const), which }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revoke access' as const), which }) },
  {
    weight: 6,
    arbitrary: fc.constantFrom(1, GRACE_MS, GRACE_MS + 1, CODE_MS, HOUR_MS, REFRESH_MS).map((ms) => ({
      do: 'wait' as const,
      ms,
    })),
  },
);

async function run(given: OAuthUnderTest, steps: readonly Step[]): Promise<void> {
  const { clientId, parameters } = await authorize(given);
  const family = new Family(given.now);
  const newest = <Token>(tokens: readonly Token[], index: number) => tokens[tokens.length - 1 - index];

  for (const each of steps) {
    if (each.do === 'wait') given.now += each.ms;
    if (each.do === 'exchange') {
      const { status, body } = await given.token(parameters);
      expect(status).toBe(family.exchange(given.now) ? 200 : 400);
      if (status === 200) family.issue(body, given.now);
    }
    if (each.do === 'refresh') {
      const token = newest(family.refreshTokens, each.which);
      if (token === undefined) continue;
      const { status, body } = await given.token({
        grant_type: 'refresh_token',
        refresh_token: token.text,
        client_id: clientId,
      });
      const want = family.refresh(token, given.now);
      expect([status, body.error ?? 'tokens']).toEqual([want === 'tokens' ? 200 : 400, want]);
      if (status === 200) family.issue(body, given.now);
    }
    if (each.do === 'revoke refresh') {
      const token = newest(family.refreshTokens, each.which);
      if (token === undefined) continue;
      expect((await given.revoke({ token: token.text })).status).toBe(200);
      family.revoked = true;
    }
    if (each.do === 'revoke access') {
      const token = newest(family.accessTokens, each.which);
      if (token === undefined) continue;
      expect((await given.revoke({ token: token.text })).status).toBe(200);
      token.revoked = true;
    }
    for (const token of family.accessTokens.slice(-4)) {
      expect(await given.use(token.text)).toBe(family.works(token, given.now) ? 200 : 401);
    }
  }
}

describeOAuth('a family of tokens', (given) => {
  test('follows the specification for any order of uses, waits and revocations', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), (steps) => run(given, [{ do: 'exchange' }, ...steps])),
      { numRuns: numRuns(given.dialect === 'sqlite' ? 120 : 30) },
    );
  }, 120_000);
});
