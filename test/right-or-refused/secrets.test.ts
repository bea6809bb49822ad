import { expect, test } from 'vitest';
import { buildOne, parameter } from '../codegen/tools/service.ts';

test.each<[string, Parameters<typeof parameter>, boolean]>([
  ['in the query', ['access_token'], true],
  ['in a header', ['X-Api-Key', { in: 'header' }], true],
  ['with a name like others', ['page_token'], false],
])('warns of an argument that looks like a credential: %s', (_title, given, want) => {
  expect(buildOne({ parameters: [parameter(...given)] }).codes.includes('argument-looks-secret')).toBe(want);
});

test('offers no such argument where connector.yaml describes the credential', () => {
  const parts = [{ id: 'token', type: 'query', name: 'access_token', label: 'Token' }];
  const { tool, codes } = buildOne({ parameters: [parameter('access_token')] }, { credential: { parts } });
  expect([tool.arguments, codes]).toEqual([[], []]);
});
