import { expect, test } from 'vitest';
import { kindFor, kindsOf, oauth2PartOf } from '../../../../server/base/credentials/kinds.ts';
import type { CredentialRequirement } from '../../../../server/contract/index.ts';
import { oauth2Part } from '../../../support/oauth-rules.ts';

const REQUIREMENT: CredentialRequirement = {
  parts: [oauth2Part('https://upstream.example')],
  help: '',
  url: null,
  alternatives: [
    { label: 'User name', parts: [{ id: 'login', type: 'basic', label: 'Login' }], help: 'See Settings.', url: null },
  ],
};

test('the first kind is named after its parts unless it has a name', () => {
  expect(kindsOf(REQUIREMENT).map(({ label }) => label)).toEqual(['Sign in', 'User name']);
  expect(kindsOf({ ...REQUIREMENT, label: 'OAuth' })[0].label).toBe('OAuth');
});

test('a stored credential is of the kind whose fields are all there', () => {
  const typed = { 'login.username': 'ada', 'login.password': 'secret' };
  expect(kindFor(REQUIREMENT, typed, undefined).label).toBe('User name');
  expect(kindFor(REQUIREMENT, { 'oauth.access_token': 'token' }, undefined).label).toBe('Sign in');
});

test('an incomplete credential is of the preferred kind', () => {
  expect(kindFor(REQUIREMENT, { 'login.username': 'ada' }, undefined).label).toBe('Sign in');
});

test('an open service has one kind without parts', () => {
  expect(kindsOf({ parts: [], help: '', url: null })).toEqual([{ label: '', parts: [], help: '', url: null }]);
});

test('the OAuth 2.0 part is found', () => {
  expect(kindsOf(REQUIREMENT).map((kind) => oauth2PartOf(kind)?.id)).toEqual(['oauth', undefined]);
});
