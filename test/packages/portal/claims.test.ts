import { expect, test } from 'vitest';
import { readPerson } from '../../../packages/portal/sign-in/claims.ts';

const PROVIDER = {
  issuer: 'https://login.example',
  clientId: 'portal',
  clientSecret: 'secret',
  scope: 'openid',
  userClaim: 'sub',
  groupsClaim: 'groups',
};

test('no group of a person is left out: too many of them are refused', () => {
  const groups = Array.from({ length: 2000 }, (_, index) => `group ${index}`);
  expect(readPerson({ sub: 'ada', groups }, PROVIDER).groups).toEqual(groups);
  expect(() => readPerson({ sub: 'ada', groups: [...groups, 'one more'] }, PROVIDER)).toThrow('more than 2000 groups');
});
