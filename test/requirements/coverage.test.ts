import { describe, expect, test } from 'vitest';
import { findVerifications } from './find-verifications.ts';
import { OAUTH_REQUIREMENTS } from './oauth.ts';

const verifications = findVerifications();
const ids = OAUTH_REQUIREMENTS.flatMap(({ requirements }) => requirements.map(({ id }) => id));

describe('OAuth requirements', () => {
  test('each is verified by a test', () => {
    const verified = new Set(verifications.map(({ id }) => id));
    expect(ids.filter((id) => !verified.has(id))).toEqual([]);
  });

  test('each is listed once, and every id that a test names is one of them', () => {
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(verifications.filter(({ id }) => !ids.includes(id))).toEqual([]);
  });

  test('each is one sentence, with the section that it comes from', () => {
    for (const { source, behaviour } of OAUTH_REQUIREMENTS.flatMap(({ requirements }) => requirements)) {
      expect(source).toMatch(/^(RFC \d{4} (§|Appendix )|MCP |CIMD \(IETF draft\), |OAuth 2\.1 §)/);
      expect(behaviour).toMatch(/^[^.]+\S.*\.$/);
      expect(behaviour).not.toMatch(/\bshould\b/i);
    }
  });

  test.each([6749, 6750, 7009, 7591, 7636, 8252, 8414, 8707, 9207, 9700, 9728])(
    'RFC %i is among the sources',
    (rfc) => {
      const requirements = OAUTH_REQUIREMENTS.flatMap((group) => group.requirements);
      expect(requirements.some(({ source }) => source.includes(`RFC ${rfc}`))).toBe(true);
    },
  );
});
